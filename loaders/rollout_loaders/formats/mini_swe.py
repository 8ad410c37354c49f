"""Reader of mini-swe-agent's trajectories, `*.traj.json` (gym-semantics 12; its documentation, "Output files").

The messages are OpenAI-like. A model that is asked for text acts through a code block in it; the parsed command stands
in `extra.actions`, and what it printed comes back as a user message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.convert.logged import LoggedConversation, Result, TurnDraft, summed
from rollout_loaders.convert.pi_output import scored_of
from rollout_loaders.fast_dataclass import changed
from rollout_loaders.model import (
    Diagnostic,
    Ending,
    Evidence,
    Harness,
    Invocation,
    JsonObject,
    JsonValue,
    Reason,
    Rollout,
    Route,
    SourceRef,
    StoredPart,
    Task,
    ToolCall,
    Usage,
    is_object,
)
from rollout_loaders.reader import Confidence, ReadOptions

from . import fields
from .chat_messages import content_text, message, store
from .logged_file import NOT_SPLIT, LoggedFile, cut_off, document, first_prompt, refuse_forced_split, utc

_FORMAT = re.compile(rb'"trajectory_format"\s*:\s*"mini-swe-agent')
_VERSION = re.compile(rb'"(?:mini_version|exit_status|model_stats)"\s*:')
_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')
_EXIT = "info.exit_status"


class MiniSweReader:
    """The format `mini-swe-agent`."""

    name = "mini-swe-agent"

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """By the format's own name, else by its `info` and messages, surer where the file is a `.traj.json`."""
        if not head.lstrip().startswith(b"{"):
            return Confidence.NO
        if _FORMAT.search(head):
            return Confidence.CERTAIN
        named = path.name.endswith(".traj.json")
        info, messages = _VERSION.search(head) and b'"info"' in head, _MESSAGES.search(head)
        if info and messages and b'"schema_version"' not in head:
            return Confidence.CERTAIN if named else Confidence.LIKELY
        return Confidence.LIKELY if named and (info or messages) else Confidence.NO

    def open(self, path: Path, shown: str, options: ReadOptions) -> LoggedFile:
        """Open the document; nothing is read yet. Raises `ReadError` where the think split is forced on."""
        refuse_forced_split(shown, options)
        return LoggedFile(path, shown, self.name, options, _rollouts)


def _rollouts(
    path: Path,
    shown: str,
    options: ReadOptions,  # noqa: ARG001 - nothing can be forced
    left_over: list[Diagnostic],  # noqa: ARG001 - a document is one rollout, or unreadable
) -> Iterator[Rollout]:
    diagnostics: list[Diagnostic] = []
    data = document(path, shown, diagnostics)
    conversation = LoggedConversation("root")
    waiting: TurnDraft | None = None
    for index, raw in enumerate(fields.array(data, "messages")):
        where = f"messages[{index}]"
        if not is_object(raw):
            diagnostics.append(Diagnostic("record-unreadable", f"{where} is no message", where))
            conversation.part(StoredPart(where, where, "unreadable", {"value": raw}, locator=where))
            continue
        waiting = _message(conversation, raw, where, waiting)
    for key, value in data.items():
        if key != "messages":
            conversation.part(StoredPart(key, "", "field", {key: value}, locator=key))
    yield _rollout(path, shown, data, conversation, tuple(diagnostics))


def _message(
    conversation: LoggedConversation, raw: JsonObject, where: str, waiting: TurnDraft | None
) -> TurnDraft | None:
    """One message. Returns the turn whose action waits for its output, if any."""
    extra = fields.mapping(raw, "extra")
    if fields.text(raw, "role") == "user" and waiting is not None and "exit_status" not in extra:
        return _observed(conversation, raw, extra, where, waiting)
    draft = message(conversation, raw, where)
    if draft is None:
        return waiting if fields.text(raw, "role") in ("tool", "system") else None
    draft.started_at = utc(extra.get("timestamp"))
    response = fields.mapping(extra, "response")
    draft.model = fields.text(response, "model")
    draft.usage = _usage(fields.mapping(response, "usage"), extra)
    choices = fields.objects(response, "choices")
    draft.finish = fields.text(choices[0], "finish_reason") if choices else None
    if draft.calls:
        return None
    for index, action in enumerate(fields.array(extra, "actions")):
        arguments: JsonValue = action
        ident = f"{where}.action-{index}"
        conversation.call(draft, ToolCall(ident, ident, "bash", arguments, "unknown", extra={"from": "extra.actions"}))
    return draft if draft.calls else None


