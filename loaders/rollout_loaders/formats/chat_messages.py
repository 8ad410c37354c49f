"""OpenAI-like chat messages folded into a conversation: what verifiers and mini-swe-agent keep (gym-semantics 12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rollout_loaders.convert.logged import LoggedConversation, Result, TurnDraft
from rollout_loaders.jsondecode import BadJson, decode, encode
from rollout_loaders.model import InputMessage, JsonObject, JsonValue, StoredPart, ToolCall, is_array, is_object

from .fields import as_array, mapping, text
from .logged_file import attachment, leftover

REASONING_KEYS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
"""Where servers put typed reasoning beside the content of a message; the first that is set holds it."""
_TEXT_TYPES = frozenset({"text", "output_text", "input_text"})
_REASONING_TYPES = frozenset({"thinking", "reasoning", "redacted_thinking"})


def fold(
    conversation: LoggedConversation, messages: JsonValue, path: str, *, scored: bool = False, came_in: bool = False
) -> None:
    """Feed messages in order. `path` is their place in the file.

    `scored`: all of them are what was scored. `came_in`: the run did not write any of them, whatever their role. A
    string in place of a list is one completion, or one prompt where it came in.
    """
    if isinstance(messages, str):
        one: JsonObject = {"role": "user" if came_in else "assistant", "content": messages}
        message(conversation, one, path, scored=scored, came_in=came_in, as_written=messages)
        return
    for index, raw in enumerate(as_array(messages) or ()):
        where = f"{path}[{index}]"
        if is_object(raw):
            message(conversation, raw, where, scored=scored, came_in=came_in)
        else:
            shown = raw if isinstance(raw, str) else encode(raw).decode("ascii")
            conversation.incoming(InputMessage(conversation.unused(where), "unknown", shown, kind="unreadable"))
            conversation.part(StoredPart(where, where, "unreadable", {"value": raw}, locator=where))


def message(
    conversation: LoggedConversation,
    raw: JsonObject,
    where: str,
    *,
    scored: bool = False,
    came_in: bool = False,
    as_written: JsonValue = None,
) -> TurnDraft | None:
    """One message; the turn where the model wrote it. `as_written` is its stored form where it is no object."""
    role = text(raw, "role") or "unknown"
    draft: TurnDraft | None = None
    if came_in:
        conversation.incoming(InputMessage(conversation.unused(where), role, _shown(raw)))
    elif role == "assistant":
        draft = assistant(conversation, raw, where, scored=scored)
    elif role in ("tool", "function"):
        said, files = content_text(raw.get("content"))
        number = conversation.result(text(raw, "tool_call_id"), Result(said, attachments=files), where)
        store(conversation, raw, where, role, number, as_written)
        return None
    else:
        conversation.incoming(InputMessage(conversation.unused(where), role, _shown(raw)), read=scored)
    store(conversation, raw, where, role, None if draft is None else draft.number, as_written)
    return draft


def _shown(raw: JsonObject) -> str:
    """What came in, as text: its content, its files and, of an assistant's example, its calls."""
    said, files = content_text(raw.get("content"))
    lines = [said] if said or not files else []
    lines += [f"[{file}]" for file in files]
    lines += [f"[call] {call if isinstance(call, str) else encode(call).decode('ascii')}" for call in _calls(raw)]
    return "\n".join(lines)


def assistant(conversation: LoggedConversation, raw: JsonObject, where: str, *, scored: bool) -> TurnDraft:
    """A reply: its reasoning, its text, then its calls."""
    draft = conversation.turn(where)
    for place, thought in _reasoning(raw, where):
        conversation.reason(draft, place, thought)
    said, files = content_text(raw.get("content"))
    refusal = text(raw, "refusal")
    if refusal:
        said = f"{said}\n{refusal}" if said else refusal
        draft.finish = "refusal"
    conversation.answer(draft, where, said, read_when_blank=scored)
    draft.other.extend(files)
    for index, call in enumerate(_calls(raw)):
        conversation.call(draft, tool_call(call, f"{where}.call-{index}"))
    return draft


