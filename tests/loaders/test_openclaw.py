"""OpenClaw sessions: Pi's session tree with OpenClaw's own entries (its session management reference)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .wider_files import Data, lost_texts, one, read, write_lines

SESSION = "5aa69cdb-42d7-48df-9377-3887a4cff539"
CHILD = "6bb69cdb-42d7-48df-9377-3887a4cff540"


class Session:
    """Writes entries with `id` and `parentId`."""

    def __init__(self, ident: str = SESSION, cwd: str = "/home/demo/.openclaw/workspace") -> None:
        self.lines: list[Data] = [
            {"type": "session", "version": 3, "id": ident, "timestamp": "2026-02-25T05:18:55.852Z", "cwd": cwd}
        ]
        self._last: str | None = None

    def entry(self, kind: str, **more: Any) -> str:
        """One entry below the one before."""
        ident = f"{len(self.lines):08x}"
        line = {"type": kind, "id": ident, "parentId": self._last, "timestamp": "2026-02-25T05:18:56.000Z", **more}
        self.lines.append(line)
        self._last = ident
        return ident

    def message(self, role: str, *blocks: Data, **more: Any) -> str:
        """A message entry."""
        return self.entry(
            "message", message={"role": role, "content": list(blocks), "timestamp": 1771996735857, **more}
        )

    def reply(self, *blocks: Data, stop: str = "stop", **more: Any) -> str:
        """An assistant message with usage."""
        usage = {"input": 100, "output": 20, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 120}
        return self.message(
            "assistant", *blocks, stopReason=stop, model="m2.5", provider="opencode", usage=usage, **more
        )


def text(words: str) -> Data:
    return {"type": "text", "text": words}


def call(ident: str, name: str = "exec", **arguments: Any) -> Data:
    return {"type": "toolCall", "id": ident, "name": name, "arguments": arguments}


def plain() -> Session:
    session = Session()
    session.entry("model_change", provider="opencode", modelId="m2.5")
    session.entry("custom", customType="model-snapshot", data={"provider": "opencode", "modelId": "m2.5"})
    session.message("user", text("What is 2+2?"))
    session.reply(
        text("Let me see."), call("call_1", command="echo 4"), stop="toolUse", reasoning_content="I will run it."
    )
    session.message(
        "toolResult", text("it is 4"), toolCallId="call_1", toolName="exec", isError=False,
        details={"durationMs": 1234, "status": "completed"},
    )  # fmt: skip
    session.reply({"type": "reasoning", "text": "That was easy."}, text("The answer is 4."))
    return session


def test_a_session_is_openclaws_and_no_pi_run(tmp_path: Path) -> None:
    session = plain()
    rollout = one(write_lines(tmp_path / f"{SESSION}.jsonl", session.lines))
    assert (rollout.source.format, rollout.id, rollout.harness.name) == ("openclaw", SESSION, "openclaw")
    assert (rollout.outcome.status, rollout.outcome.rule) == ("unknown", "no-end-recorded")
    assert [(r.reading, r.status) for r in rollout.outcome.readings] == [("events", "completed")]
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("The answer is 4.", True)
    assert rollout.task.prompt == "What is 2+2?"
    assert not lost_texts(rollout, session.lines)


def test_reasoning_of_keys_and_blocks_is_reasoning(tmp_path: Path) -> None:
    rollout = one(write_lines(tmp_path / f"{SESSION}.jsonl", plain().lines))
    first, second = rollout.invocations[0].turns
    assert (first.reasoning_text, second.reasoning_text) == ("I will run it.", "That was easy.")
    assert first.order[0] == first.reasoning[0].id
    kinds = [item.type for item in rollout.invocations[0].items]
    assert kinds == ["message", "reasoning", "message", "function_call", "function_call_output", "reasoning", "message"]
    assert rollout.scored.final_text == "The answer is 4."
    assert rollout.scored.final_index == len(rollout.scored.items) - 1


def test_a_tools_time_is_that_of_its_details(tmp_path: Path) -> None:
    rollout = one(write_lines(tmp_path / f"{SESSION}.jsonl", plain().lines))
    (made,) = rollout.invocations[0].turns[0].tool_calls
    assert (made.output, made.status, made.duration_ms) == ("it is 4", "completed", 1234)


def test_a_compaction_with_its_counts(tmp_path: Path) -> None:
    session = plain()
    kept = session.message("user", text("And 3+3?"))
    session.entry(
        "compaction",
        summary="2+2 was asked",
        firstKeptEntryId=kept,
        tokensBefore=90000,
        tokensAfter=4000,
        reason="overflow",
    )
    session.reply(text("6"))
    rollout = one(write_lines(tmp_path / f"{SESSION}.jsonl", session.lines))
    (compaction,) = rollout.invocations[0].compactions
    assert (compaction.tokens_before, compaction.tokens_after, compaction.trigger) == (90000, 4000, "overflow")
    assert [turn.in_context_at_end for turn in rollout.invocations[0].turns] == [False, False, True]


def test_a_prompt_that_failed_at_the_end(tmp_path: Path) -> None:
    session = plain()
    session.message("user", text("And 3+3?"))
    session.entry("custom", customType="openclaw:prompt-error", data={"error": "aborted", "provider": "opencode"})
    rollout = one(write_lines(tmp_path / f"{SESSION}.jsonl", session.lines))
    assert (rollout.outcome.status, rollout.outcome.error) == ("failed", "aborted")
    session.reply(text("6"))
    rollout = one(write_lines(tmp_path / f"{SESSION}.jsonl", session.lines))
    assert rollout.outcome.status == "unknown"


def test_a_spawned_session_is_an_invocation_of_its_parent(tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "main" / "sessions"
    write_lines(folder / f"{SESSION}.jsonl", plain().lines)
    child = Session(CHILD)
    child.message("user", text("Find the number"))
    child.reply(text("It is four."))
    write_lines(folder / f"{CHILD}.jsonl", child.lines)
    index = {
        "agent:main:main": {"sessionId": SESSION, "updatedAt": 1},
        "agent:main:subagent:x": {"sessionId": CHILD, "spawnedBy": "agent:main:main"},
    }
    (folder / "sessions.json").write_text(json.dumps(index), encoding="utf-8")
    rollout = one(tmp_path)
    assert [(i.id, i.parent_id) for i in rollout.invocations] == [(SESSION, None), (CHILD, SESSION)]
    assert [turn.answer_text for turn in rollout.invocations[1].turns] == ["It is four."]
    assert rollout.final_answer.text == "The answer is 4."
    assert str(folder / f"{CHILD}.jsonl") in rollout.source.artifacts
    (alone,) = read(folder / f"{CHILD}.jsonl")
    assert alone.id == CHILD


@pytest.mark.parametrize("index", ["[]", "{", '{"a": {"sessionId": "../../x", "spawnedBy": "a"}}'])
def test_a_hostile_index_costs_nothing(tmp_path: Path, index: str) -> None:
    (tmp_path / "sessions.json").write_text(index, encoding="utf-8")
    rollout = one(write_lines(tmp_path / f"{SESSION}.jsonl", plain().lines))
    assert rollout.final_answer.text == "The answer is 4."


def test_a_session_without_a_mark_of_openclaw_stays_pis(tmp_path: Path) -> None:
    session = Session(cwd="/srv/pi/demo")
    session.message("user", text("2+2?"))
    session.reply(text("4"))
    rollout = one(write_lines(tmp_path / f"2026_{SESSION}.jsonl", session.lines))
    assert (rollout.source.format, rollout.outcome.status) == ("pi-session", "completed")