def _observed(
    conversation: LoggedConversation, raw: JsonObject, extra: JsonObject, where: str, waiting: TurnDraft
) -> TurnDraft | None:
    """A user message behind an action is what the action printed."""
    said, files = content_text(raw.get("content"))
    code = fields.integer(extra, "returncode")
    failed = None if code is None else code != 0
    result = Result(said, failed=failed, attachments=files, exit_code=code)
    number = conversation.result(waiting.calls[waiting.first_waiting()].call_id, result, where)
    store(conversation, raw, where, "user", number)
    return waiting if len(waiting.answered) < len(waiting.calls) else None


def _usage(usage: JsonObject, extra: JsonObject) -> dict[str, int | float | None]:
    return {
        "input": fields.integer(usage, "prompt_tokens"),
        "output": fields.integer(usage, "completion_tokens"),
        "reasoning": fields.integer(fields.mapping(usage, "completion_tokens_details"), "reasoning_tokens"),
        "cached": fields.integer(fields.mapping(usage, "prompt_tokens_details"), "cached_tokens"),
        "cost": fields.number(extra, "cost"),
    }


def _rollout(
    path: Path,
    shown: str,
    data: JsonObject,
    conversation: LoggedConversation,
    diagnostics: tuple[Diagnostic, ...],
) -> Rollout:
    info = fields.mapping(data, "info")
    root = cut_off(conversation.invocation(status=_status(info)), diagnostics)
    config = fields.mapping(info, "config")
    model = fields.text(fields.mapping(config, "model"), "model_name")
    instance = fields.text(data, "instance_id") or fields.text(info, "instance_id")
    prompt = first_prompt(root)
    return Rollout(
        id=instance or path.name.removesuffix(".json").removesuffix(".traj"),
        source=SourceRef(shown, "mini-swe-agent", instance),
        harness=Harness(
            name="mini-swe-agent",
            version=fields.text(info, "mini_version"),
            agent=fields.text(config, "agent_type"),
            model=model,
        ),
        route=Route(because=NOT_SPLIT),
        task=Task(task_id=instance, prompt=prompt),
        invocations=(root,),
        final_answer=final_answer_of(root),
        scored=scored_of(conversation.output, session_output=False),
        usage=_total(root, info),
        diagnostics=diagnostics,
        evidence=Evidence(ending=_ending(info, root)),
        notes=tuple(_notes(info)),
        extra={"info": info} if info else {},
    )


def _status(info: JsonObject) -> str:
    word = fields.text(info, "exit_status")
    return "completed" if word in ("Submitted", "submitted") else "incomplete" if word else "unknown"


def _total(root: Invocation, info: JsonObject) -> Usage:
    """Tokens of the raw responses; the cost that the agent counted itself."""
    total = summed(root.turns, "usage of the raw responses")
    cost = fields.number(fields.mapping(info, "model_stats"), "instance_cost")
    if cost is None:
        return total
    return changed(total, cost=cost, counted_by=f"{total.counted_by or 'nothing'}; cost of info.model_stats")


def _ending(info: JsonObject, root: Invocation) -> Ending:
    last = root.turns[-1] if root.turns else None
    error = fields.text(info, "exception_str") or fields.text(info, "traceback")
    recorded: dict[str, JsonValue] = {
        key: info[key] for key in ("exception_str", "submission") if info.get(key) not in (None, "")
    }
    return Ending(
        says=_EXIT,
        word=fields.text(info, "exit_status"),
        error=error if error else None,
        rests_on=_EXIT,
        last_finish=None if last is None else last.finish,
        recorded=recorded,
    )


def _notes(info: JsonObject) -> Iterator[Reason]:
    submission = fields.text(info, "submission")
    if submission is not None:
        size = f"{len(submission):,} characters" if submission else "nothing"
        yield Reason(
            f"The agent submitted {size} (info.submission): what a SWE benchmark tests, whatever the last reply says.",
            rests_on="info.submission",
        )


READER = MiniSweReader()
