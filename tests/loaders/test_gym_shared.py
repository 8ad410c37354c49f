"""Real Gym files, where they lie beside the repository: every row one rollout, its final text computed here again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.paths import GYM_ROLLOUTS, RECORDINGS

from rollout_loaders.evidence import complete
from rollout_loaders.formats import gym_rollouts
from rollout_loaders.formats.gym_capture import read_requests
from rollout_loaders.reader import Confidence, ReadOptions
from rollout_loaders.summary import summarise

FILES = sorted(GYM_ROLLOUTS.rglob("*.jsonl"))
REQUESTS = sorted(RECORDINGS.rglob("requests.jsonl"))


def final_text(row: dict[str, Any]) -> str | None:
    """CONTRACT 3: text blocks of the last assistant message, joined by newline; None without such a message."""
    output = row["response"]["output"]
    if output and all(isinstance(member, list) for member in output):
        output = output[-1]
    messages = [each for each in output if each.get("type") == "message" and each["role"] == "assistant"]
    if not messages:
        return None
    content = messages[-1]["content"]
    return content if isinstance(content, str) else "\n".join(b["text"] for b in content if b["type"] == "output_text")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(GYM_ROLLOUTS)))
def test_every_row_is_one_rollout_and_every_other_line_is_said(path: Path) -> None:
    with path.open("rb") as file:
        confidence = gym_rollouts.READER.sniff(path, file.read(65536))
    expected: dict[str, str | None] = {}
    others: list[str] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        row: Any
        try:
            row = json.loads(line) if line.strip() else None
        except ValueError:
            others.append(f"L{number}")
            continue
        if isinstance(row, dict) and "response" in row:
            expected[f"L{number}"] = final_text(cast(dict[str, Any], row))
        elif row is not None:
            others.append(f"L{number}")
    opened = gym_rollouts.READER.open(path, str(path), ReadOptions())
    rollouts = list(opened.rollouts())
    assert {rollout.source.locator: rollout.scored.final_text for rollout in rollouts} == expected
    assert [diagnostic.locator for diagnostic in opened.diagnostics()] == others
    assert (confidence is Confidence.CERTAIN) == bool(expected)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(GYM_ROLLOUTS)))
def test_the_fast_listing_equals_the_full_reading(path: Path) -> None:
    def opened() -> Any:
        return gym_rollouts.READER.open(path, str(path), ReadOptions())

    full = [replace(summarise(complete(rollout)), findings=None) for rollout in opened().rollouts()]
    assert list(opened().summaries()) == full


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}")
def test_captured_requests_of_the_recordings(path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text().split("\n") if line]
    calls = read_requests(path)
    assert [call.response_id for call in calls] == [line["response_id"] for line in lines]
    for call, line in zip(calls, lines, strict=True):
        assert call.request_messages is not None
        assert [m.role for m in call.request_messages] == [m["role"] for m in line["body"]["messages"]]
        assert all(m.text is not None for m in call.request_messages if not m.tool_calls)
        assert call.tools_sent is ("tools" in line["body"])
