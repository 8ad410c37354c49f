"""Claude Code's transcripts and its stream-json, as the Agent SDK's message types and transcripts have them.

An API message comes in several lines with one `message.id`, one content block each; results are user lines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .wider_files import Data, codes, lost_texts, one, read, write_lines

SESSION = "95e6f011-ec33-4b37-91ad-5d242b40ae3d"
USAGE: Data = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 100,
    "cache_read_input_tokens": 1000,
    "output_tokens": 20,
}


class Transcript:
    """Writes lines with `uuid` and `parentUuid`, each below the line before it unless told otherwise."""

    def __init__(self, session: str = SESSION, agent: str | None = None) -> None:
        self.session, self.agent = session, agent
        self.lines: list[Data] = []
        self.last: str | None = None

    def line(self, kind: str, message: Data | None = None, *, parent: str | None = "", **more: Any) -> str:
        """One line; returns its uuid."""
        uuid = f"{self.agent or 'u'}-{len(self.lines) + 1}"
        line: Data = {
            "parentUuid": self.last if parent == "" else parent,
            "isSidechain": self.agent is not None,
            "sessionId": self.session,
            "version": "2.0.74",
            "type": kind,
            "uuid": uuid,
            "timestamp": f"2026-01-20T11:57:{len(self.lines):02d}.000Z",
            **({"agentId": self.agent} if self.agent else {}),
            **({"message": message} if message is not None else {}),
            **more,
        }
        self.lines.append(line)
        self.last = uuid
        return uuid

    def user(self, content: Any, **more: Any) -> str:
        """A user line."""
        return self.line("user", {"role": "user", "content": content}, **more)

    def reply(self, message_id: str, *blocks: Data, stop: str | None = None, **more: Any) -> str:
        """One line of an API message."""
        message = {
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-5",
            "content": list(blocks),
            "stop_reason": stop,
            "usage": USAGE,
        }
        return self.line("assistant", message, **more)

    def result(self, call_id: str, content: Any, is_error: bool | None = None, **more: Any) -> str:
        """A tool result."""
        block: Data = {"type": "tool_result", "tool_use_id": call_id, "content": content}
        if is_error is not None:
            block["is_error"] = is_error
        return self.user([block], **more)


def text(words: str) -> Data:
    return {"type": "text", "text": words}


def thinking(words: str) -> Data:
    return {"type": "thinking", "thinking": words, "signature": "sig"}


def tool_use(call_id: str, name: str = "Bash", **given: Any) -> Data:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def plain() -> Transcript:
    session = Transcript()
    session.user("What is 2+2?")
    session.reply("msg_1", thinking("I should run it."))
    session.reply("msg_1", text("Let me run it."))
    session.reply("msg_1", tool_use("toolu_1", command="echo 4"), stop="tool_use")
    session.result("toolu_1", "the output is 4", toolUseResult={"stdout": "the output is 4", "interrupted": False})
    session.reply("msg_2", text("The answer is 4."), stop="end_turn")
    return session


def test_blocks_of_one_api_message_are_one_turn(tmp_path: Path) -> None:
    session = plain()
    rollout = one(write_lines(tmp_path / f"{SESSION}.jsonl", session.lines))
    assert (rollout.source.format, rollout.id) == ("claude-code", SESSION)
    assert (rollout.harness.name, rollout.harness.version, rollout.harness.model) == (
        "claude-code", "2.0.74", "claude-opus-4-5",
    )  # fmt: skip
    first, second = rollout.invocations[0].turns
    assert (first.reasoning_text, first.answer_text, first.finish) == ("I should run it.", "Let me run it.", "tool_use")
    (call,) = first.tool_calls
    assert (call.name, call.arguments, call.output, call.status) == (
        "Bash", {"command": "echo 4"}, "the output is 4", "completed",
    )  # fmt: skip
    assert (second.answer_text, second.finish) == ("The answer is 4.", "end_turn")
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("The answer is 4.", True)
    assert rollout.task.prompt == "What is 2+2?"
    assert not lost_texts(rollout, session.lines)


def test_tokens_are_counted_once_a_message_with_cache_in_input(tmp_path: Path) -> None:
    rollout = one(write_lines(tmp_path / "s.jsonl", plain().lines))
    assert rollout.invocations[0].turns[0].usage["input"] == 1110
    assert (rollout.usage.input, rollout.usage.output, rollout.usage.cached) == (2220, 40, 2000)
    assert (rollout.usage.reasoning, rollout.usage.cost) == (None, None)


def test_a_transcript_records_no_end(tmp_path: Path) -> None:
    rollout = one(write_lines(tmp_path / "s.jsonl", plain().lines))
    assert (rollout.outcome.status, rollout.outcome.rule) == ("unknown", "no-end-recorded")
    assert [(r.reading, r.status) for r in rollout.outcome.readings] == [("events", "completed")]
    assert rollout.grading.state == "not_graded"


def test_a_last_reply_without_text_promotes_nothing(tmp_path: Path) -> None:
    session = Transcript()
    session.user("2+2?")
    session.reply("msg_1", text("4"), stop="end_turn")
    session.user("Sure?")
    session.reply("msg_2", thinking("Yes, sure."), stop="end_turn")
    rollout = one(write_lines(tmp_path / "s.jsonl", session.lines))
    assert rollout.final_answer.text == ""
    assert rollout.scored.final_text == "4"


def test_a_think_block_in_text_is_literal(tmp_path: Path) -> None:
    session = Transcript()
    session.reply("msg_1", text("<think>so</think>4"), stop="end_turn")
    rollout = one(write_lines(tmp_path / "s.jsonl", session.lines))
    assert rollout.final_answer.text == "<think>so</think>4"


def test_results_of_parallel_calls_off_the_path_are_no_branch(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Run both")
    first = session.reply("msg_1", tool_use("toolu_a", command="a"))
    second = session.reply("msg_1", tool_use("toolu_b", command="b"), stop="tool_use")
    session.result("toolu_a", "out of a", parent=first)
    session.result("toolu_b", "out of b", is_error=True, parent=second)
    session.reply("msg_2", text("Done."), stop="end_turn")
    rollout = one(write_lines(tmp_path / "s.jsonl", session.lines))
    root = rollout.invocations[0]
    assert root.branches == ()
    assert [(c.output, c.status) for c in root.turns[0].tool_calls] == [
        ("out of a", "completed"), ("out of b", "failed"),
    ]  # fmt: skip


def test_a_rewind_leaves_a_branch_that_is_in_no_total(tmp_path: Path) -> None:
    session = Transcript()
    start = session.user("2+2?")
    answered = session.reply("msg_1", text("4"), stop="end_turn")
    session.user("Now in French", parent=answered)
    session.reply("msg_2", text("quatre"), stop="end_turn")
    session.user("Now in German", parent=answered)
    session.reply("msg_3", text("vier"), stop="end_turn")
    assert start
    rollout = one(write_lines(tmp_path / "s.jsonl", session.lines))
    root = rollout.invocations[0]
    assert [turn.answer_text for turn in root.turns] == ["4", "vier"]
    (branch,) = root.branches
    assert (branch.forked_at, [turn.answer_text for turn in branch.turns]) == (answered, ["quatre"])
    assert rollout.usage.output == 40
    assert not lost_texts(rollout, session.lines)


def test_an_inline_sidechain_is_an_invocation(tmp_path: Path) -> None:
    session = Transcript()
    session.user("Ask a helper")
    task = tool_use("toolu_t", "Task", prompt="Find the number", description="finder")
    parent = session.reply("msg_1", task, stop="tool_use")
    side = session.user("Find the number", parent=None)
    session.lines[-1]["isSidechain"] = True
    session.reply("msg_s", text("It is 4."), stop="end_turn", parent=side)
    session.lines[-1]["isSidechain"] = True
    session.result("toolu_t", "helper: It is 4.", parent=parent)
    session.reply("msg_2", text("4"), stop="end_turn")
    rollout = one(write_lines(tmp_path / "s.jsonl", session.lines))
    root, child = rollout.invocations
    assert [turn.answer_text for turn in root.turns] == ["", "4"]
    assert [turn.answer_text for turn in child.turns] == ["It is 4."]
    assert (child.parent_id, child.spawned_by, child.title) == (SESSION, "toolu_t", "finder")
    assert root.turns[0].tool_calls[0].child == child.id
    assert rollout.final_answer.text == "4"


@pytest.mark.parametrize("place", ["", f"{SESSION}/subagents"])
def test_a_subagent_file_beside_the_session_is_read_with_it(tmp_path: Path, place: str) -> None:
    session = Transcript()
    session.user("Ask a helper")
    session.reply("msg_1", tool_use("toolu_t", "Agent", prompt="Find it"), stop="tool_use")
    detail = {"agentId": "a1b2c3d4", "status": "completed", "totalDurationMs": 1500}
    session.result("toolu_t", [text("It is 4.")], toolUseResult=detail)
    session.reply("msg_2", text("4"), stop="end_turn")
    helper = Transcript(agent="a1b2c3d4")
    helper.user("Find it")
    helper.reply("msg_h", text("It is four."), stop="end_turn")
    write_lines(tmp_path / f"{SESSION}.jsonl", session.lines)
    beside = write_lines(tmp_path / place / "agent-a1b2c3d4.jsonl", helper.lines)
    rollout = one(tmp_path)
    root, child = rollout.invocations
    assert (child.id, child.spawned_by) == ("a1b2c3d4", "toolu_t")
    assert (root.turns[0].tool_calls[0].child, root.turns[0].tool_calls[0].duration_ms) == ("a1b2c3d4", 1500)
    assert str(beside) in rollout.source.artifacts
    assert rollout.usage.output == 60
    (alone,) = read(beside)
    assert alone.source.path == str(beside)


def test_a_compaction_with_its_summary(tmp_path: Path) -> None:
    session = Transcript()
    session.user("2+2?")
    session.reply("msg_1", text("4"), stop="end_turn")
    meta = {"trigger": "auto", "preTokens": 155025, "postTokens": 8000}
    session.line(
        "system", parent=None, subtype="compact_boundary", content="Conversation compacted", compactMetadata=meta
    )
    session.user("This session is being continued: 2+2 was asked.", isCompactSummary=True)
    session.reply("msg_2", text("Still 4."), stop="end_turn")
    rollout = one(write_lines(tmp_path / "s.jsonl", session.lines))
    root = rollout.invocations[0]
    (compaction,) = root.compactions
    assert (compaction.trigger, compaction.tokens_before, compaction.tokens_after) == ("auto", 155025, 8000)
    assert compaction.summary == "This session is being continued: 2+2 was asked."
    assert [turn.in_context_at_end for turn in root.turns] == [False, True]
    assert root.turns[1].input == ()
    assert root.branches == ()


def test_an_api_error_is_no_answer(tmp_path: Path) -> None:
    session = Transcript()
    session.user("2+2?")
    session.reply("err", text("API Error: 529 overloaded"), isApiErrorMessage=True)
    session.lines[-1]["message"]["model"] = "<synthetic>"
    rollout = one(write_lines(tmp_path / "s.jsonl", session.lines))
    (turn,) = rollout.invocations[0].turns
    assert turn.error is not None
    assert (turn.error.message, turn.error.status_code) == ("API Error: 529 overloaded", 529)
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("", False)


def test_an_interrupted_turn_and_a_call_without_result(tmp_path: Path) -> None:
    session = Transcript()
    session.user("2+2?")
    session.reply("msg_1", text("Let me"), tool_use("toolu_1", command="sleep 9"))
    session.user([text("[Request interrupted by user]")])
    rollout = one(write_lines(tmp_path / "s.jsonl", session.lines))
    (turn,) = rollout.invocations[0].turns
    assert turn.tool_calls[0].status == "incomplete"
    assert turn.unfinished == "the user interrupted the last turn"
    assert rollout.final_answer.stands is False


def stream(*events: Data) -> list[Data]:
    """`claude -p --output-format=stream-json`."""
    init = {"type": "system", "subtype": "init", "session_id": SESSION, "model": "claude-opus-4-5", "cwd": "/demo"}
    return [init, *events]


def event(kind: str, message: Data, parent: str | None = None) -> Data:
    return {"type": kind, "message": message, "parent_tool_use_id": parent, "session_id": SESSION}


def said(message_id: str, *blocks: Data) -> Data:
    return {"id": message_id, "role": "assistant", "model": "claude-opus-4-5", "content": list(blocks), "usage": USAGE}


def test_a_stream_with_a_subagent_and_its_result(tmp_path: Path) -> None:
    result = {
        "type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "result": "The answer is 4.",
        "session_id": SESSION, "total_cost_usd": 0.05, "duration_ms": 9000,
    }  # fmt: skip
    tool_result = {"type": "tool_result", "tool_use_id": "toolu_t", "content": "helper says 4"}
    lines = stream(
        event("assistant", said("msg_1", tool_use("toolu_t", "Task", prompt="Find it"))),
        event("assistant", said("msg_h", text("It is 4.")), "toolu_t"),
        event("user", {"role": "user", "content": [tool_result]}),
        event("assistant", said("msg_2", text("The answer is 4."))),
        result,
    )
    rollout = one(write_lines(tmp_path / "out.jsonl", lines))
    root, child = rollout.invocations
    assert (rollout.id, child.id, child.spawned_by) == (SESSION, "toolu_t", "toolu_t")
    assert root.turns[0].tool_calls[0].output == "helper says 4"
    assert rollout.final_answer.text == "The answer is 4."
    assert (rollout.outcome.status, rollout.outcome.rule) == ("completed", "recorded-end")
    assert rollout.usage.cost == 0.05
    assert not lost_texts(rollout, lines)


@pytest.mark.parametrize(
    ("subtype", "is_error", "status"),
    [
        ("success", True, "failed"),
        ("error_max_turns", True, "incomplete"),
        ("error_during_execution", True, "failed"),
        ("error_of_tomorrow", True, "unknown"),
    ],
)
def test_how_a_stream_ends(tmp_path: Path, subtype: str, is_error: bool, status: str) -> None:
    result = {"type": "result", "subtype": subtype, "is_error": is_error, "result": "API Error", "session_id": SESSION}
    lines = stream(event("assistant", said("msg_1", text("4"))), result)
    rollout = one(write_lines(tmp_path / "out.jsonl", lines))
    assert rollout.outcome.status == status
    assert rollout.outcome.recorded["result.subtype"] == subtype


def test_damage_and_a_torn_line_are_said_and_kept(tmp_path: Path) -> None:
    torn = '{"type":"assistant","message":{"content":[{"type":"text","text":"half a sen'
    lines: list[Data | str] = [*plain().lines, '{"type": "user", oh no}', torn]
    rollout = one(write_lines(tmp_path / "s.jsonl", lines, end=""))
    assert codes(rollout) == ["record-unreadable", "torn-line"]
    kept = [part.data["text"] for part in rollout.invocations[0].parts if part.type == "unreadable"]
    assert kept == ['{"type": "user", oh no}', torn]


def test_an_empty_uuid_is_none(tmp_path: Path) -> None:
    session = plain()
    session.lines[2]["uuid"] = ""
    rollout = one(write_lines(tmp_path / "s.jsonl", session.lines))
    assert rollout.final_answer.text == "The answer is 4."
    assert not lost_texts(rollout, session.lines)


@pytest.mark.parametrize("session", ["../outside", "a" * 300, "/etc", "", "."])
def test_a_session_id_is_never_a_path(tmp_path: Path, session: str) -> None:
    helper = Transcript(session, agent="a1b2c3d4")
    helper.user("Find it")
    helper.reply("msg_h", text("It is four."), stop="end_turn")
    write_lines(tmp_path / "outside" / "subagents" / "agent-a1b2c3d4.jsonl", helper.lines)
    main = Transcript(session)
    main.user("2+2?")
    main.reply("msg_1", text("4"), stop="end_turn")
    rollout = one(write_lines(tmp_path / "in" / "s.jsonl", main.lines))
    assert len(rollout.invocations) == 1
    assert rollout.source.artifacts == ()
