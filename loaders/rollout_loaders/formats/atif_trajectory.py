"""One ATIF trajectory as an invocation, and those embedded in it (Harbor RFC 0001, sections II and VII)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from rollout_loaders.convert.logged import LoggedConversation, Result
from rollout_loaders.convert.unique_ids import UniqueIds
from rollout_loaders.fast_dataclass import changed, dataclass
from rollout_loaders.jsondecode import encode
from rollout_loaders.model import (
    Compaction,
    Diagnostic,
    InputMessage,
    Invocation,
    Item,
    JsonObject,
    JsonValue,
    StoredPart,
    ToolCall,
    Turn,
    is_object,
)

from . import fields
from .chat_messages import content_text
from .damaged_records import DamagedRecords
from .logged_file import leftover, utc

ROOT = "root"
_TEXTS = frozenset({"message", "reasoning_content", "tool_calls", "observation"})
_DEEPEST = 32
"""Levels of embedded trajectories that are followed; a document that nests deeper keeps the rest verbatim."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """An invocation and what only its reader needs."""

    invocation: Invocation
    output: tuple[Item, ...]
    copied: int = 0
    token_ids: tuple[int, int] = (0, 0)
    """How many prompt and completion token ids its steps hold."""


def trajectories(data: JsonObject, diagnostics: list[Diagnostic]) -> tuple[Trajectory, ...]:
    """The document's trajectory, then all embedded ones, each after its parent."""
    found: list[Trajectory] = []
    _collect(data, None, "", found, diagnostics, UniqueIds())
    return tuple(found)


def _collect(
    data: JsonObject,
    parent: str | None,
    path: str,
    found: list[Trajectory],
    diagnostics: list[Diagnostic],
    used: UniqueIds,
) -> None:
    own = fields.text(data, "trajectory_id") or fields.text(data, "session_id")
    ident = used.take(own or path.rstrip(".") or ROOT)
    fold = _Fold(ident, path, diagnostics)
    for index, raw in enumerate(fields.array(data, "steps")):
        fold.step(raw, f"{path}steps[{index}]")
    fold.close()
    name = fields.text(fields.mapping(data, "agent"), "name")
    invocation = fold.conversation.invocation(parent_id=parent, title=name if parent is not None else None, agent=name)
    if parent is not None:
        rest = leftover(data, frozenset({"steps", "subagent_trajectories"}))
        part = StoredPart(path.rstrip("."), "", "trajectory", rest, locator=path.rstrip("."))
        invocation = changed(invocation, parts=(*invocation.parts, part))
    place = len(found)
    found.append(Trajectory(invocation, tuple(fold.conversation.output), fold.copied, (fold.prompt_ids, fold.own_ids)))
    depth = path.count("subagent_trajectories")
    lost: list[StoredPart] = []
    damage = DamagedRecords()
    for index, child in enumerate(fields.array(data, "subagent_trajectories")):
        where = f"{path}subagent_trajectories[{index}]"
        if is_object(child) and depth < _DEEPEST:
            damage.over()
            _collect(child, ident, f"{where}.", found, diagnostics, used)
            continue
        diagnostics.append(Diagnostic("record-unreadable", f"{where} is no trajectory, or nested too deep", where))
        own_part = damage.part(child, where, "value")
        if own_part is not None:
            lost.append(own_part)
    if lost:
        kept = found[place].invocation
        found[place] = changed(found[place], invocation=changed(kept, parts=(*kept.parts, *lost)))
    if fold.refs:
        _link(found, place, fold.refs)


def _link(found: list[Trajectory], place: int, refs: Sequence[tuple[int, int, JsonObject]]) -> None:
    """Calls and the trajectories they delegated to: by `trajectory_id`, up to 1.6 by `session_id`."""
    children = {found[at].invocation.id: at for at in range(place + 1, len(found))}
    turns = list(found[place].invocation.turns)
    for number, index, ref in refs:
        named = fields.text(ref, "trajectory_id") or fields.text(ref, "session_id") or ""
        at = children.get(named)
        if at is None or not 0 < number <= len(turns):
            continue
        turns[number - 1], call_id = _with_child(turns[number - 1], index, named)
        if call_id is not None and found[at].invocation.spawned_by is None:
            found[at] = changed(found[at], invocation=changed(found[at].invocation, spawned_by=call_id))
    found[place] = changed(found[place], invocation=changed(found[place].invocation, turns=tuple(turns)))


