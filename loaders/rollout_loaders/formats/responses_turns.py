"""Turns from a flat list of Responses items: which items one assistant message of the model wrote.

A list of items does not say where one model reply ends, so the grouping is ours: a turn starts at the first
model-written item after anything the model did not write, at a second assistant message, and at reasoning that follows
a message or a call. Think tags inside texts stay literal: the record says what was scored (CONTRACT 4.2).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from rollout_loaders.convert.waiting_calls import WaitingCalls
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import InputMessage, Item, TextPiece, ToolCall, Turn

from .fields import text
from .responses_calls import ToolFacts, as_json, tool_call
from .responses_items import BARE_STRING, foreign_blocks, refusal_text

CALL_OUTPUT = "_call_output"
INPUT_ROLES = frozenset({"user", "system", "developer", "tool"})


@dataclass(frozen=True, slots=True)
class Grouped:
    """Turns, what came in after the last of them, and the turn of each item (None for what came in)."""

    turns: tuple[Turn, ...]
    trailing: tuple[InputMessage, ...]
    turn_of: tuple[int | None, ...]


class _OpenCall:
    """A call that may still be answered."""

    __slots__ = ("answer", "item", "item_id")

    def __init__(self, item: Item, item_id: str) -> None:
        self.item, self.item_id = item, item_id
        self.answer: Item | None = None


class _Open:
    """A turn being filled."""

    __slots__ = (
        "answer",
        "calls",
        "first",
        "input",
        "key",
        "message_id",
        "order",
        "reasoning",
        "refused",
        "unfinished",
    )

    def __init__(self, came_in: tuple[InputMessage, ...], first: int) -> None:
        self.input, self.first = came_in, first
        self.message_id: str | None = None
        self.key: str | None = None
        self.reasoning: list[TextPiece] = []
        self.answer: list[TextPiece] = []
        self.calls: list[_OpenCall] = []
        self.order: list[str] = []
        self.refused = False
        self.unfinished: str | None = None


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
    in_context: bool | None = None,
) -> Grouped:
    """Group `items` into turns.

    Args: `keys[i]` is the place of item i (`output[3]`), its id where it has none of its own; `prelude` came in before
    the first item; `tools` gives, by call id and in order, what observations say of a call; `children` maps a call
    id to the invocation that it started; `turn_keys` gives for an item's id the recorded turn it belongs to, which then
    decides instead of the grouping rule; `in_context` is what every turn says of the context at the end, where that
    is known (no compaction is recorded).
    """
    return _Grouping(items, keys, prelude, tools or {}, children or {}, turn_keys or {}, in_context).run()


class _Grouping:
    def __init__(
        self,
        items: Sequence[Item],
        keys: Sequence[str],
        prelude: tuple[InputMessage, ...],
        tools: Mapping[str, Sequence[ToolFacts]],
        children: Mapping[str, str],
        turn_keys: Mapping[str, str],
        in_context: bool | None,
    ) -> None:
        self._items, self._keys = items, keys
        self._pending = list(prelude)
        self._tools = {call_id: deque(facts) for call_id, facts in tools.items()}
        self._children = dict(children)
        self._turn_keys = turn_keys
        self._in_context = in_context
        self._open: list[_Open] = []
        self._turn_of: list[int | None] = []
        self._waiting = WaitingCalls[_OpenCall]()
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
        turns = tuple(self._close(number, turn) for number, turn in enumerate(self._open, 1))
        return Grouped(turns, tuple(self._pending), tuple(self._turn_of))

    def _starts_turn(self, item: Item, after_other: bool) -> bool:
        if not self._open:
            return True
        turn = self._open[-1]
        if self._turn_keys and turn.key is not None and not self._pending:
            key = self._key(item)
            if key is not None:
                return key != turn.key
        return starts_turn(item, after_other, bool(turn.answer), bool(turn.calls))

    def _key(self, item: Item) -> str | None:
        return self._turn_keys.get(item.id or "") or self._turn_keys.get(item.call_id or "")

    def _id(self, index: int, item: Item) -> str:
        """The item's own id where no item before it has the same, else its place."""
        own = item.id or item.call_id
        chosen = own if own and own not in self._ids else self._keys[index]
        self._ids.add(chosen)
        return chosen

    def _write(self, turn: _Open, index: int, item: Item) -> None:
        item_id = self._id(index, item)
        turn.order.append(item_id)
        if self._turn_keys:
            turn.key = turn.key or self._key(item)
        if item.type == "reasoning":
            turn.reasoning.append(TextPiece(item_id, item.text or ""))
        elif is_call(item):
            call = _OpenCall(item, item_id)
            turn.calls.append(call)
            if "output" not in item.data:
                self._waiting.add(item.call_id, len(self._open), call)
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
        self._turn_of[-1], call = taken
        call.answer = item
        return True

    def _call(self, call: _OpenCall) -> ToolCall:
        """With what observations say, the n-th record of a call id for its n-th call; its child goes to the first."""
        call_id = call.item.call_id or ""
        facts = self._tools.get(call_id)
        child = self._children.pop(call_id, None)
        return tool_call(call.item, call.item_id, call.answer, facts.popleft() if facts else None, child)

    def _came_in(self, index: int, item: Item) -> InputMessage:
        return input_message(item, self._id(index, item), self._in_context)

    def _close(self, number: int, turn: _Open) -> Turn:
        return Turn(
            number=number,
            message_id=turn.message_id or self._items[turn.first].id or self._keys[turn.first],
            input=turn.input,
            reasoning=tuple(turn.reasoning),
            answer=tuple(turn.answer),
            tool_calls=tuple([self._call(call) for call in turn.calls]),
            order=tuple(turn.order),
            finish="refusal" if turn.refused else None,
            unfinished=turn.unfinished,
            in_context_at_end=self._in_context,
        )


def input_message(item: Item, message_id: str, in_context: bool | None = None) -> InputMessage:
    """An item that the model did not write, as what came in. Nothing is left out: a shape without text is JSON."""
    role, said, kind = _came_in(item)
    return InputMessage(message_id, role, said, kind=kind, in_context_at_end=in_context)


def _came_in(item: Item) -> tuple[str, str, str]:
    """Role, text and kind."""
    if is_output(item):
        return "tool", item.text or as_json(item.data.get("output")), "orphan-tool-result"
    said = item.text if item.text is not None else ""
    if item.type == "message":
        blocks = foreign_blocks(item.data)
        lines = [said] if said or not blocks else []
        lines += [f"[{block}]" for block in blocks]
        kind = "text" if not blocks else blocks[0].removeprefix("input_")
        return item.role or "user", "\n".join(lines), kind
    if item.text is None:
        said = as_json(item.data)
    name = f"{item.name} " if item.name else ""
    return "assistant" if is_model_written(item) else "unknown", f"{name}{said}", item.type
