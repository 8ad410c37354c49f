"""How an OpenCode run ended: `result.json`, then the root's last assistant message (CONTRACT 3, gym-semantics 4.4).

A child's error does not fail the root, and neither does an earlier message's: only the last one is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import (
    JsonObject,
    JsonValue,
    Outcome,
    OutcomeReading,
    Place,
    Policy,
    Reason,
    Rollout,
    RunResult,
)
from rollout_loaders.terminal_status import LIMITS, LastMessage, terminal_rule

from .outcome_opencode_end import end_of_run
from .policy import graded_under, policy_for
from .result_file import damaged_result


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the rules read: the run's result and the root's last assistant message, where there are such."""

    result: RunResult | None
    message: LastMessage | None
    message_id: str | None = None
    summary: bool = False
    error_name: str | None = None
    error_message: str | None = None
    status_code: int | None = None
    any_error: str | None = None
    """Id of the first assistant message of the root with an error."""
    any_completed: bool = False
    unreadable: bool = False
    doubt: str | None = None
    """Why messages may be missing behind the last one."""


@dataclass(frozen=True, slots=True)
class RunRule:
    """A rule that is asked before the last message."""

    id: str
    applies: Callable[[Inputs], bool]
    status: str
    sentence: Callable[[Inputs], str]


def _runner_error(inputs: Inputs) -> bool:
    return inputs.result is not None and bool(inputs.result.error)


def _bad_exit(inputs: Inputs) -> bool:
    result = inputs.result
    return result is not None and result.return_code not in (0, None) and not result.timed_out


def _timed_out(inputs: Inputs) -> bool:
    return inputs.result is not None and inputs.result.timed_out


def _code(inputs: Inputs) -> int | None:
    return None if inputs.result is None else inputs.result.return_code


RUN_RULES: tuple[RunRule, ...] = (
    RunRule(
        "runner-error",
        _runner_error,
        "failed",
        lambda i: f"result.json reports a runner error: {i.result.error if i.result else ''}",
    ),
    RunRule(
        "exit-code", _bad_exit, "failed", lambda i: f"result.json: OpenCode exited with code {_code(i)}, no timeout"
    ),
    RunRule("timeout", _timed_out, "incomplete", lambda _i: "result.json: the run was timed out"),
    RunRule(
        "record-cut-off",
        lambda i: i.doubt is not None,
        "unknown",
        lambda i: f"{i.doubt}, so how the run ended is not known",
    ),
    RunRule(
        "no-assistant-message",
        lambda i: i.message is None,
        "unknown",
        lambda _i: "the root session holds no assistant message",
    ),
    RunRule(
        "last-message-unreadable",
        lambda i: i.unreadable,
        "unknown",
        lambda i: f"the record of the root's last assistant message {i.message_id} is damaged",
    ),
)
"""First match decides; where none does, `terminal_status.TERMINAL_RULES` do."""


@dataclass(frozen=True, slots=True)
class _Decision:
    rule: str
    status: str
    sentence: str
    by_message: bool


def decide(inputs: Inputs) -> _Decision:
    """The rule that decides over all inputs."""
    for rule in RUN_RULES:
        if rule.applies(inputs):
            return _Decision(rule.id, rule.status, rule.sentence(inputs), False)
    assert inputs.message is not None
    return _by_message(inputs, inputs.message)


def _by_message(inputs: Inputs, message: LastMessage) -> _Decision:
    rule = terminal_rule(message)
    who = "last assistant message" + (", a compaction summary," if inputs.summary else "")
    detail = f": {inputs.error_name or 'error'}" if message.has_error else ""
    if message.finish is not None and rule.id in ("finish-limit", "finish-other"):
        detail = f": {message.finish}"
    sentence = f"the root's {who} {inputs.message_id or ''} decides: {rule.sentence}{detail}".replace("  ", " ")
    return _Decision(rule.id, rule.status, sentence, True)


def inputs_of(rollout: Rollout) -> Inputs:
    """The inputs as `Evidence` holds them."""
    last = rollout.evidence.last_message
    result = rollout.evidence.run_result
    if last is None:
        return Inputs(result, None)
    raw = last.get("error")
    error: JsonObject = raw if isinstance(raw, Mapping) else {}
    code = error.get("status_code")
    return Inputs(
        result=result,
        message=LastMessage(_text(last.get("finish")), last.get("completed") is True, raw not in (None, False)),
        message_id=_text(last.get("id")),
        summary=last.get("summary") is True,
        error_name=_text(error.get("name")),
        error_message=_text(error.get("message")) or _text(raw),
        status_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        any_error=_text(last.get("any_error")),
        any_completed=last.get("any_completed") is True,
        unreadable=last.get("unreadable") is True,
        doubt=_text(last.get("doubt")),
    )


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def outcome(rollout: Rollout) -> Outcome:
    """The outcome of an OpenCode rollout by Gym's current rules, with the other readings of the same evidence."""
    inputs = inputs_of(rollout)
    decided = decide(inputs)
    error = _error(inputs, decided)
    policy = policy_for(decided.status, None, inputs.status_code if decided.by_message else None)
    return Outcome(
        status=decided.status,
        error=error,
        graded=_graded(decided.status, policy),
        rule=decided.rule,
        because=tuple(_because(rollout, inputs, decided)),
        policy=policy,
        readings=tuple(_readings(inputs, decided)),
        recorded=_recorded(inputs),
    )