def _with_child(turn: Turn, index: int, child: str) -> tuple[Turn, str | None]:
    if not 0 <= index < len(turn.tool_calls):
        return turn, None
    calls = list(turn.tool_calls)
    calls[index] = changed(calls[index], child=child)
    return changed(turn, tool_calls=tuple(calls)), calls[index].call_id


@dataclass(slots=True)
class _Fold:
    """Steps of one trajectory, folded in order."""

    ident: str
    path: str
    diagnostics: list[Diagnostic]
    copied: int = 0
    prompt_ids: int = 0
    own_ids: int = 0
    observed_last: bool = False
    """The latest agent step holds a result that names no call."""
    refs: list[tuple[int, int, JsonObject]] = field(default_factory=lambda: [])
    """Turn, index of its call, and the reference to the trajectory it delegated to."""
    conversation: LoggedConversation = field(init=False)
    _damage: DamagedRecords = field(default_factory=DamagedRecords)

    def __post_init__(self) -> None:
        self.conversation = LoggedConversation(self.ident)

    def step(self, raw: JsonValue, where: str) -> None:
        if not is_object(raw):
            self.diagnostics.append(Diagnostic("record-unreadable", f"{where} is no step", where))
            part = self._damage.part(raw, where, "value")
            if part is not None:
                self.conversation.part(part)
            return
        self._damage.over()
        kind = fields.text(raw, "source")
        number: int | None = None
        if fields.flag(raw, "is_copied_context") is True:
            self.copied += 1
            self._copied(raw, where, kind or "unknown")
        elif kind == "agent":
            number = self._agent(raw, where)
        else:
            self._other(raw, where, kind or "unknown")
        self._store(raw, where, kind, number)

    def close(self) -> None:
        """After the last step: a reply whose step observed something without a call acted, and nothing answered."""
        if self.observed_last and self.conversation.drafts:
            self.conversation.drafts[
                -1
            ].unfinished = "the last turn acted: its step holds an observation, and no reply follows it"

    def _copied(self, raw: JsonObject, where: str, role: str) -> None:
        """A step of an earlier trajectory: context that came in, whoever wrote it, and never this one's answer."""
        said, files = content_text(raw.get("message"))
        lines = [line for line in (fields.text(raw, "reasoning_content"), said) if line]
        lines += [f"[{name}]" for name in files]
        lines += [
            f"[{key}] {encode(raw[key]).decode('ascii')}" for key in ("tool_calls", "observation") if raw.get(key)
        ]
        shown = "assistant" if role == "agent" else role
        self.conversation.incoming(
            InputMessage(
                self.conversation.unused(where), shown, "\n".join(lines), synthetic=True, kind="copied context"
            )
        )

    def _agent(self, raw: JsonObject, where: str) -> int:
        conversation = self.conversation
        draft = conversation.turn(where)
        draft.started_at = utc(raw.get("timestamp"))
        draft.model = fields.text(raw, "model_name")
        draft.usage = self._usage(fields.mapping(raw, "metrics"))
        thought = fields.text(raw, "reasoning_content")
        if thought:
            conversation.reason(draft, f"{where}.reasoning_content", thought)
        said, files = content_text(raw.get("message"))
        conversation.answer(draft, where, said)
        draft.other.extend(files)
        for index, call in enumerate(fields.objects(raw, "tool_calls")):
            call_id = fields.text(call, "tool_call_id")
            extra: dict[str, JsonValue] = {"extra": call["extra"]} if call.get("extra") else {}
            name, ident = fields.text(call, "function_name") or "unknown", call_id or f"{where}.tool_calls[{index}]"
            arguments = call.get("arguments")
            conversation.call(draft, ToolCall(ident, call_id, name, arguments, "unknown", extra=extra))
        for key in ("llm_call_count", "reasoning_effort", "extra"):
            if raw.get(key) is not None:
                draft.extra[key] = raw[key]
        results = fields.objects(fields.mapping(raw, "observation"), "results")
        self.observed_last = any(fields.text(result, "source_call_id") is None for result in results)
        if self.observed_last:
            # One of these results may be a call's; which, the record does not say.
            draft.answered.update(range(len(draft.calls)))
        for index, result in enumerate(results):
            self._result(result, draft.number, f"{where}.observation.results[{index}]")
        return draft.number

    def _usage(self, metrics: JsonObject) -> dict[str, int | float | None]:
        """Prompt tokens hold the cached ones, completion tokens the reasoning (RFC, MetricsSchema)."""
        self.prompt_ids += len(fields.array(metrics, "prompt_token_ids"))
        self.own_ids += len(fields.array(metrics, "completion_token_ids"))
        return {
            "input": fields.integer(metrics, "prompt_tokens"),
            "output": fields.integer(metrics, "completion_tokens"),
            "reasoning": fields.integer(fields.mapping(metrics, "extra"), "reasoning_tokens"),
            "cached": fields.integer(metrics, "cached_tokens"),
            "cost": fields.number(metrics, "cost_usd"),
        }

    def _result(self, result: JsonObject, number: int, where: str) -> None:
        """A result with its call's id goes to that call; one without came from an action that was no call."""
        said, files = content_text(result.get("content"))
        refs = fields.objects(result, "subagent_trajectory_ref")
        call_id = fields.text(result, "source_call_id")
        draft = self.conversation.drafts[number - 1]
        index = next((at for at, call in enumerate(draft.calls) if call.call_id == call_id and call_id), -1)
        if call_id is None:
            self._observed(said, files, where)
            return
        extra: dict[str, JsonValue] = {"extra": result["extra"]} if result.get("extra") else {}
        if refs:
            extra["subagent_trajectory_ref"] = refs
            self.refs.extend((number, index, ref) for ref in refs)
        self.conversation.result(call_id, Result(said, attachments=files, extra=extra), where)

    def _observed(self, said: str, files: tuple[str, ...], where: str) -> None:
        shown = "\n".join([*([said] if said or not files else []), *(f"[{name}]" for name in files)])
        if shown:
            self.conversation.incoming(
                InputMessage(self.conversation.unused(where), "tool", shown, synthetic=True, kind="observation")
            )

    def _other(self, raw: JsonObject, where: str, role: str) -> None:
        managed = fields.mapping(fields.mapping(raw, "extra"), "context_management")
        results = fields.objects(fields.mapping(raw, "observation"), "results")
        said, files = content_text(raw.get("message"))
        if fields.text(managed, "boundary") == "replace":
            self._compaction(raw, where, said, [content_text(result.get("content"))[0] for result in results])
            return
        shown = "\n".join([*([said] if said or not files else []), *(f"[{name}]" for name in files)])
        kind = f"context {fields.text(managed, 'type') or 'change'}" if managed else "text"
        self.conversation.incoming(
            InputMessage(self.conversation.unused(where), role, shown, synthetic=bool(managed), kind=kind)
        )
        for index, result in enumerate(results):
            content, more = content_text(result.get("content"))
            self._observed(content, more, f"{where}.observation.results[{index}]")

    def _compaction(self, raw: JsonObject, where: str, said: str, contents: list[str]) -> None:
        """A boundary that replaces all context before it by what it observed (RFC VII)."""
        managed = fields.mapping(fields.mapping(raw, "extra"), "context_management")
        after = self.conversation.turn_count
        self.conversation.compactions.append(
            Compaction(
                id=where,
                trigger=fields.text(managed, "type"),
                outcome="completed",
                summary="\n".join(contents) or None,
                first_kept_turn=after + 1,
                after_turn=after,
                started_at=utc(raw.get("timestamp")),
                summary_message_ids=(where,),
                extra={"message": said} if said else {},
            )
        )

    def _store(self, raw: JsonObject, where: str, role: str | None, turn: int | None) -> None:
        def part(ident: str, kind: str, data: JsonObject) -> None:
            who = "assistant" if role == "agent" else role
            self.conversation.part(StoredPart(ident, where, kind, data, locator=where, role=who, turn=turn))

        thought = fields.text(raw, "reasoning_content")
        if thought is not None:
            part(f"{where}.reasoning_content", "reasoning", {"type": "reasoning_content", "text": thought})
        message = raw.get("message")
        if isinstance(message, str):
            part(where, "text", {"type": "text", "text": message})
        elif message is not None:
            for index, block in enumerate(fields.as_array(message) or (message,)):
                data = block if is_object(block) else {"value": block}
                part(where if index == 0 else f"{where}.{index}", fields.text(data, "type") or "block", data)
        for key in ("tool_calls", "observation"):
            if raw.get(key) is not None:
                part(f"{where}.{key}", key, {key: raw[key]})
        shown = _TEXTS if thought is not None else _TEXTS - {"reasoning_content"}
        part(f"{where}.step", "message", leftover(raw, shown))
