"""Two rollouts, or two sets of them, compared: totals first, then each pair that changed and why its reward moved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from rollout_loaders.comparison import Delta, Pair, Pairing, Step, compare, pair_up, total
from rollout_loaders.comparison.divergence import describe
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Rollout, Turn
from rollout_views.block import Block, Lens
from rollout_views.block_html import html_line
from rollout_views.comparison_report import Report, comparison_report
from rollout_views.comparison_text import fragment as report_html
from rollout_views.comparison_text import text_lines
from rollout_views.foreign import visible_line
from rollout_views.formatting import quantity
from rollout_views.inert_math import inert_math
from rollout_views.plain_text import lines
from rollout_views.reason_blocks import reason_blocks
from rollout_views.scored_mark import unclaimed
from rollout_views.shown_place import shown_place, shown_verdict
from rollout_views.transcript import open_lens, section_blocks, sections
from rollout_views.verdict import reward_words
from rollout_views.why import why_blocks

from .pages import draw
from .panels import shown_html
from .shelf import Shelf

MOST_BYTES = 150_000
MOST_TEXT = 60
MOST_TURNS = 40
"""Turns that differ and are shown of one pair."""


@dataclass(frozen=True)
class Comparison:
    """What two shelves hold, paired by task, id or prompt. A whole rollout is read when its pair is looked at."""

    left: Shelf
    right: Shelf

    @cached_property
    def pairing(self) -> Pairing:
        """Which rollout belongs to which."""
        return pair_up(self.left.summaries, self.right.summaries)

    @cached_property
    def deltas(self) -> tuple[Delta, ...]:
        """What moved in each pair, in the order of the pairing."""
        return tuple(compare(*self.load(pair)) for pair in self.pairing.pairs)

    @cached_property
    def report(self) -> Report:
        """Totals, the changed pairs, and what has no partner."""
        return comparison_report(self.pairing, self.deltas, total(self.deltas))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Indices of the pairs, the worst change first, unchanged ones last."""
        numbers = range(len(self.deltas))
        return tuple(sorted(numbers, key=lambda index: (not self.deltas[index].changed, self.deltas[index].badness)))

    @property
    def is_single(self) -> bool:
        """Tell whether each side is one rollout."""
        return len(self.deltas) == len(self.left.summaries) == len(self.right.summaries) == 1

    def load(self, pair: Pair) -> tuple[Rollout, Rollout]:
        """Both rollouts of a pair. Raises `RolloutError`."""
        left = self.left.load(next(i for i, one in enumerate(self.left.summaries) if one is pair.left))
        return left, self.right.load(next(i for i, one in enumerate(self.right.summaries) if one is pair.right))

    def html(self, lens: Lens) -> str:
        """Return the report, then the pairs that changed while there is room; the others are counted."""
        if self.is_single:
            return self.pair_html(0, lens)
        pieces = [report_html(self.report)]
        changed = [index for index in self.order if self.deltas[index].changed]
        left = MOST_BYTES - len(pieces[0].encode("utf-8", "replace"))
        for shown, index in enumerate(changed):
            text = f"<hr>\n{self.pair_html(index, lens)}"
            left -= len(text.encode("utf-8", "replace"))
            if left < 0:
                pieces.append(
                    f"<p><em>… {len(changed) - shown:,} more changed pairs; compare them one by one</em></p>\n"
                )
                break
            pieces.append(text)
        return "".join(pieces)

    def text(self) -> str:
        """Return at most sixty lines: the report, or of one pair the reasons on both sides."""
        made: list[str] = []
        if self.is_single:
            for name, rollout in zip("AB", self.load(self.pairing.pairs[0]), strict=True):
                made += [f"{name}  {shown_place(rollout)}", f"   {shown_verdict(rollout)}"]
                made += [f"   {line}" for line in lines(_reasons(rollout), 100)]
            made.append("")
        made += [unclaimed(visible_line(line)) for line in text_lines(self.report)]
        return "\n".join(made if len(made) <= MOST_TEXT else [*made[: MOST_TEXT - 1], "… more: rollout-inspect diff"])

    def pair_html(self, index: int, lens: Lens) -> str:
        """Return one pair: both verdicts, what moved, why each has its reward, the turns that differ."""
        delta, (left, right) = self.deltas[index], self.load(self.pairing.pairs[index])
        moved = f"<p><strong>moved</strong> {html_line(_moved(delta))}</p>\n"
        pieces = [inert_math(f"<h4>{html_line(_name(delta))}</h4>\n{moved}")]
        for name, rollout in (("A", left), ("B", right)):
            place, verdict = shown_html(shown_place(rollout)), shown_html(shown_verdict(rollout))
            pieces.append(inert_math(f"<p><strong>{name}</strong> {verdict}<br>\n<code>{place}</code></p>\n"))
            pieces.append(f"<blockquote>\n{draw(rollout, _reasons(rollout), prefix=name)}</blockquote>\n")
        pieces.append(self._turns_html(delta, left, right, lens))
        return "".join(pieces)

    def _turns_html(self, delta: Delta, left: Rollout, right: Rollout, lens: Lens) -> str:
        pieces: list[str] = []
        equal: list[int] = []
        differing = 0
        for step in delta.steps:
            if step.kind == "equal" and not step.reasoning_differs:
                equal.append((step.left or 0) + 1)
                continue
            pieces.append(_equal_words(equal))
            equal = []
            differing += 1
            if differing <= MOST_TURNS:
                pieces.append(_step_html(step, left, right, lens))
        pieces.append(_equal_words(equal))
        if differing > MOST_TURNS:
            pieces.append(f"<p><em>… {differing - MOST_TURNS:,} more turns differ</em></p>\n")
        return "".join(pieces)


