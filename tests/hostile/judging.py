"""What must hold for any input: no exception, no hang, valid ASCII-safe JSON, no raw control character anywhere."""

from __future__ import annotations

import json
import re
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

from rollout_loaders import jsondecode
from rollout_loaders.collection import open_paths
from rollout_loaders.document import document
from rollout_loaders.locator import format_place
from rollout_loaders.model import Rollout
from rollout_loaders.reader import ReadOptions
from rollout_loaders.summary import summarise, summary_document
from rollout_views import markdown_text, static_html
from rollout_views.block import LENSES, Lens
from rollout_views.evidence_tabs import TABS, blocks_of
from rollout_views.exporting import WRITERS, export, transcript_text
from rollout_views.plain_text import lines
from rollout_views.redaction import redact_rollout
from rollout_views.table import lines as table_lines
from rollout_views.transcript import blocks, section_blocks, sections
from tests.views.allowed_html import Checked
from tests.views.hostile import unsafe_in

SLOWEST = 1.0
"""Seconds of processor time for one reading or one rendering of an input below 1 MB (issue 7)."""
MEGABYTE = 1_000_000
"""Larger inputs may take as much longer as they are larger."""
CRASHES = ("reader-failed", "rules-failed")
_EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Exit)\(")
_CONTROL = re.compile(rb"[^\x20-\x7e]")
_OPTIONS = (ReadOptions(), ReadOptions(), ReadOptions(gym_reasoning=True), ReadOptions(gym_reasoning=False))


class Judge:
    """Collects what is wrong with one input."""

    def __init__(self, path: Path, rng: Random, thorough: bool = False) -> None:
        self.path, self.rng, self.thorough = path, rng, thorough
        files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        self.limit = SLOWEST * max(1.0, sum(file.stat().st_size for file in files) / MEGABYTE)
        self.is_blank = not any(file.read_bytes().strip() for file in files)
        self.problems: list[str] = []
        self.rollouts: list[Rollout] = []

    def run(self) -> list[str]:
        """Read and draw; every problem in one line, with where it was raised."""
        options = self.rng.choice(_OPTIONS)
        self._step("read", lambda: self._read(options))
        if self.thorough or self.rng.random() < 0.3:
            self._step("summaries", lambda: self._summaries(options))
        for rollout in self.rollouts[:3]:
            steps = list(self._renderings(rollout))
            for name, draw in steps if self.thorough else self.rng.sample(steps, 2):
                self._step(name, draw)
        return self.problems

    def _step(self, name: str, work: Callable[[], None]) -> None:
        start = time.process_time()
        try:
            work()
        except Exception as error:  # that is what is looked for
            last = traceback.extract_tb(error.__traceback__)[-1]
            self.problems.append(
                f"{name}: {type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {error!s:.200}"
            )
        took = time.process_time() - start
        if took > self.limit:
            self.problems.append(f"{name}: took more than a second ({took:.1f})")

    def _wrong(self, what: str) -> None:
        self.problems.append(what)

    def _read(self, options: ReadOptions) -> None:
        with open_paths([str(self.path)], options) as collection:
            self.rollouts = list(collection.rollouts())
            said = [*collection.diagnostics, *(d for rollout in self.rollouts for d in rollout.diagnostics)]
        for diagnostic in said:
            if diagnostic.code in CRASHES or _EXCEPTION.search(diagnostic.message):
                self._wrong(f"crash said as {diagnostic.code}: {diagnostic.message:.300}")
        if not self.rollouts and not said and not self.is_blank:
            self._wrong("nothing was read and nothing was said")
        for rollout in self.rollouts:
            self._document(rollout)

    def _document(self, rollout: Rollout) -> None:
        raw = jsondecode.encode(document(rollout, items=True, parts=True))
        if _CONTROL.search(raw):
            self._wrong("the document is not ASCII-safe")
        json.loads(raw, parse_constant=self._constant)

    def _constant(self, literal: str) -> None:
        self._wrong(f"the document holds {literal}")

    def _summaries(self, options: ReadOptions) -> None:
        """The list says of each rollout what the rollout says."""
        with open_paths([str(self.path)], options) as collection:
            listed = list(collection.summaries())
        whole = [summarise(rollout) for rollout in self.rollouts]
        if [s.id for s in listed] != [s.id for s in whole]:
            self._wrong(f"list has {[s.id for s in listed][:5]!r:.200}, show has {[s.id for s in whole][:5]!r:.200}")
            return
        for one, other in zip(listed, whole, strict=True):
            left, right = dict(summary_document(one)), dict(summary_document(other))
            left["source"], right["source"] = one.source.locator, other.source.locator  # a list joins no artifacts
            for key, value in left.items():
                unknown = key == "findings" and value is None
                if not unknown and jsondecode.encode(value) != jsondecode.encode(right[key]):
                    self._wrong(f"list and show differ in {key}: {value!r:.150} / {right[key]!r:.150}")
        for line in table_lines(listed, 120):
            self._clean("table", line)

    def _renderings(self, rollout: Rollout) -> Iterator[tuple[str, Callable[[], None]]]:
        for lens in LENSES:
            yield f"text {lens}", partial(self._text, rollout, lens)
            yield f"html {lens}", partial(self._page, rollout, lens)
        yield "tabs", lambda: self._tabs(rollout)
        yield "markdown", lambda: self._clean("markdown", markdown_text.comment(rollout))
        yield "transcript", lambda: self._clean("transcript", transcript_text(rollout, width=80))
        suffix = self.rng.choice(list(WRITERS))
        yield f"export {suffix}", lambda: self._clean(suffix, export([rollout], suffix, self.rng.choice(LENSES)))
        yield "fragment", lambda: self._html(static_html.rollout_fragment(rollout, prefix="c1-"))
        yield "redact", lambda: self._document(redact_rollout(rollout)[0])
        yield "place", lambda: self._place(rollout)

    def _text(self, rollout: Rollout, lens: Lens) -> None:
        width = self.rng.choice([None, 40, 80, 120])
        for invocation in rollout.invocations[:20]:
            for section in sections(rollout, lens, invocation.id):
                seen: set[str] = set()
                for block in section_blocks(rollout, lens, section):
                    if block.id in seen:
                        self._wrong(f"two blocks of a section of lens {lens} have the id {block.id!r:.80}")
                    seen.add(block.id)
            for line in lines(blocks(rollout, lens, invocation.id), width, folds=self.rng.random() < 0.3):
                self._clean(f"text {lens}", line)

    def _tabs(self, rollout: Rollout) -> None:
        for tab in TABS:
            for line in lines(blocks_of(rollout, tab), 80):
                self._clean(f"tab {tab}", line)

    def _page(self, rollout: Rollout, lens: Lens) -> None:
        self._html(static_html.page(rollout, lens))

    def _html(self, html: str) -> None:
        checked = Checked(html)
        for problem in checked.problems[:3]:
            self._wrong(f"html: {problem}")
        if len(checked.ids) != len(set(checked.ids)):
            self._wrong("html: an id twice")
        if not set(checked.targets) <= set(checked.ids):
            self._wrong("html: a link to nowhere")
        self._clean("html", html)

    def _clean(self, name: str, text: str) -> None:
        unsafe = unsafe_in(text)
        if unsafe:
            self._wrong(f"{name} lets {sorted(unsafe)!r:.100} through")

    def _place(self, rollout: Rollout) -> None:
        """What is printed as a place is accepted as one, and leads back."""
        place = format_place(rollout)
        with open_paths([place]) as collection:
            found = list(collection.rollouts())
        if rollout.id not in [one.id for one in found]:
            said = [d.message for d in collection.diagnostics]
            self._wrong(f"the place {place[-80:]!r} gives {[one.id for one in found]!r:.80}, {said!r:.200}")
