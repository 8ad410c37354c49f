"""A conversation that a harness logged with roles of its own, folded in file order into turns, items and parts.

For formats without a conversion of Gym's own: every model reply is a turn whatever it holds, also one without any text,
so that an earlier answer never becomes the last (CONTRACT 3); think tags are literal; a result is given to the latest
turn that waits for one under its call id, and there to the first call in call order, since ids repeat (formats 05f).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from rollout_loaders.fast_dataclass import changed, dataclass
from rollout_loaders.model import (
    Compaction,
    InputMessage,
    Invocation,
    Item,
    JsonObject,
    JsonValue,
    Place,
    StoredPart,
    TextPiece,
    ToolCall,
    Turn,
    TurnError,
    Usage,
)

from .context import with_context
from .items import function_call_item, function_call_output_item, message_item, reasoning_item
from .unique_ids import UniqueIds
from .waiting_calls import WaitingCalls

USAGE_NAMES = ("input", "output", "reasoning", "cached", "cost")


@dataclass(frozen=True, slots=True)
class Result:
    """What came back from a tool. `failed` None: the record does not say."""

    text: str
    failed: bool | None = None
    attachments: tuple[str, ...] = ()
    exit_code: int | None = None
    duration_ms: int | None = None
    interrupted: bool = False
    child: str | None = None
    extra: JsonObject = field(default_factory=lambda: {})

    @property
    def status(self) -> str:
        """In the rollout's words (gym-semantics 3.3)."""
        return {True: "failed", False: "completed", None: "unknown"}[self.failed]


class TurnDraft:
    """A turn while its record is still being read. Fields left None are unknown."""

    def __init__(self, number: int, message_id: str, given: tuple[InputMessage, ...]) -> None:
        self.number = number
        self.message_id = message_id
        self.input = given
        self.reasoning: list[TextPiece] = []
        self.answer: list[TextPiece] = []
        self.calls: list[ToolCall] = []
        self.order: list[str] = []
        self.answered: set[int] = set()
        self.other: list[JsonValue] = []
        self.started_at: str | None = None
        self.completed_at: str | None = None
        self.finish: str | None = None
        self.error: TurnError | None = None
        self.usage: Mapping[str, int | float | None] = {}
        self.model: str | None = None
        self.agent: str | None = None
        self.partial = False
        self.unfinished: str | None = None
        self.held: bool | None = None
        self.extra: dict[str, JsonValue] = {}
        self._first_waiting = 0

    def first_waiting(self) -> int:
        """Place of the first call that nothing answered; behind the last where all are. None waits again."""
        while self._first_waiting in self.answered:
            self._first_waiting += 1
        return self._first_waiting

    def finished(self) -> Turn:
        """The turn; a call that nothing answered is incomplete unless the record gave it a status."""
        calls = tuple(
            changed(call, status="incomplete") if place not in self.answered and call.status == "unknown" else call
            for place, call in enumerate(self.calls)
        )
        extra = {**self.extra, **({"other_blocks": tuple(self.other)} if self.other else {})}
        return Turn(
            number=self.number,
            message_id=self.message_id,
            started_at=self.started_at,
            completed_at=self.completed_at,
            partial=self.partial,
            input=self.input,
            reasoning=tuple(self.reasoning),
            answer=tuple(self.answer),
            tool_calls=calls,
            order=tuple(self.order),
            finish=self.finish,
            error=self.error,
            usage={name: self.usage.get(name) for name in USAGE_NAMES},
            unfinished=self.unfinished,
            in_context_at_end=self.held,
            model=self.model,
            agent=self.agent,
            extra=extra,
        )