def _reasons(rollout: Rollout) -> list[Block]:
    found = reason_blocks("why:grading", "reward", rollout.grading.because)
    made = found or [block for block in why_blocks(rollout) if block.id == "why:silent"]
    return [Block(block.id, block.label, block.tone, block.title, block.body) for block in made]


def pair_label(delta: Delta) -> str:
    """Return a pair in one line: `3-0 · reward 0 → 1 · scored text 44 characters → 2 characters …`."""
    return f"{_name(delta)} · {_moved(delta)}" if delta.changed else f"{_name(delta)} · unchanged"


def _name(delta: Delta) -> str:
    one, two = delta.left, delta.right
    return one.id if one.id == two.id else f"{one.id} → {two.id}"


def _moved(delta: Delta) -> str:
    one, two = delta.left, delta.right
    before, after = reward_words(one.state, one.reward), reward_words(two.state, two.reward)
    words = [f"reward {before} → {after}" if before != after else f"reward {before} on both sides"]
    words += [f"outcome {one.outcome} → {two.outcome}"] if one.outcome != two.outcome else []
    words += [f"scored text {_length(one.scored_text)} → {_length(two.scored_text)}"]
    words += [f"reasoning moved {delta.reasoning_moved}"] if delta.reasoning_moved else []
    words += [f"+{code}" for code in delta.findings_gained] + [f"−{code}" for code in delta.findings_lost]
    return " · ".join(words)


def _length(text: str | None) -> str:
    return "none" if text is None else quantity(len(text), "character") if text else "empty"


def _equal_words(turns: Sequence[int]) -> str:
    if not turns:
        return ""
    span = f"turn {turns[0]}" if len(turns) == 1 else f"turns {turns[0]} to {turns[-1]}"
    return f"<p><em>{span} equal</em></p>\n"


def _step_html(step: Step, left: Rollout, right: Rollout, lens: Lens) -> str:
    one, two = (_turns(left), _turns(right))
    words = "only the reasoning differs" if step.kind == "equal" else describe(one, two, step)
    pieces = [inert_math(f"<p><strong>differs</strong> {html_line(words)}</p>\n")]
    for name, rollout, index in (("A", left, step.left), ("B", right, step.right)):
        if index is None:
            pieces.append(f"<p><strong>{name}</strong> has no such turn</p>\n")
        else:
            pieces.append(f"<p><strong>{name}</strong></p>\n{_turn_html(rollout, lens, index, name)}")
    return "".join(pieces)


def _turns(rollout: Rollout) -> tuple[Turn, ...]:
    return rollout.root.turns if rollout.root is not None else ()


def _turn_html(rollout: Rollout, lens: Lens, index: int, name: str) -> str:
    """The turn as the lens shows it; the scored lens has turns of its own, so the observed one stands in."""
    opened = open_lens(rollout, "observed" if lens == "scored" else lens)
    number = _turns(rollout)[index].number
    root = rollout.root.id if rollout.root is not None else None
    for section in sections(rollout, opened):
        if section.turn == number and section.kind in ("turn", "items") and section.invocation in (None, root):
            drawn = draw(rollout, section_blocks(rollout, opened, section), section.place, name)
            return f"<blockquote>\n{drawn}</blockquote>\n"
    return "<p>not in this lens</p>\n"
