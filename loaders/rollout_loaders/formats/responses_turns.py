"""Turns from a flat list of Responses items: which items one assistant message of the model wrote.

A list of items does not say where one model reply ends, so the grouping is ours: a turn starts at the first
model-written item after anything the model did not write, at a second assistant message, and at reasoning that follows
a message or a call. Think tags inside texts stay literal: the record says what was scored (CONTRACT 4.2).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rollout_loaders.convert.waiting_calls import WaitingCalls
from rollout_loaders.jsondecode import BadJson, decode, encode
from rollout_loaders.model import InputMessage, Item, JsonValue, TextPiece, ToolCall, Turn, is_object

from .fields import text
from .responses_items import BARE_STRING, foreign_blocks, output_text, refusal_text

CALL_OUTPUT = "_call_output"
HOSTED = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
)
"""Calls that the provider runs within the same reply; their result is no item of its own (gym-semantics 2)."""
INPUT_ROLES = frozenset({"user", "system", "developer", "tool"})


@dataclass(frozen=True, slots=True)
class ToolFacts:
    """What an observation adds to a call: status, times (gym-semantics 3.3)."""

    status: str = "unknown"
    error: str | None = None
    started_at: str | None = None
    duration_ms: int | None = None
    output: str | None = None
    """Only a trajectory's tool calls carry one (3.7)."""
    extra: Mapping[str, JsonValue] = field(default_factory=lambda: {})


@dataclass(frozen=True, slots=True)
class Grouped:
    """Turns, what came in after the last of them, and the turn of each item (None for what came in)."""

    turns: tuple[Turn, ...]
    trailing: tuple[InputMessage, ...]
    turn_of: tuple[int | None, ...]


@dataclass(slots=True)
class _Open:
    """A turn being filled."""

    input: tuple[InputMessage, ...]
    first: int
    message_id: str | None = None
    key: str | None = None
    reasoning: list[TextPiece] = field(default_factory=lambda: [])
    answer: list[TextPiece] = field(default_factory=lambda: [])
    calls: list[tuple[int, ToolCall]] = field(default_factory=lambda: [])
    order: list[str] = field(default_factory=lambda: [])
    refused: bool = False
    unfinished: str | None = None


def is_output(item: Item) -> bool:
    """A result of a tool call, of the function kind or a hosted one."""
    return item.type.endswith(CALL_OUTPUT)


def is_call(item: Item) -> bool:
    """A tool call of any kind: `function_call`, `mcp_call`, `web_search_call`, …"""
    return item.type.endswith("_call")


def is_model_written(item: Item) -> bool:
    """What the model wrote: assistant messages, reasoning, calls, and a bare string where items are expected."""
    if item.type == "message":
        return item.role not in INPUT_ROLES
    return item.type in ("reasoning", BARE_STRING) or is_call(item)


def starts_turn(item: Item, after_other: bool, has_message: bool, has_call: bool) -> bool:
    """Whether a model-written item starts a turn, given what the open turn holds."""
    if after_other:
        return True
    if item.type == "reasoning":
        return has_message or has_call
    return has_message and item.type in ("message", BARE_STRING)


def group(
    items: Sequence[Item],
    keys: Sequence[str],
    *,
    prelude: tuple[InputMessage, ...] = (),
    tools: Mapping[str, Sequence[ToolFacts]] | None = None,
    children: Mapping[str, str] | None = None,
    turn_keys: Mapping[str, str] | None = None,
) -> Grouped:
    """Group `items` into turns.

    Args: `keys[i]` is the place of item i (`output[3]`), its id where it has none of its own; `prelude` came in before
    the first item; `tools` gives, by call id and in order, what observations say of a call; `children` maps a call
    id to the invocation that it started; `turn_keys` gives for an item's id the recorded turn it belongs to, which then
    decides instead of the grouping rule.
    """
    return _Grouping(items, keys, prelude, tools or {}, children or {}, turn_keys or {}).run()


