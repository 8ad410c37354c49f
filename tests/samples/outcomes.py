"""A fixture for every row of the outcome tables (gym-semantics 4.4, 5.4, 6): each fails when its row is taken away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from .gym_rows import failure_newer, failure_older, message, response, row
from .opencode import NEW
from .pi import PI
from .recording import Tables, data_of, export, pi_lines, set_data, write_database, write_json, write_lines
from .sample import sample

Lines = list[Any]


def result(return_code: int | None = 0, *, timed_out: bool = False, error: str | None = None) -> dict[str, Any]:
    """gym-semantics 4.1, 5.1: `result.json` of a session folder."""
    return {
        "return_code": return_code,
        "timed_out": timed_out,
        "cleanup_confirmed": True,
        "error": error,
        "hostname": "sandbox",
        "pid": 7,
    }


def _event(line: Any) -> dict[str, Any]:
    event: dict[str, Any] = line[1]
    return event


def _is_assistant(line: Any) -> bool:
    return bool(_event(line).get("message", {}).get("role") == "assistant")


def _without_replies(lines: Lines) -> Lines:
    return lines[: next(k for k, line in enumerate(lines) if _is_assistant(line))]


def _without_the_last_reply(lines: Lines) -> Lines:
    """Up to the result of the last tool call, then the end of the run: the last reply is toolUse."""
    starts = [k for k, line in enumerate(lines) if _event(line)["type"] == "message_start" and _is_assistant(line)]
    end = next(line for line in reversed(lines) if _event(line)["type"] == "agent_end")
    return [*lines[: starts[-1]], end]


def _pi(name: str, title: str, why: str, recording: str, expect: dict[str, Any], ended: dict[str, Any] | None,
        edit: Callable[[Lines], Lines] | None = None, *changes: str) -> None:  # fmt: skip
    @sample(f"outcome/{name}", title, why, *changes)
    def make(recordings: Path, folder: Path) -> dict[str, Any]:
        source = recordings / PI / recording
        path = source / ("events.jsonl" if (source / "events.jsonl").exists() else "stdout.jsonl")
        lines = pi_lines(path)
        stamped: Lines = [line if isinstance(line, list) else [float(k), line] for k, line in enumerate(lines)]
        write_lines(folder / "events.jsonl", edit(stamped) if edit else stamped)
        if ended is not None:
            write_json(folder / "result.json", ended)
        return {"outcome": expect}


def _failed(rule: str, kind: str | None = None, **more: Any) -> dict[str, Any]:
    return {"status": "failed", "failure_kind": kind, "rule": rule, **more}


def _limit(rule: str) -> dict[str, Any]:
    return {"status": "incomplete", "graded": True, "failure_kind": None, "rule": rule, "policy": {"action": "verify"}}


_SESSION_RULE = (
    "A runner error, or a non-zero exit without timeout, fails; a timeout is incomplete; else the root's last assistant "
    "message decides."
)
RESULT = "`result.json` is written beside the log"
_pi(
    "pi-1",
    "The runner reports an error of its own",
    "The runner's or the cleanup's own error fails the run, whatever Pi said.",
    "15a-outcome-ok",
    _failed("pi-1", error="cleanup failed"),
    result(error="cleanup failed"),
    None,
    RESULT,
)
_pi(
    "pi-2",
    "Pi gave no reply at all",
    "No reply, and no timeout that explains it: failed.",
    "15a-outcome-ok",
    _failed("pi-2", error="Pi produced no assistant result"),
    result(),
    _without_replies,
    RESULT,
    "the log ends before the first reply",
)
_pi(
    "pi-3",
    "The runner timed out before any reply",
    "No reply because of a timeout: incomplete, and verified.",
    "15a-outcome-ok",
    _limit("pi-3"),
    result(None, timed_out=True),
    _without_replies,
    RESULT,
    "the log ends before the first reply",
)
_pi(
    "pi-4",
    "The runner timed out: partial work is graded",
    "A timeout after a reply: incomplete, and the partial work is verified.",
    "15a-outcome-ok",
    _limit("pi-4"),
    result(None, timed_out=True),
    None,
    RESULT,
)
_pi(
    "pi-5",
    "The last reply ended by itself",
    "The last reply stopped by itself and Pi exited with 0: completed.",
    "15a-outcome-ok",
    {"status": "completed", "graded": True, "rule": "pi-5"},
    result(),
    None,
    RESULT,
)
_pi(
    "pi-6",
    "The last reply was cut off at its length",
    "A last reply that was cut off or aborted: incomplete, and verified.",
    "06h-length",
    _limit("pi-6"),
    result(),
    None,
    RESULT,
    "times are added to the lines, as the sandbox runner writes them",
)
_pi(
    "pi-7",
    "An overflow without compaction: a limit, always verified",
    "An overflow that no compaction could mend is a limit of the model: incomplete, and always verified.",
    "15d-outcome-overflow-no-compaction",
    _limit("pi-7"),
    result(),
    None,
    RESULT,
)
_pi(
    "pi-8",
    "The compaction call after an overflow failed",
    "A compaction call that fails after an overflow fails the run; its cause is unknown and it may be tried again.",
    "15c-outcome-compaction-503",
    _failed("pi-8", "unknown", policy={"action": "retry"}, error={"$re": "^Context overflow recovery failed: "}),
    result(),
    None,
    RESULT,
)
_pi(
    "pi-9",
    "The last reply failed on a 400 with no body: no overflow",
    "An error that is no overflow fails the run; the policy decides whether it is verified.",
    "06f-400-empty-body",
    _failed("pi-9", "model_request_error", policy={"action": "verify"}),
    result(),
    None,
    RESULT,
    "times are added to the lines, as the sandbox runner writes them",
)
_pi(
    "pi-10",
    "Pi's exit code is not 0",
    "A non-zero exit without a timeout or a limit fails the run.",
    "15a-outcome-ok",
    _failed("pi-10", error="Pi exited with code 3"),
    result(3),
    None,
    RESULT,
)
_pi(
    "pi-11",
    "The last reply called a tool and nothing came after",
    "A last reply of any other kind, such as one that called a tool, is no result: failed.",
    "15a-outcome-ok",
    _failed("pi-11", error="Pi ended without a terminal assistant result"),
    result(),
    _without_the_last_reply,
    RESULT,
    "the last reply is taken out",
)
_pi("pi-open", "The log stops and no result.json says why", "Nothing says that it failed: unknown, not failed.",
    "16b-timestamped-killed", {"status": "unknown", "rule": "pi-open"}, None)  # fmt: skip


def _opencode(name: str, title: str, expect: dict[str, Any], edit: Callable[[Any], None] | None = None,
              ended: dict[str, Any] | None = None, *changes: str) -> None:  # fmt: skip
    @sample(f"outcome/opencode-{name}", title, _SESSION_RULE, *changes)
    def make(recordings: Path, folder: Path) -> dict[str, Any]:
        document = export(recordings / NEW / "03a-think-answer")
        if edit:
            edit(document["messages"])
        write_json(folder / "export.json", document)
        if ended is not None:
            write_json(folder / "result.json", ended)
        stands = {"final_answer": STANDS[name]} if name in STANDS else {}
        return {"outcome": expect, **stands}


STANDS: dict[str, dict[str, Any]] = {
    "stop-completed": {"text": "4", "stands": True, "because": None},
    "last-message-error": {"text": "4", "stands": False, "because": {"$re": "failed"}},
    "finish-limit": {"text": "4", "stands": False, "because": {"$re": "cut off"}},
    "finish-refused": {"text": "4", "stands": False, "because": {"$re": "refused"}},
    "no-assistant-message": {"text": None, "stands": False},
}
"""CONTRACT 3, `final_answer`: why the text of such a last turn does not stand."""


def _last(change: Callable[[dict[str, Any]], object]) -> Callable[[Any], None]:
    def edit(messages: Any) -> None:
        change(messages[-1]["info"])

    return edit


def _error(info: dict[str, Any]) -> None:
    info.pop("finish", None)
    info["error"] = {"name": "APIError", "data": {"message": "busy", "statusCode": 503, "isRetryable": True}}


_opencode(
    "runner-error",
    "The runner reports an error of its own",
    _failed("runner-error"),
    None,
    result(error="sandbox lost"),
    RESULT,
)
_opencode("exit-code", "A non-zero exit without timeout", _failed("exit-code"), None, result(1), RESULT)
_opencode(
    "timeout",
    "The run was timed out",
    {"status": "incomplete", "graded": True, "rule": "timeout"},
    None,
    result(None, timed_out=True),
    RESULT,
)
_opencode(
    "no-assistant-message",
    "No reply was ever started",
    {"status": "unknown", "rule": "no-assistant-message"},
    lambda messages: messages.pop(),
    None,
    "the reply is taken out",
)
_opencode(
    "last-message-error",
    "The last message failed",
    _failed("last-message-error"),
    _last(_error),
    None,
    "the last message gets an error instead of its finish",
)
_opencode("stop-completed", "Finish stop and completed", {"status": "completed", "rule": "stop-completed"})
_opencode(
    "stop-not-completed",
    "Finish stop, never completed",
    {"status": "incomplete", "rule": "stop-not-completed"},
    _last(lambda info: info["time"].pop("completed")),
    None,
    "`time.completed` of the last message is taken out",
)
_opencode(
    "finish-limit",
    "Finish length",
    {"status": "incomplete", "graded": True, "rule": "finish-limit"},
    _last(lambda info: info.update(finish="length")),
    None,
    "finish `stop` becomes `length`",
)
_opencode(
    "finish-refused",
    "Finish content-filter",
    {"status": "incomplete", "rule": "finish-limit"},
    _last(lambda info: info.update(finish="content-filter")),
    None,
    "finish `stop` becomes `content-filter`",
)
_opencode(
    "no-finish",
    "No finish",
    {"status": "incomplete", "rule": "no-finish"},
    _last(lambda info: info.pop("finish")),
    None,
    "finish is taken out, as a kill leaves it",
)
_opencode("finish-other", "A finish that Gym does not expect", _failed("finish-other"),
          _last(lambda info: info.update(finish="other")), None, "finish `stop` becomes `other`")  # fmt: skip


@sample(
    "outcome/opencode-record-cut-off",
    "An export cut in its last message: how the run ended is not known",
    "What follows the cut is not there to say it.",
    "the export is cut inside the reply's text",
)
def record_cut_off(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "03a-think-answer"))
    text = (folder / "export.json").read_bytes()
    (folder / "export.json").write_bytes(text[: text.index(b"Two and two")])
    return {"outcome": {"status": "unknown", "rule": "record-cut-off"}}


@sample(
    "outcome/opencode-last-message-unreadable",
    "The last message's record is damaged",
    "A damaged record costs that record and says so; it decides nothing.",
    "the JSON of the last message row is cut",
)
def last_message_unreadable(recordings: Path, folder: Path) -> dict[str, Any]:
    def damage(tables: Tables) -> None:
        max(tables["message"], key=lambda line: line["id"])["data"] = '{"role":"assistant","finish":"st'

    write_database(folder, recordings / NEW / "03a-think-answer", damage)
    return {
        "outcome": {"status": "unknown", "rule": "last-message-unreadable"},
        "findings": {"$contains": [{"code": "record-unreadable"}]},
    }


@sample(
    "outcome/opencode-child-error",
    "A subagent's error does not fail the root",
    "Only the root's last assistant message is asked.",
    "the subagent's last message gets an error",
)
def child_error(recordings: Path, folder: Path) -> dict[str, Any]:
    def fail(tables: Tables) -> None:
        child = next(line["id"] for line in tables["session"] if line["parent_id"])
        last = max((line for line in tables["message"] if line["session_id"] == child), key=lambda line: line["id"])
        data = data_of(last)
        _error(data)
        set_data(last, data)

    write_database(folder, recordings / NEW / "08a-subagent", fail)
    return {"outcome": {"status": "completed"}, "final_answer": {"text": "The subagent says 4.", "stands": True}}


@sample(
    "outcome/rows",
    "How rows and sidecar records say that a run ended",
    "One row for each rule of the table of rows.",
)
def rows(recordings: Path, folder: Path) -> dict[str, Any]:
    answer = [message("4")]
    agent_outcome = {"ng_agent_outcome": '{"failure_kind": "model_request_error", "status_code": 400}'}
    error = {"code": "server_error", "message": "busy"}

    def with_response(task: int, *items: Any, **envelope: Any) -> dict[str, Any]:
        made = row(task, 0, list(items))
        made["response"] = response(list(items), **envelope)
        return made

    no_status = with_response(8, *answer)
    del no_status["response"]["status"]
    main = [
        {**row(0, 0, answer), "_ng_attempt_index": 0},  # 1.3: a later attempt failed
        with_response(1, *answer, metadata=agent_outcome),  # 6.2
        with_response(2, *answer, status="failed"),  # 6.4
        with_response(3, *answer, error=error),  # 2
        row(4, 0, answer, failure_kind="session_lost"),  # 1.2, 6.1
        {**with_response(5, *answer, status="incomplete"), "agent_timed_out": True},  # 6.4
        with_response(6, *answer, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),  # 6.4
        with_response(7, *answer, status="in_progress"),  # 2
        no_status,
        row(9, 0, answer),  # 6.4
    ]
    judge_failed = {
        **failure_newer(11, 0, 0, "judge_failed", "verification", "ReadTimeout"),
        "response": response(answer),
    }
    sidecar = [
        failure_newer(0, 0, 1, "provider_unavailable", "agent", "503 no server"),
        failure_older(10, 0, "skipped", "no reference", True),
        judge_failed,
        failure_newer(12, 0, 0, "session_lost", "agent", "connection reset"),
    ]
    write_lines(folder / "rollouts.jsonl", main)
    write_lines(folder / "rollouts_failures.jsonl", sidecar)
    expected: dict[str, dict[str, Any]] = {
        "0-0": _failed("row-later-attempt-failed", "provider_unavailable"),
        "1-0": _failed("row-agent-outcome", "model_request_error", policy={"action": "verify"}),
        "2-0": _failed("row-status-failed"),
        "3-0": _failed("row-error", error={"$re": "busy"}),
        "4-0": _failed("row-failure-kind", "session_lost"),
        "5-0": _limit("row-timed-out"),
        "6-0": _limit("row-incomplete"),
        "7-0": {"status": "unknown", "rule": "row-status-other"},
        "8-0": {"status": "unknown", "rule": "row-no-status"},
        "9-0": {"status": "completed", "graded": True, "rule": "row-completed"},
        "10-0": {"status": "unknown", "rule": "sidecar-omitted"},
        "11-0": _failed("sidecar-verifier", "judge_failed"),
        "12-0": _failed("sidecar-failed", "session_lost"),
    }
    return {"rollouts": {key: {"outcome": outcome} for key, outcome in expected.items()}}
