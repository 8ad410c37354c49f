"""What stands above and below the list: a histogram, a sparkline, the group of the rollout under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from rollout_loaders.model import RolloutSummary
from rollout_views.formatting import count, reward_number

from ..notes import NoteBook
from ..panes.linebar import Word
from .rollouttable import glyph

if TYPE_CHECKING:
    from .arrangement import Arrangement

BARS = "▁▂▃▄▅▆▇█"
_BUCKETS = 10
_STRIP = 40


def bars(values: Sequence[float]) -> str:
    """Draw numbers as bars; nothing is drawn for zero but the base line."""
    top = max(values, default=0)
    if top <= 0:
        return BARS[0] * len(values)
    return "".join(BARS[min(int(value / top * (len(BARS) - 1) + (0.999 if value else 0)), len(BARS) - 1)] for value in values)


def histogram(rewards: Sequence[float]) -> str:
    """Draw how rewards are spread from the least to the greatest, at least from 0 to 1."""
    if not rewards:
        return ""
    low, high = min(0.0, *rewards), max(1.0, *rewards)
    buckets = [0.0] * _BUCKETS
    for reward in rewards:
        buckets[min(int((reward - low) / (high - low) * _BUCKETS), _BUCKETS - 1)] += 1
    return bars(buckets)


def sparkline(values: Sequence[int], width: int = 20) -> str:
    """Draw numbers in their order, squeezed into `width` bars of their means."""
    if not values:
        return ""
    size = max(len(values) / width, 1)
    means: list[float] = []
    at = 0.0
    while round(at) < len(values):
        piece = values[round(at) : max(round(at + size), round(at) + 1)]
        means.append(sum(piece) / len(piece))
        at += size
    return bars(means)


def graded_rewards(rows: Sequence[RolloutSummary]) -> list[float]:
    """Return rewards that measure something: graded ones only."""
    return [row.reward for row in rows if row.state == "graded" and row.reward is not None]


def _passes(rows: Sequence[RolloutSummary]) -> str:
    rewards = graded_rewards(rows)
    if not rewards:
        return "none graded"
    passed = sum(reward >= 1 for reward in rewards)
    rest = len(rows) - len(rewards)
    return f"{passed} of {len(rewards)} pass" + (f" ({rest} not counted)" if rest else "")


def list_words(rows: Sequence[RolloutSummary], arrangement: Arrangement) -> list[Word]:
    """Return the line above the table."""
    words: list[Word] = []
    rewards = graded_rewards(rows)
    if rewards:
        words.append(Word(f"reward {histogram(rewards)} mean {sum(rewards) / len(rewards):.3g} of {len(rewards):,} graded"))
    states: dict[str, int] = {}
    for row in rows:
        if row.state not in {"graded", "not_graded"}:
            states[row.state] = states.get(row.state, 0) + 1
    words += [Word(f"{number:,} {state}", "bar--problem") for state, number in sorted(states.items())]
    tokens = [row.usage.output for row in rows if row.usage.output is not None]
    if tokens:
        words.append(Word(f"tokens out {sparkline(tokens)} median {count(int(median(tokens)))}"))
    if arrangement.sorted_by is not None:
        key, reverse = arrangement.sorted_by
        words.append(Word(f"sort: {key} {'↓' if reverse else '↑'}", "bar--muted"))
    if arrangement.grouped:
        words.append(Word("group: task", "bar--muted"))
    return words


def strip(rows: Sequence[RolloutSummary]) -> str:
    """Return the outcome glyphs of a group."""
    shown = "".join(glyph(row) for row in rows[:_STRIP])
    return shown + (f" +{len(rows) - _STRIP}" if len(rows) > _STRIP else "")


def group_title(name: str, rows: Sequence[RolloutSummary]) -> str:
    """Return a task's line."""
    name = name if len(name) <= 60 else name[:59] + "…"
    return f"task {name}  {strip(rows)}  {_passes(rows)}"


def group_words(
    summary: RolloutSummary | None,
    group: Sequence[RolloutSummary],
    rows: Sequence[RolloutSummary],
    notebook: NoteBook,
) -> list[Word]:
    """Return the line below the table: the group that the cursor is in, and the note of the rollout under it."""
    words: list[Word] = []
    if summary is not None:
        note = notebook.seen().get((str(Path(summary.source.path).absolute()), summary.id))
        if note is not None:
            words.append(Word(f"note {note.label}: {note.remark}" if note.label else f"note {note.remark}", "bar--good", True))
        task = summary.task.task_index
        group = [row for row in rows if row.task.task_index == task] if task is not None else []
    if len(group) > 1:
        task = group[0].task.task_index
        words += [Word(f"task {task}" if task is not None else "group", "bar--strong"), Word(strip(group)), Word(_passes(group))]
        answers = [row.answer_chars for row in group if row.answer_chars is not None and row.answer_stands]
        if answers:
            words.append(Word(f"median answer {count(int(median(answers)))} chars"))
        rewards = graded_rewards(group)
        if len(set(rewards)) > 1:
            words.append(Word(f"reward {reward_number(min(rewards))} to {reward_number(max(rewards))}"))
    elif summary is not None:
        words.append(Word(f"{summary.source.format}  {summary.source.path}", "bar--muted", True))
        prompt = (summary.task.prompt or "").strip().split("\n", 1)[0]
        if prompt:
            words.insert(0, Word(prompt[:300], "bar--normal", True))
    return words
