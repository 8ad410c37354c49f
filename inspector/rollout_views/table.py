"""The list of rollouts: what each column says of a summary and sorts by, and the list as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.locator import format_place
from rollout_loaders.model import RolloutSummary
from rollout_loaders.natural_order import natural_key

from .cells import cell_width, fit_cells
from .foreign import visible_line
from .formatting import UNKNOWN, count, duration
from .verdict import STATE_WORDS, reward_words

GAP = "  "
GLYPHS = {"invalid": "⊘", "masked": "⊘", "not_graded": "–", "unreadable": "✗"}

SortKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. The lower its `rank`, the longer it stays on a narrow screen; `most` is its widest."""

    key: str
    title: str
    cell: Callable[[RolloutSummary], str]
    """Foreign text: pass it through `visible_line`."""
    sort_key: Callable[[RolloutSummary], SortKey]
    """Unknown values sort last."""
    rank: int
    right: bool = False
    most: int = 20


def state_glyph(summary: RolloutSummary) -> str:
    """Return the sign of a rollout: full, partial, zero, invalid or masked, not graded, unreadable."""
    if summary.state != "graded":
        return GLYPHS.get(summary.state, "?")
    if summary.reward is None:
        return "–"
    return "●" if summary.reward >= 1 else "○" if summary.reward <= 0 else "◐"


def state_cell(summary: RolloutSummary) -> str:
    """Return glyph and word: `○ graded`, `⊘ invalid`, `– not graded`."""
    return f"{state_glyph(summary)} {STATE_WORDS.get(summary.state, summary.state)}"


def answer_cell(summary: RolloutSummary) -> str:
    """Return the length of the final answer, `(empty)` or `(no final answer)`."""
    if not summary.answer_stands:
        return "(no final answer)"
    if summary.answer_chars is None:
        return UNKNOWN
    return count(summary.answer_chars) if summary.answer_chars else "(empty)"


def findings_cell(summary: RolloutSummary) -> str:
    """Return the first finding and how many more; `·` when they were not computed, `–` when there is none."""
    if summary.findings is None:
        return UNKNOWN
    if not summary.findings:
        return "–"
    more = len(summary.findings) - 1
    return summary.findings[0] + (f" +{more}" if more else "")


def task_cell(summary: RolloutSummary) -> str:
    """Return the task's index, else its id."""
    task = summary.task
    return str(task.task_index) if task.task_index is not None else task.task_id or UNKNOWN


def reward_cell(summary: RolloutSummary) -> str:
    """Return the reward, which never stands alone unless it is graded: `0`, `0 invalid`, `0 masked`; `·` for none."""
    return UNKNOWN if summary.reward is None else reward_words(summary.state, summary.reward)


def place_cell(summary: RolloutSummary) -> str:
    """Return what the command line accepts for this rollout."""
    return format_place(summary)


def _number(value: float | None) -> SortKey:
    return (value is None, value or 0)


def _text(value: str | None) -> SortKey:
    return (value is None, natural_key((value or "").casefold()))


def _index(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _rollout_cell(summary: RolloutSummary) -> str:
    return _index(summary.task.rollout_index)


def _how_many(findings: Sequence[str] | None) -> int | None:
    return None if findings is None else len(findings)


COLUMNS: tuple[Column, ...] = (
    Column("task", "task", task_cell, lambda s: (*_number(s.task.task_index), *_text(s.task.task_id)), 1, most=16),
    Column("rollout", "rollout", _rollout_cell, lambda s: _number(s.task.rollout_index), 4, True),
    Column("attempt", "attempt", lambda s: _index(s.task.attempt), lambda s: _number(s.task.attempt), 12, True),
    Column("state", "state", state_cell, lambda s: (s.state, *_number(s.reward)), 1, most=14),
    Column("reward", "reward", reward_cell, lambda s: _number(s.reward), 1, True, 16),
    Column("outcome", "outcome", lambda s: s.status, lambda s: (s.status, s.failure_kind or ""), 3, most=12),
    Column("kind", "kind", lambda s: s.failure_kind or UNKNOWN, lambda s: _text(s.failure_kind), 7),
    Column("policy", "policy", lambda s: s.policy or UNKNOWN, lambda s: _text(s.policy), 4, most=13),
    Column("harness", "harness", lambda s: s.harness.name or UNKNOWN, lambda s: _text(s.harness.name), 10, most=12),
    Column("model", "model", lambda s: s.harness.model or UNKNOWN, lambda s: _text(s.harness.model), 9, most=22),
    Column("turns", "turns", lambda s: count(s.turns), lambda s: _number(s.turns), 5, True),
    Column("tools", "tools", lambda s: count(s.tool_calls), lambda s: _number(s.tool_calls), 8, True),
    Column("in", "in", lambda s: count(s.usage.input), lambda s: _number(s.usage.input), 11, True),
    Column("out", "out", lambda s: count(s.usage.output), lambda s: _number(s.usage.output), 9, True),
    Column("answer", "answer", answer_cell, lambda s: (not s.answer_stands, *_number(s.answer_chars)), 5, most=17),
    Column("findings", "findings", findings_cell, lambda s: _number(_how_many(s.findings)), 6, most=34),
    Column("took", "took", lambda s: duration(s.duration_ms), lambda s: _number(s.duration_ms), 8, True),
    Column("id", "id", lambda s: s.id, lambda s: _text(s.id), 13, most=34),
    Column("place", "place", place_cell, lambda s: (natural_key(s.source.path), natural_key(s.id)), 0, most=10_000),
)  # fmt: skip
"""Every column, in order.

`place` is what `show` takes; the screens that know the file leave it out.
"""

_LISTED = tuple(column for column in COLUMNS if column.key not in ("id", "attempt"))


def lines(summaries: Sequence[RolloutSummary], width: int | None = None) -> list[str]:
    """Return the list as lines of text, a head first. With a width, columns of high rank go until it fits."""
    columns = [column for column in _LISTED if column.key == "place" or _says_something(column, summaries)]
    cells = [[visible_line(column.cell(summary)) for column in columns] for summary in summaries]
    widths = [
        min(max([cell_width(column.title), *(cell_width(row[index]) for row in cells)]), column.most)
        for index, column in enumerate(columns)
    ]
    kept = _fitting(columns, widths, width)
    made = [_line([column.title for column in columns], columns, widths, kept)]
    made += [_line(row, columns, widths, kept) for row in cells]
    return made


def _says_something(column: Column, summaries: Sequence[RolloutSummary]) -> bool:
    """A column of nothing but unknowns is left out, but for state and reward: a reader looks for those."""
    return column.key in ("state", "reward") or any(column.cell(summary) != UNKNOWN for summary in summaries)


def _fitting(columns: Sequence[Column], widths: Sequence[int], width: int | None) -> list[int]:
    kept = list(range(len(columns)))
    if width is None:
        return kept
    place = min(widths[-1], 40)
    while len(kept) > 3 and sum(widths[index] for index in kept[:-1]) + len(GAP) * (len(kept) - 1) + place > width:
        kept.remove(max(kept, key=lambda index: columns[index].rank))
    return kept


def _line(row: Sequence[str], columns: Sequence[Column], widths: Sequence[int], kept: Sequence[int]) -> str:
    cells: list[str] = []
    for index in kept:
        if columns[index].key == "place":
            cells.append(row[index])
            continue
        shown = fit_cells(row[index], widths[index])
        room = " " * (widths[index] - cell_width(shown))
        cells.append(room + shown if columns[index].right else shown + room)
    return GAP.join(cells).rstrip()