class LoggedConversation:
    """Feed it replies, inputs, results and compactions in order; then ask for `invocation()` and `output`."""

    def __init__(self, invocation_id: str, turns_before: int = 0) -> None:
        """`turns_before` a branch: its turns are numbered on from there."""
        self.invocation_id = invocation_id
        self._before = turns_before
        self.drafts: list[TurnDraft] = []
        self.compactions: list[Compaction] = []
        self.parts: list[StoredPart] = []
        self.output: list[Item] = []
        """What the agent wrote and its tools gave: the items that count as its response."""
        self.conversation: list[Item] = []
        self._pending: list[InputMessage] = []
        self._ids = UniqueIds()
        self._waiting = WaitingCalls[int]()
        """Places of calls in their turn."""

    @property
    def trailing(self) -> tuple[InputMessage, ...]:
        """What came in after the latest turn."""
        return tuple(self._pending)

    @property
    def turn_count(self) -> int:
        """Number of the latest turn; 0 before the first."""
        return self._before + len(self.drafts)

    def turn(self, message_id: str) -> TurnDraft:
        """Start a turn: everything that came in since the last one is its input."""
        draft = TurnDraft(self.turn_count + 1, message_id, tuple(self._pending))
        self._pending.clear()
        self.drafts.append(draft)
        return draft

    def reason(self, draft: TurnDraft, item_id: str, text: str) -> str:
        """A piece of reasoning; a blank one is in the stored lens only. Returns the id that it got."""
        item_id = self.unused(item_id)
        if text.strip():
            draft.reasoning.append(TextPiece(item_id, text))
            draft.order.append(item_id)
            self._emit(reasoning_item(text, item_id=item_id, place=self._place(draft.number, item_id)))
        return item_id

    def answer(self, draft: TurnDraft, item_id: str, text: str, *, read_when_blank: bool = False) -> str:
        """A piece of the answer; a blank one is no answer (CONTRACT 3, `final_answer`). Returns the id that it got.

        `read_when_blank`: what scored this conversation read every message, so a blank one is in `output` as well.
        """
        item_id = self.unused(item_id)
        if not text.strip() and read_when_blank:
            self.output.append(message_item(text, item_id=item_id, place=self._place(draft.number, item_id)))
        if text.strip():
            draft.answer.append(TextPiece(item_id, text))
            draft.order.append(item_id)
            self._emit(message_item(text, item_id=item_id, place=self._place(draft.number, item_id)))
        return item_id

    def call(self, draft: TurnDraft, call: ToolCall, *, waits: bool = True) -> ToolCall:
        """A tool call; `waits` False where the record itself says that it gets no result."""
        call = changed(call, id=self.unused(call.id))
        if waits:
            self._waiting.add(call.call_id or "", draft.number, len(draft.calls))
        draft.calls.append(call)
        draft.order.append(call.id)
        item = function_call_item(
            call_id=call.call_id or call.id,
            name=call.name,
            arguments=call.arguments,
            item_id=call.id,
            place=self._place(draft.number, call.id),
        )
        self._emit(item)
        return call

    def result(self, call_id: str | None, result: Result, record_id: str) -> int | None:
        """The result of a call. Returns the turn whose call it answers; None for one whose call the record lacks."""
        place = self._waiting.take(call_id or "")
        if place is None:
            shown = f"(result without its call{f', {call_id}' if call_id else ''})\n{result.text}"
            self.incoming(InputMessage(self.unused(record_id), "tool", shown, kind="orphan-tool-result"))
            return None
        number, index = place
        draft = self.drafts[number - 1 - self._before]
        draft.answered.add(index)
        call = draft.calls[index]
        draft.calls[index] = _answered(call, result)
        item_id = self.unused(f"{call.id}-output")
        self._emit(
            function_call_output_item(
                result.text,
                call_id=call.call_id or call.id,
                item_id=item_id,
                status="incomplete" if result.interrupted else "completed",
                place=self._place(number, call.id),
            )
        )
        return number

    def incoming(self, message: InputMessage, *, read: bool = False) -> None:
        """What the model did not write. `read`: what scored this conversation read it too, so it is in `output`."""
        self._pending.append(message)
        self._ids.add(message.id)
        if not message.ignored:
            role = message.role if message.role in ("system", "developer") else "user"
            place = self._place(self.turn_count + 1, message.id)
            item = message_item(message.text, item_id=message.id, role=role, place=place)
            self.conversation.append(item)
            if read:
                self.output.append(item)

    def part(self, part: StoredPart) -> None:
        """A record, verbatim."""
        self.parts.append(part)

    def unused(self, item_id: str) -> str:
        """`item_id`, with a count behind it where the record used it before."""
        return self._ids.take(item_id)

    def invocation(self, **more: object) -> Invocation:
        """The conversation, with what the context held at the end. `more` are further fields of `Invocation`."""
        found = Invocation(
            id=self.invocation_id,
            turns=tuple(draft.finished() for draft in self.drafts),
            compactions=tuple(self.compactions),
            trailing_input=tuple(self._pending),
            items=tuple(self.conversation),
            parts=tuple(self.parts),
        )
        made = changed(found, **more) if more else found  # type: ignore[arg-type]
        return with_context(changed(made, items=tuple(self._settled(item, made.id) for item in made.items)))

    def _settled(self, item: Item, owner: str) -> Item:
        """Its place, now that the conversation's name and last turn are known: a place must lead back to it."""
        turn = item.place.turn
        late = turn is not None and turn > len(self.drafts)
        if not late and item.place.invocation == owner:
            return item
        return changed(item, place=changed(item.place, invocation=owner, turn=None if late else turn))

    def _emit(self, item: Item) -> None:
        self.output.append(item)
        self.conversation.append(item)

    def _place(self, turn: int | None, item_id: str | None) -> Place:
        return Place(invocation=self.invocation_id, turn=turn, item_id=item_id)


def _answered(call: ToolCall, result: Result) -> ToolCall:
    return changed(
        call,
        status=result.status if call.status == "unknown" else call.status,
        output=result.text,
        error=result.text if result.failed else call.error,
        attachments=result.attachments,
        exit_code=result.exit_code if result.exit_code is not None else call.exit_code,
        duration_ms=result.duration_ms if result.duration_ms is not None else call.duration_ms,
        interrupted=result.interrupted or call.interrupted,
        child=result.child or call.child,
        extra={**call.extra, **result.extra},
    )


def summed(turns: Iterable[Turn], counted_by: str) -> Usage:
    """Tokens of these turns. A sum over turns that do not all state a number is None: it would be too small.

    Turns without any number (interrupted ones, harness messages) are named in `counted_by` and leave the sum as it is.
    """
    every = list(turns)
    counted = [turn.usage for turn in every if any(value is not None for value in turn.usage.values())]
    if not counted:
        return Usage()
    if len(counted) < len(every):
        counted_by = f"{counted_by}; {len(every) - len(counted)} of {len(every)} turns hold no counts"
    values = {name: _total([usage.get(name) for usage in counted]) for name in USAGE_NAMES}
    return Usage(
        input=_whole(values["input"]),
        output=_whole(values["output"]),
        reasoning=_whole(values["reasoning"]),
        cached=_whole(values["cached"]),
        cost=values["cost"],
        counted_by=counted_by,
    )


def _total(values: Sequence[int | float | None]) -> float | None:
    stated = [value for value in values if value is not None]
    return sum(stated) if stated and len(stated) == len(values) else None


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