class _Grouping:
    def __init__(
        self,
        items: Sequence[Item],
        keys: Sequence[str],
        prelude: tuple[InputMessage, ...],
        tools: Mapping[str, Sequence[ToolFacts]],
        children: Mapping[str, str],
        turn_keys: Mapping[str, str],
    ) -> None:
        self._items, self._keys = items, keys
        self._pending = list(prelude)
        self._tools = {call_id: deque(facts) for call_id, facts in tools.items()}
        self._children = dict(children)
        self._turn_keys = turn_keys
        self._open: list[_Open] = []
        self._turn_of: list[int | None] = []
        self._waiting = WaitingCalls[int]()
        """Places of calls in their turn."""
        self._ids: set[str] = {message.id for message in prelude}

    def run(self) -> Grouped:
        after_other = True
        for index, item in enumerate(self._items):
            if is_model_written(item):
                if self._starts_turn(item, after_other):
                    self._open.append(_Open(tuple(self._pending), index))
                    self._pending.clear()
                self._write(self._open[-1], index, item)
                self._turn_of.append(len(self._open))
                after_other = False
            else:
                self._turn_of.append(None)
                after_other = True
                if not is_output(item) or not self._take_call(item):
                    self._pending.append(self._came_in(index, item))
        self._pair()
        turns = tuple(self._close(number, turn) for number, turn in enumerate(self._open, 1))
        return Grouped(turns, tuple(self._pending), tuple(self._turn_of))

    def _starts_turn(self, item: Item, after_other: bool) -> bool:
        if not self._open:
            return True
        turn = self._open[-1]
        key = self._turn_keys.get(item.id or "") or self._turn_keys.get(item.call_id or "")
        if key is not None and turn.key is not None and not self._pending:
            return key != turn.key
        return starts_turn(item, after_other, bool(turn.answer), bool(turn.calls))

    def _id(self, index: int, item: Item) -> str:
        """The item's own id where no item before it has the same, else its place."""
        own = item.id or item.call_id
        chosen = own if own and own not in self._ids else self._keys[index]
        self._ids.add(chosen)
        return chosen

    def _write(self, turn: _Open, index: int, item: Item) -> None:
        item_id = self._id(index, item)
        turn.order.append(item_id)
        turn.key = turn.key or self._turn_keys.get(item.id or "") or self._turn_keys.get(item.call_id or "")
        if item.type == "reasoning":
            turn.reasoning.append(TextPiece(item_id, item.text or ""))
        elif is_call(item):
            if "output" not in item.data:
                self._waiting.add(item.call_id, len(self._open), len(turn.calls))
            turn.calls.append((index, _call(item, item_id)))
        else:
            refusal = refusal_text(item.data)
            said = [part for part in (item.text, refusal) if part is not None]
            turn.refused = turn.refused or refusal is not None
            turn.answer.append(TextPiece(item_id, "\n".join(said)))
            turn.message_id = turn.message_id or item.id
            if text(item.data, "status") in ("incomplete", "in_progress"):
                turn.unfinished = f"its message is recorded as {text(item.data, 'status')}"

    def _take_call(self, item: Item) -> bool:
        """Give an output to the call it answers."""
        taken = self._waiting.take(item.call_id)
        if taken is None:
            return False
        number, place = taken
        index, call = self._open[number - 1].calls[place]
        self._open[number - 1].calls[place] = (index, _answered(call, item))
        self._turn_of[-1] = number
        return True

    def _pair(self) -> None:
        """What observations say of the calls, the n-th record of a call id to its n-th call; children to the first."""
        for turn in self._open:
            turn.calls = [(index, self._known(call, self._items[index])) for index, call in turn.calls]

    def _known(self, call: ToolCall, item: Item) -> ToolCall:
        facts = self._tools.get(call.call_id or "")
        child = self._children.pop(call.call_id or "", None)
        if facts:
            call = _observed(call, facts.popleft())
        elif call.output is None and item.type == "function_call" and call.status == "completed":
            # A call is written as completed when the model has sent it; without a result it was never run (5.3).
            call = replace(call, status="incomplete")
        return call if child is None else replace(call, child=child)

    def _came_in(self, index: int, item: Item) -> InputMessage:
        return input_message(item, self._id(index, item))

    def _close(self, number: int, turn: _Open) -> Turn:
        return Turn(
            number=number,
            message_id=turn.message_id or self._items[turn.first].id or self._keys[turn.first],
            input=turn.input,
            reasoning=tuple(turn.reasoning),
            answer=tuple(turn.answer),
            tool_calls=tuple(call for _, call in turn.calls),
            order=tuple(turn.order),
            finish="refusal" if turn.refused else None,
            unfinished=turn.unfinished,
        )


