"""Samples made from Pi recordings."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from .recording import pi_lines, write_lines
from .sample import sample

PI = "pi-0.80.2"


@sample(
    "pi-literal-think",
    "Pi's think tags are literal text",
    "Nothing of Pi's is split: its think tags are text like any other.",
)
def literal_think(recordings: Path, folder: Path) -> dict[str, Any]:
    write_lines(folder / "stdout.jsonl", pi_lines(recordings / PI / "03a-think-answer" / "stdout.jsonl"))
    text = "<think>\nTwo and two make four.\n</think>\n\n4"
    return {
        "route": {"gym_reasoning": False},
        "final_answer": {"text": text, "stands": True},
        "scored": {"final_text": text},
        "outcome": {"status": "completed"},
    }


@sample(
    "pi-overflow-incomplete",
    "The retry after a compaction overflows again: incomplete, and graded",
    "A lone compaction_end is Pi's verdict, no failed compaction call.",
)
def overflow_incomplete(recordings: Path, folder: Path) -> dict[str, Any]:
    write_lines(folder / "events.jsonl", pi_lines(recordings / PI / "15b-outcome-overflow-again" / "events.jsonl"))
    return {
        "invocations": [{"turns": {"$len": 4}}],
        "final_answer": {"text": "", "turn": 4, "stands": False},
        "outcome": {"status": "incomplete", "graded": True, "failure_kind": None},
    }


@sample(
    "pi-compaction-failed",
    "The compaction call after an overflow fails: failed, cause unknown, retried by default",
    "A compaction call that fails after an overflow is a failure of its own, whatever its error was.",
)
def compaction_failed(recordings: Path, folder: Path) -> dict[str, Any]:
    write_lines(folder / "events.jsonl", pi_lines(recordings / PI / "15c-outcome-compaction-503" / "events.jsonl"))
    return {
        "final_answer": {"text": "", "stands": False},
        "outcome": {"status": "failed", "failure_kind": "unknown", "policy": {"action": "retry"}},
        "findings": {"$contains": [{"code": "compaction-failed"}]},
    }


@sample(
    "pi-overflow-without-outcome-lines",
    "An overflow in a log without outcome lines: what Gym saw, and what the events show",
    "The line never reached stdout in older adapters, so the flag counts as false.",
)
def overflow_without_lines(recordings: Path, folder: Path) -> dict[str, Any]:
    write_lines(folder / "stdout.jsonl", pi_lines(recordings / PI / "07d-overflow-again" / "stdout.jsonl"))
    return {
        "final_answer": {"text": "", "stands": False},
        "outcome": {
            "status": "failed",
            "failure_kind": "model_request_error",
            "policy": {"action": "verify"},
            "readings": {"$contains": [{"status": "incomplete"}]},
        },
    }


@sample(
    "pi-session-tree",
    "A session file with abandoned branches",
    "The leaf is the last line; abandoned branches are listed and in no total.",
)
def session_tree(recordings: Path, folder: Path) -> dict[str, Any]:
    (source,) = (recordings / PI / "14d-branching-tree" / "sessions").glob("*/*.jsonl")
    shutil.copy(source, folder / "session.jsonl")
    return {
        "source": {"format": "pi-session"},
        "invocations": [{"turns": {"$len": 2}, "branches": {"$len": 2}}],
        "final_answer": {"text": "summary branch 7", "turn": 2, "stands": True},
    }


@sample(
    "pi-killed",
    "Killed in the middle of an answer: the text comes from the deltas, and was never scored",
    "A message_start without its message_end is a partial turn.",
)
def killed(recordings: Path, folder: Path) -> dict[str, Any]:
    write_lines(folder / "events.jsonl", pi_lines(recordings / PI / "16b-timestamped-killed" / "events.jsonl"))
    return {
        "invocations": [{"turns": [{"partial": False}, {"partial": True}]}],
        "final_answer": {"text": "a long parti", "turn": 2, "stands": False},
        "scored": {"final_text": "Looking."},
        "outcome": {"status": "unknown"},
    }


@sample(
    "pi-hostile-text",
    "Escape sequences, bidi overrides and line separators in an answer",
    "Lines end at \\n only, and nothing in a text runs, hides or restyles.",
)
def hostile_text(recordings: Path, folder: Path) -> dict[str, Any]:
    lines = pi_lines(recordings / PI / "05c-unicode" / "stdout.jsonl")
    # The separators stand raw in the file, as Pi writes them: escaping them would take the trap away.
    import json

    with (folder / "stdout.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    return {
        "final_answer": {"text": {"$re": "\u2028"}, "stands": True},
        "findings": {"$contains": [{"code": "line-separator-in-line"}]},
    }
