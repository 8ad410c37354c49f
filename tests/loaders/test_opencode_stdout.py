"""The stream of `opencode run --format=json`, built from formats 1.7 and the recorded event order of 1.6."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.paths import RECORDINGS

from rollout_loaders.collection import open_paths
from rollout_loaders.reader import ReadOptions

from .wider_files import Data, codes, lost_texts, one, read, write_lines

SESSION = "ses_dd307a1c8ffeb3CkXuKXCc2V47"


class Stream:
    """Writes events as OpenCode prints them: `{type, timestamp, sessionID, part}`."""

    def __init__(self, session: str = SESSION) -> None:
        self.session = session
        self.lines: list[Data | str] = []
        self._parts = 0

    def event(self, kind: str, message: str | None, part: Data | None = None, **more: Any) -> None:
        """One line; the part gets the next id."""
        line: Data = {"type": kind, "timestamp": 1796051048000 + len(self.lines), "sessionID": self.session}
        if part is not None:
            self._parts += 1
            line["part"] = {
                "id": f"prt_{self._parts:04d}",
                "sessionID": self.session,
                "messageID": message,
                **part,
            }
        self.lines.append({**line, **more})

    def reply(self, message: str, text: str | None, finish: str | None = "stop", tools: tuple[str, ...] = ()) -> None:
        """One step: start, text, tools, finish."""
        self.event("step_start", message, {"type": "step-start"})
        if text is not None:
            self.event("text", message, {"type": "text", "text": text, "time": {"start": 1, "end": 2}})
        for call in tools:
            state = {"status": "completed", "input": {"command": f"echo {call}"}, "output": f"out of {call}"}
            self.event("tool_use", message, {"type": "tool", "tool": "bash", "callID": call, "state": state})
        if finish is not None:
            tokens = {"total": 120, "input": 100, "output": 20, "reasoning": 0, "cache": {"read": 0, "write": 0}}
            self.event("step_finish", message, {"type": "step-finish", "reason": finish, "tokens": tokens, "cost": 0})

    def prompt(self, message: str, text: str) -> None:
        """A continue prompt, printed as a `text` event (formats 1.7, 07a)."""
        self.event("text", message, {"type": "text", "text": text, "synthetic": True, "time": {"start": 3, "end": 3}})

    def error(self, name: str, message: str) -> None:
        """An `error` event."""
        self.event("error", None, error={"name": name, "data": {"message": message}})

    def write(self, path: Path, end: str = "\n") -> Path:
        """The file."""
        return write_lines(path, self.lines, end)


def test_steps_are_turns_and_the_last_reply_answers(tmp_path: Path) -> None:
    stream = Stream()
    stream.reply("msg_1", "Looking.", "tool-calls", ("call_a", "call_b"))
    stream.reply("msg_2", "The answer is 4.")
    rollout = one(stream.write(tmp_path / "out.jsonl"))
    assert rollout.source.format == "opencode-stdout"
    assert (rollout.id, rollout.harness.name) == (SESSION, "opencode")
    assert [turn.answer_text for turn in rollout.invocations[0].turns] == ["Looking.", "The answer is 4."]
    assert [call.output for call in rollout.invocations[0].turns[0].tool_calls] == ["out of call_a", "out of call_b"]
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("The answer is 4.", True)
    assert (rollout.outcome.status, rollout.scored.reading) == ("completed", "host-response")
    assert (rollout.usage.input, rollout.usage.output) == (200, 40)
    assert rollout.route.gym_reasoning is False
    assert not lost_texts(rollout, [line for line in stream.lines if isinstance(line, dict)])


def test_it_says_that_it_has_no_roles(tmp_path: Path) -> None:
    stream = Stream()
    stream.reply("msg_1", "4")
    rollout = one(stream.write(tmp_path / "out.jsonl"))
    assert codes(rollout) == ["no-roles"]
    assert "cannot be told from an answer" in rollout.diagnostics[0].message


def test_a_continue_prompt_is_no_answer_and_a_summary_cannot_be_told_from_one(tmp_path: Path) -> None:
    stream = Stream()
    stream.reply("msg_1", "step one", "tool-calls", ("call_a",))
    stream.reply("msg_2", "## Goal\nanswer 2+2")
    stream.prompt("msg_3", "Continue if you have next steps")
    stream.reply("msg_4", None, None)
    rollout = one(stream.write(tmp_path / "out.jsonl"))
    turns = rollout.invocations[0].turns
    assert [turn.message_id for turn in turns] == ["msg_1", "msg_2", "msg_4"]
    assert [(m.text, m.synthetic) for m in turns[2].input] == [("Continue if you have next steps", True)]
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("", False)


def test_an_error_at_the_end_fails_the_run_and_one_in_between_does_not(tmp_path: Path) -> None:
    failed = Stream()
    failed.reply("msg_1", "Looking.", "tool-calls", ("call_a",))
    failed.error("APIError", "Bad Request")
    rollout = one(failed.write(tmp_path / "failed.jsonl"))
    assert (rollout.outcome.status, rollout.outcome.rule) == ("failed", "last-message-error")
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("Looking.", False)
    recovered = Stream()
    recovered.reply("msg_1", "step one", None)
    recovered.error("ContextOverflowError", "too long")
    recovered.reply("msg_2", "The answer is 4.")
    rollout = one(recovered.write(tmp_path / "recovered.jsonl"))
    assert (rollout.outcome.status, rollout.final_answer.stands) == ("completed", True)
    assert any("ContextOverflowError" in note.text for note in rollout.notes)


def test_a_torn_last_line_is_said_and_its_text_kept(tmp_path: Path) -> None:
    stream = Stream()
    stream.reply("msg_1", "Looking.", "tool-calls")
    torn = '{"type":"text","timestamp":1,"sessionID":"s","part":{"text":"half a sen'
    stream.lines.append(torn)
    rollout = one(stream.write(tmp_path / "out.jsonl", end=""))
    assert "torn-line" in codes(rollout)
    assert any(part.data.get("text") == torn for part in rollout.invocations[0].parts)


def test_kilo_prints_a_part_twice_and_it_is_read_once(tmp_path: Path) -> None:
    stream = Stream()
    stream.reply("msg_1", "4")
    twice = [line for line in stream.lines for _ in range(2)]
    rollout = one(write_lines(tmp_path / "out.jsonl", twice))
    assert [turn.answer_text for turn in rollout.invocations[0].turns] == ["4"]
    assert rollout.usage.output == 20


def test_the_gate_can_be_forced(tmp_path: Path) -> None:
    stream = Stream()
    stream.reply("msg_1", "<think>two and two</think>4")
    path = stream.write(tmp_path / "out.jsonl")
    assert one(path).final_answer.text == "<think>two and two</think>4"
    assert read(path, ReadOptions(gym_reasoning=True))[0].final_answer.text == "4"


def test_beside_an_export_the_export_is_read_and_nothing_disagrees(tmp_path: Path) -> None:
    stream = Stream()
    stream.reply("msg_1", "## a summary")
    stream.prompt("msg_2", "Continue")
    stream.reply("msg_3", "4")
    stream.write(tmp_path / "stdout.jsonl")
    reply = {"role": "assistant", "sessionID": SESSION, "finish": "stop", "providerID": "openai"}
    export: Data = {
        "info": {"id": SESSION, "projectID": "global"},
        "messages": [
            {
                "info": {"id": f"msg_{n}", "time": {"created": n, "completed": n}, **reply, **more},
                "parts": [{"id": f"prt_{n}", "messageID": f"msg_{n}", "sessionID": SESSION, "type": "text", "text": t}],
            }
            for n, t, more in ((1, "## a summary", {"summary": True}), (3, "4", {}))
        ],
    }
    (tmp_path / "export.json").write_text(json.dumps(export), encoding="utf-8")
    rollout = one(tmp_path)
    assert rollout.source.format == "opencode-export"
    assert any(name.endswith("stdout.jsonl") for name in rollout.source.artifacts)
    assert not [found for found in rollout.findings if found.code == "records-disagree"]
    assert "no-roles" not in codes(rollout)


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings lie outside the repository")
def test_recorded_streams_agree_with_the_database_on_how_the_run_ended() -> None:
    compared = 0
    for stream in sorted(RECORDINGS.glob("opencode-1.18.33/*/stdout.jsonl")):
        stored = {rollout.id: rollout for rollout in open_paths([str(stream.parent)]).rollouts()}
        for rollout in open_paths([str(stream)]).rollouts():
            if stream.parent.glob("run2.*") and len(list(stream.parent.glob("*stdout.jsonl"))) > 1:
                continue
            database = stored[rollout.id]
            assert database.outcome.status == rollout.outcome.status, stream
            assert database.final_answer.stands == rollout.final_answer.stands, stream
            compared += 1
    assert compared > 20