def input_message(item: Item, message_id: str) -> InputMessage:
    """An item that the model did not write, as what came in. Nothing is left out: a shape without text is JSON."""
    if is_output(item):
        return InputMessage(message_id, "tool", item.text or _json(item.data.get("output")), kind="orphan-tool-result")
    if item.type == "message":
        blocks = foreign_blocks(item.data)
        said = item.text if item.text is not None else ""
        lines = [said] if said or not blocks else []
        lines += [f"[{block}]" for block in blocks]
        kind = "text" if not blocks else blocks[0].removeprefix("input_")
        return InputMessage(message_id, item.role or "user", "\n".join(lines), kind=kind)
    said = item.text if item.text is not None else _json(item.data)
    name = f"{item.name} " if item.name else ""
    role = "assistant" if is_model_written(item) else "unknown"
    return InputMessage(message_id, role, f"{name}{said}", kind=item.type)


def _call(item: Item, item_id: str) -> ToolCall:
    given: JsonValue = item.data.get("arguments")
    if given is None:
        given = item.data.get("input", item.data.get("action", item.data.get("queries")))
    status = {"in_progress": "incomplete"}.get(recorded := text(item.data, "status") or "", recorded)
    own = item.data.get("output")
    call = ToolCall(
        id=item_id,
        call_id=item.call_id,
        name=item.name or item.type,
        arguments=_arguments(given),
        status=status or "unknown",
        error=text(item.data, "error"),
    )
    if item.type != "function_call":
        call = replace(call, hosted=item.type in HOSTED, extra={"item": item.data})
    if own is not None:
        call = replace(call, output=_output(own), attachments=foreign_blocks({"content": own}))
    return call


def _answered(call: ToolCall, item: Item) -> ToolCall:
    """`call` with its result. The call's own recorded status holds; the output's stands in where there is none."""
    output = item.data.get("output")
    status = call.status
    if status == "unknown":
        recorded = text(item.data, "status")
        status = "incomplete" if recorded == "in_progress" else recorded or status
    return replace(call, output=_output(output), status=status, attachments=foreign_blocks({"content": output}))


def _output(value: JsonValue) -> str:
    """Text of a tool's output; JSON for a shape that has none, '' where images or files are all there is."""
    said = output_text(value)
    if said is not None:
        return said
    return "" if foreign_blocks({"content": value}) else _json(value)


def _observed(call: ToolCall, facts: ToolFacts) -> ToolCall:
    return replace(
        call,
        status=facts.status,
        output=call.output if call.output is not None else facts.output,
        error=facts.error or call.error,
        started_at=facts.started_at,
        duration_ms=facts.duration_ms,
        extra={**call.extra, **facts.extra},
    )


def _arguments(given: JsonValue) -> JsonValue:
    """The object that a JSON string holds, else the value as it is (`ToolCall.arguments`)."""
    if not isinstance(given, str):
        return given
    try:
        value = decode(given.encode("utf-8", "surrogatepass")).value
    except BadJson:
        return given
    return value if is_object(value) else given


def _json(value: JsonValue) -> str:
    return "" if value is None else encode(value).decode("ascii")