def _graded(status: str, policy: Policy) -> bool | None:
    if status == "unknown":
        return None
    return True if status in ("completed", "incomplete") else graded_under(policy)


def _error(inputs: Inputs, decided: _Decision) -> str | None:
    if decided.rule == "runner-error":
        return inputs.result.error if inputs.result is not None else None
    if decided.rule == "exit-code":
        return f"OpenCode exited with code {_code(inputs)}"
    if decided.rule == "last-message-error":
        return inputs.error_message or inputs.error_name
    if decided.rule == "finish-other":
        return decided.sentence
    return None


def _because(rollout: Rollout, inputs: Inputs, decided: _Decision) -> Iterator[Reason]:
    root = rollout.root
    turn = next((t.number for t in root.turns if t.message_id == inputs.message_id), None) if root else None
    where = Place(root.id, turn, inputs.message_id) if root is not None and inputs.message_id is not None else None
    rests_on = f"message:{inputs.message_id}" if decided.by_message else "result.json" if inputs.result else None
    yield Reason(decided.sentence, where if decided.by_message else None, rests_on)
    if decided.rule == "last-message-error" and inputs.error_message:
        yield Reason(f"its error says: {inputs.error_message}", where, rests_on)
    if inputs.message is not None and not inputs.unreadable:
        yield from end_of_run(
            rollout,
            completed=inputs.message.completed,
            has_error=inputs.message.has_error,
            message_id=inputs.message_id,
        )
    if inputs.result is None and damaged_result(rollout):
        yield Reason("result.json cannot be read: whether there was a runner error or a timeout is not known")
    elif inputs.result is None:
        yield Reason("no result.json: no runner error, exit code or timeout is recorded", None, None)
    elif not decided.by_message and inputs.message is not None and not inputs.unreadable and inputs.doubt is None:
        own = _by_message(inputs, inputs.message)
        if own.status != decided.status:
            yield Reason(
                f"the events themselves show {own.status}: {own.sentence}", where, f"message:{inputs.message_id}"
            )
    children = [i for i in rollout.invocations[1:] if i.status == "failed"]
    for child in children:
        yield Reason(f"subagent {child.id} failed; a child's error does not fail the root", Place(child.id), None)
    if inputs.any_error and inputs.any_error != inputs.message_id:
        yield Reason(
            f"an earlier message, {inputs.any_error}, ended with an error; only the last one decides",
            None,
            f"message:{inputs.any_error}",
        )


def _reading(name: str, status: str, rule: str) -> OutcomeReading:
    graded = True if status in ("completed", "incomplete") else None
    return OutcomeReading(name, status, None, graded, rule)


def _readings(inputs: Inputs, decided: _Decision) -> Iterator[OutcomeReading]:
    """What the events show without `result.json`, and Gym's two other ways to read one store (gym-semantics 4.4)."""
    if inputs.message is None or inputs.unreadable or inputs.doubt is not None:
        return
    if not decided.by_message:
        own = _by_message(inputs, inputs.message)
        yield _reading("events", own.status, own.rule)
    yield _default_mode(inputs)
    yield _session_response(inputs, inputs.message)


def _default_mode(inputs: Inputs) -> OutcomeReading:
    """The root's status in Gym's default mode: the run's result overwrites it, else any error, else any completion."""
    result = inputs.result
    name = "gym-default-mode"
    if result is not None and result.timed_out:
        return _reading(name, "incomplete", "timeout")
    if result is not None and result.return_code is not None:
        return _reading(name, "completed" if result.return_code == 0 else "failed", "exit-code")
    if inputs.any_error is not None:
        return _reading(name, "failed", "any-message-error")
    return _reading(name, "completed" if inputs.any_completed else "unknown", "any-message-completed")


def _session_response(inputs: Inputs, message: LastMessage) -> OutcomeReading:
    """The response status of a sandbox session, where any assistant message with an error fails it."""
    name = "gym-session-response"
    if _runner_error(inputs) or _bad_exit(inputs):
        return _reading(name, "failed", "runner-error" if _runner_error(inputs) else "exit-code")
    if inputs.any_error is not None or message.has_error:
        return _reading(name, "failed", "any-message-error")
    stopped = message.finish == "stop" and message.completed
    if not stopped and message.finish not in LIMITS:
        return _reading(name, "failed", "stop-not-completed" if message.finish == "stop" else "finish-other")
    if _timed_out(inputs):
        return _reading(name, "incomplete", "timeout")
    return _reading(name, "completed" if stopped else "incomplete", "stop-completed" if stopped else "finish-limit")


def _recorded(inputs: Inputs) -> JsonObject:
    recorded: dict[str, JsonValue] = {}
    if inputs.result is not None:
        recorded["result.json"] = {
            "return_code": inputs.result.return_code,
            "timed_out": inputs.result.timed_out,
            "error": inputs.result.error,
            "cleanup_confirmed": inputs.result.cleanup_confirmed,
        }
    if inputs.message is not None:
        recorded["last_message"] = {
            "id": inputs.message_id,
            "finish": inputs.message.finish,
            "completed": inputs.message.completed,
            "error": inputs.error_name,
        }
    return recorded
