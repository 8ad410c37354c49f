"""One small hostile input through everything that takes a text: places, filters, searches, JSON, the split, drawing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from random import Random

from rollout_loaders import jsondecode, locator
from rollout_loaders.convert import think
from rollout_loaders.formats.opencode_scan import scan
from rollout_loaders.model import Place, Rollout, RolloutSummary
from rollout_loaders.summary import summarise
from rollout_views.cells import cell_width, wrap_cells
from rollout_views.filtering import FIELDS, FilterError, compile_filter, suggestions
from rollout_views.foreign import visible, visible_line
from rollout_views.markdown_text import code, fence
from rollout_views.pattern import compile_pattern
from rollout_views.redaction import redact
from rollout_views.searching import find
from rollout_views.transcript import blocks
from tests.hostile.file_mutation import GARBAGE, LARGEST, mutate_bytes
from tests.hostile.json_mutation import NUMBERS, STRINGS, UNITS, Texts, mutate
from tests.hostile.seeds import other_lines
from tests.views.hostile import TEXTS, hostile_rollout, unsafe_in

SLOWEST = 1.0
_MARKS = """# @ / turn: item: invocation: 3-1 -a2 L17 ses_1 %00 %zz - * [ ? .. ~ < > <= != : = , " \\ nan inf 1e999
1k"""
_WORDS = (*_MARKS.split(), *FIELDS, *STRINGS, *UNITS, " ", "\0", "\n", "\ud800", "٣", "ﬁ", "İ", "\u200d", "\ufe0f")


class Small:
    """The judge of small inputs; its rollouts are made once."""

    def __init__(self) -> None:
        self.rollouts: list[Rollout] = [hostile_rollout(text) for text in list(TEXTS.values())[:4]]
        self.summaries: list[RolloutSummary] = [summarise(rollout) for rollout in self.rollouts]
        self.blocks = blocks(self.rollouts[0], "observed")
        self.lines = other_lines()

    def run(self, rng: Random) -> list[str]:
        """Everything once, with one text and one document; what is wrong with it."""
        text = "".join(rng.choice(_WORDS) for _ in range(rng.randint(0, 9)))
        raw = self._document(rng)
        problems: list[str] = []
        steps: tuple[Callable[[], None], ...] = (
            *(partial(self._place, text), partial(self._filter, text), partial(self._drawn, text)),
            *(partial(self._split, text), partial(self._json, raw), partial(self._scan, raw)),
            partial(self._searched, text),
        )
        for step in steps:
            start = time.process_time()
            try:
                step()
            except Exception as error:  # that is what is looked for
                problems.append(f"{step.func.__name__}: {type(error).__name__}: {error!s:.160}")  # type: ignore[attr-defined]
            if time.process_time() - start > SLOWEST:
                problems.append(f"{step.func.__name__}: took more than a second")  # type: ignore[attr-defined]
        return problems

    def _document(self, rng: Random) -> bytes:
        line = rng.choice(self.lines)
        if rng.random() < 0.5:
            return mutate_bytes(rng, line, rng.randint(1, 3))
        texts = Texts(rng.random() < 0.5)
        value = mutate(rng, [rng.choice(NUMBERS), rng.choice(STRINGS), {"a": {"b": [rng.choice(STRINGS)]}}], texts, 3)
        return texts.dump(value)[:LARGEST] if rng.random() < 0.9 else rng.choice(GARBAGE)

    def _place(self, text: str) -> None:
        found = locator.parse(text, exists=partial(str.__eq__, text[:3]))
        assert found.path in text
        place = Place(None, 3, text or None)
        printed = locator.format_place(self.summaries[0], place)
        read = locator.parse(printed, exists=partial(str.__eq__, self.summaries[0].source.path))
        assert (read.rollout, read.place) == (self.summaries[0].id, place), printed

    def _filter(self, text: str) -> None:
        suggestions(text)
        try:
            wanted = compile_filter(text, load=lambda _summary: self.rollouts[0])
        except FilterError as error:
            assert 1 <= error.column <= len(text) + 1
            return
        for summary in self.summaries:
            assert wanted(summary) in (True, False)

    def _searched(self, text: str) -> None:
        pattern = compile_pattern(text)
        for match in find(self.blocks, pattern):
            whole = match.block.title if match.in_title else match.block.body
            assert pattern.fullmatch(whole, match.start, match.end)
            assert whole.startswith(match.text, match.start)

    def _drawn(self, text: str) -> None:
        for shown in (visible(text), visible_line(text), code(text), fence(text)):
            assert unsafe_in(shown) == set()
        line = visible_line(text)
        pieces = list(wrap_cells(line, 20))
        assert all(cell_width(piece) <= 21 for piece in pieces)
        assert "".join(pieces).replace(" ", "") == line.replace(" ", "")
        redact(text)

    def _split(self, text: str) -> None:
        split = think.split(text)
        if not split.has_block:
            assert split.answer == text
            return
        block = f"<think>{split.reasoning or ''}</think>"
        assert block + split.removed + split.answer == text

    def _json(self, raw: bytes) -> None:
        try:
            value = jsondecode.decode(raw).value
        except jsondecode.BadJson as bad:
            assert 0 <= bad.offset <= len(raw)
            return
        written = jsondecode.encode(value)
        assert written.isascii()
        assert not any(byte < 0x20 or byte == 0x7F for byte in written)
        json.loads(written, parse_constant=lambda literal: 1 / 0)

    def _scan(self, raw: bytes) -> None:
        scan(b'{"info":{"id":"ses_1"},"messages":[' + raw)