def tool_call(raw: JsonValue, place: str) -> ToolCall:
    """A call in OpenAI's nested form, a flat one, or either written as a JSON string."""
    if isinstance(raw, str):
        value = decoded(raw)
        if not is_object(value):
            return ToolCall(place, None, "unknown", raw, "unknown", invalid=True)
        raw = value
    if not is_object(raw):
        return ToolCall(place, None, "unknown", raw, "unknown", invalid=True)
    function = mapping(raw, "function") or raw
    arguments = function.get("arguments", function.get("input"))
    call_id = text(raw, "id")
    given = decoded(arguments) if isinstance(arguments, str) else arguments
    return ToolCall(
        id=call_id or place,
        call_id=call_id,
        name=text(function, "name") or "unknown",
        arguments=given if is_object(given) else arguments,
        status="unknown",
    )


def decoded(written: str) -> JsonValue:
    """The JSON value of a string, or the string itself."""
    try:
        return decode(written.encode("utf-8", "surrogatepass")).value
    except BadJson:
        return written


def content_text(content: JsonValue) -> tuple[str, tuple[str, ...]]:
    """Text blocks joined by newline, and one line for every block of another kind that is no reasoning."""
    if isinstance(content, str):
        return content, ()
    texts: list[str] = []
    files: list[str] = []
    for block in (content,) if is_object(content) else as_array(content) or ():
        if isinstance(block, str):
            texts.append(block)
        elif not is_object(block):
            continue
        elif (text(block, "type") or "text") in _TEXT_TYPES and isinstance(block.get("text"), str):
            texts.append(text(block, "text") or "")
        elif text(block, "type") not in _REASONING_TYPES:
            files.append(attachment(block))
    return "\n".join(texts), tuple(files)


def _calls(raw: JsonObject) -> Sequence[JsonValue]:
    calls = as_array(raw.get("tool_calls"))
    if calls is not None:
        return calls
    legacy = raw.get("function_call")
    return (legacy,) if is_object(legacy) else ()


def _reasoning(raw: JsonObject, where: str) -> Iterator[tuple[str, str]]:
    """Typed reasoning beside the content, else reasoning blocks in it or in `thinking_blocks`."""
    for key in REASONING_KEYS:
        said = text(raw, key)
        if said:
            yield f"{where}.{key}", said
            return
    for key in ("content", "thinking_blocks"):
        for index, block in enumerate(as_array(raw.get(key)) or ()):
            if is_object(block) and text(block, "type") in _REASONING_TYPES:
                said = text(block, "thinking") or text(block, "text") or text(block, "reasoning")
                if said:
                    yield f"{where}.{key}-{index}", said


def store(
    conversation: LoggedConversation,
    raw: JsonObject,
    where: str,
    role: str,
    turn: int | None,
    as_written: JsonValue = None,
) -> None:
    """The stored lens: each text of the message as a part of its own, then whatever else the message holds."""

    def part(ident: str, kind: str, data: JsonObject) -> None:
        conversation.part(StoredPart(ident, where, kind, data, locator=where, role=role, turn=turn))

    for key in REASONING_KEYS:
        if isinstance(raw.get(key), str):
            part(f"{where}.{key}", "reasoning", {"type": key, "text": raw[key]})
    content = raw.get("content")
    if isinstance(content, str):
        part(where, "text", {"type": "text", "text": content})
    elif is_array(content):
        for index, block in enumerate(content):
            data = block if isinstance(block, Mapping) else {"value": block}
            part(where if index == 0 else f"{where}.{index}", text(data, "type") or "block", data)
    elif content is not None:
        part(where, "content", {"content": content})
    for index, call in enumerate(as_array(raw.get("tool_calls")) or ()):
        part(f"{where}.call-{index}", "tool_call", call if isinstance(call, Mapping) else {"value": call})
    shown = {"content", *(key for key in REASONING_KEYS if isinstance(raw.get(key), str))}
    if as_array(raw.get("tool_calls")) is not None:
        shown.add("tool_calls")
    if as_written is None:
        part(f"{where}.message", "message", leftover(raw, frozenset(shown)))
