"""What stands above and below the list: a histogram, a sparkline, the group of the rollout under the cursor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from rollout_inspector.notes import Note, seen_at
from rollout_inspector.panes.linebar import Word
from rollout_loaders.model import RolloutSummary
from rollout_views.formatting import count
from rollout_views.sparkline import histogram, meter, sparkline
from rollout_views.task_groups import TaskGroup, task_groups

_METER = 8
_SPARK = 20
_STRIP = 40


def reading_words(progress: tuple[str, float] | None, named: str) -> str:
    """How far reading is, as a bar where that is known; the file's name where `named`, what was opened, lacks it."""
    if progress is None:
        return "reading… (esc stops)"
    path, done = progress
    name = "" if Path(path).name in named else f"{Path(path).name} "
    return f"reading {name}{meter(done, _METER)} {int(done * 100)}% (esc stops)"


def list_words(rows: Sequence[RolloutSummary], sorted_by: tuple[str, bool] | None, grouped: bool) -> list[Word]:
    """Return the line above the table."""
    words: list[Word] = []
    rewards = [row.reward for row in rows if row.state == "graded" and row.reward is not None]
    if rewards:
        drawn = histogram(rewards, low=min(0.0, *rewards), high=max(1.0, *rewards))
        words.append(Word(f"reward {drawn} mean {sum(rewards) / len(rewards):.3g} of {len(rewards):,} graded"))
    states = Counter(row.state for row in rows if row.state in {"invalid", "masked", "unreadable"})
    words += [Word(f"{number:,} {state}", "bar--problem") for state, number in sorted(states.items())]
    tokens = [row.usage.output for row in rows]
    known = [number for number in tokens if number is not None]
    if known:
        words.append(Word(f"tokens out {sparkline(tokens, _SPARK)} median {count(int(median(known)))}"))
    if sorted_by is not None:
        words.append(Word(f"sort: {sorted_by[0]} {'↓' if sorted_by[1] else '↑'}", "bar--muted"))
    if grouped:
        words.append(Word("group: task", "bar--muted"))
    return words


def name_of(summary: RolloutSummary) -> tuple[str, str]:
    """Return what notes are looked up by while the content has not been read."""
    return seen_at(summary.source.path), summary.id


def detail_words(summary: RolloutSummary | None, group: TaskGroup | None, note: Note | None) -> list[Word]:
    """Return the line below the table: the note, the group and the prompt of the rollout under the cursor."""
    words: list[Word] = []
    if note is not None:
        words.append(Word("note " + f"{note.label}: {note.remark}".strip(": "), "bar--good", True))
    if group is not None and len(group.rows) > 1:
        strip = group.strip if len(group.strip) <= _STRIP else group.strip[:_STRIP] + "…"
        words += [Word(f"task {group.name}", "bar--strong"), Word(strip), Word(group.words)]
        answers = [row.answer_chars for row in group.rows if row.answer_chars is not None and row.answer_stands]
        if answers:
            words.append(Word(f"median answer {count(int(median(answers)))}"))
    elif summary is not None:
        prompt = " ".join((summary.task.prompt or "")[:400].split())
        if prompt:
            words.append(Word(prompt, "bar--normal", True))
        words.append(Word(summary.source.format, "bar--muted"))
    return words


def groups_of(rows: Sequence[RolloutSummary]) -> list[TaskGroup]:
    """Return the groups of each file: task 3 of one file need not be task 3 of another."""
    files: dict[str, list[RolloutSummary]] = {}
    for row in rows:
        files.setdefault(row.source.path, []).append(row)
    return [group for members in files.values() for group in task_groups(members)]
