"""Small builders of model objects: the synthetic rollouts of the tests of views, terminal and widget.

Every builder takes what the test is about and fills in the rest, so that a test says only what it means. Ids are given
in the form of the harnesses (`msg_…`, `prt_…`, `call_…`) and depend on the arguments alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rollout_loaders.model import (
    Attribution,
    Branch,
    Compaction,
    FinalAnswer,
    Finding,
    Gap,
    Grading,
    Harness,
    HarnessNote,
    InputMessage,
    Invocation,
    Item,
    JsonObject,
    JsonValue,
    Outcome,
    Place,
    Reason,
    Rollout,
    RolloutSummary,
    Route,
    Scored,
    SourceRef,
    StoredPart,
    Task,
    TextPiece,
    ToolCall,
    Turn,
    TurnError,
    Usage,
)

ROOT = "ses_root"


def pieces(texts: str | Sequence[str | TextPiece], prefix: str) -> tuple[TextPiece, ...]:
    """Text pieces from a string, strings or ready pieces; ids `{prefix}1`, `{prefix}2`, …."""
    given: Sequence[str | TextPiece] = [texts] if isinstance(texts, str) else texts
    return tuple(
        TextPiece(id=f"{prefix}{index}", text=text) if isinstance(text, str) else text
        for index, text in enumerate(given, 1)
    )


def message(text: str, role: str = "user", **fields: Any) -> InputMessage:
    """What came in."""
    fields.setdefault("id", f"msg_in_{role}")
    return InputMessage(role=role, text=text, **fields)


def tool_call(
    name: str = "bash",
    arguments: JsonValue = None,
    output: str | None = "4",
    *,
    status: str = "completed",
    call_id: str | None = "call_1",
    **fields: Any,
) -> ToolCall:
    """A tool call with its result."""
    fields.setdefault("id", f"prt_{call_id}")
    chosen: JsonValue = {"command": "echo $((2+2))"} if arguments is None else arguments
    return ToolCall(call_id=call_id, name=name, arguments=chosen, status=status, output=output, **fields)


def turn(
    number: int = 1,
    *,
    user: str | None = None,
    reasoning: str | Sequence[str | TextPiece] = (),
    answer: str | Sequence[str | TextPiece] = (),
    tools: Sequence[ToolCall] = (),
    error: str | TurnError | None = None,
    **fields: Any,
) -> Turn:
    """A turn whose record holds reasoning, answer and tool calls in that order, unless `order` says otherwise."""
    thought = pieces(reasoning, f"prt_t{number}-reasoning-")
    said = pieces(answer, f"prt_t{number}-answer-")
    if user is not None:
        fields.setdefault("input", (message(user, id=f"msg_u{number}"),))
    fields.setdefault("message_id", f"msg_{number}")
    fields.setdefault("order", tuple([one.id for one in (*thought, *said)] + [one.id for one in tools]))
    return Turn(
        number=number,
        reasoning=thought,
        answer=said,
        tool_calls=tuple(tools),
        error=TurnError(name=None, message=error) if isinstance(error, str) else error,
        **fields,
    )


def compaction(after_turn: int | None = 1, *, outcome: str = "completed", **fields: Any) -> Compaction:
    """A compaction boundary."""
    fields.setdefault("id", f"cmp_{after_turn}")
    fields.setdefault("trigger", "overflow")
    return Compaction(outcome=outcome, after_turn=after_turn, **fields)


def invocation(*turns: Turn, ident: str = ROOT, compactions: Sequence[Compaction] = (), **fields: Any) -> Invocation:
    """One conversation."""
    fields.setdefault("status", "completed")
    return Invocation(id=ident, turns=turns, compactions=tuple(compactions), **fields)


def branch(*turns: Turn, ident: str = "branch_1", **fields: Any) -> Branch:
    """An abandoned branch."""
    fields.setdefault("forked_at", None)
    fields.setdefault("leaf", ident)
    fields.setdefault("summary", None)
    return Branch(id=ident, turns=turns, **fields)


def part(ident: str, kind: str = "text", *, text: str | None = None, **fields: Any) -> StoredPart:
    """A stored part; `data` holds the type, the text and whatever `data` adds."""
    data: dict[str, JsonValue] = {"type": kind}
    if text is not None:
        data["text"] = text
    data.update(fields.pop("data", {}))
    fields.setdefault("message_id", "msg_1")
    return StoredPart(id=ident, type=kind, data=data, **fields)


def message_item(text: str | None, role: str = "assistant", *, ident: str = "item_1", **fields: Any) -> Item:
    """A message item with one text block, or none where `text` is None."""
    block = "output_text" if role == "assistant" else "input_text"
    content: list[JsonValue] = [] if text is None else [{"type": block, "text": text}]
    data: JsonObject = {"id": ident, "type": "message", "role": role, "content": content}
    return Item(type="message", data=data, id=ident, role=role, text=text, **fields)


def reasoning_item(text: str, *, ident: str = "item_r", **fields: Any) -> Item:
    """A reasoning item with one summary text."""
    data: JsonObject = {"id": ident, "type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}
    return Item(type="reasoning", data=data, id=ident, text=text, **fields)


def call_item(name: str, arguments: JsonObject, *, call_id: str = "call_1", **fields: Any) -> Item:
    """A function_call item."""
    text = json.dumps(arguments)
    data: JsonObject = {"type": "function_call", "call_id": call_id, "name": name, "arguments": text}
    return Item(type="function_call", data=data, id=call_id, text=text, call_id=call_id, name=name, **fields)


def output_item(text: str, *, call_id: str = "call_1", **fields: Any) -> Item:
    """A function_call_output item."""
    data: JsonObject = {"type": "function_call_output", "call_id": call_id, "output": text}
    return Item(type="function_call_output", data=data, text=text, call_id=call_id, **fields)


def graded(reward: float | None = 1.0, *because: str, state: str = "graded", **fields: Any) -> Grading:
    """A grading; `because` as plain sentences."""
    return Grading(state=state, reward=reward, because=tuple(Reason(text) for text in because), **fields)


def scored_items(turns: Sequence[Turn], invocation_id: str) -> tuple[Item, ...]:
    """Items of the turns as the host response has them: inputs left out, reasoning apart, calls with outputs."""
    items: list[Item] = []
    for one in turns:
        here = Place(invocation=invocation_id, turn=one.number)
        thoughts = {piece.id: piece for piece in one.reasoning}
        answers = {piece.id: piece for piece in one.answer}
        calls = {call.id: call for call in one.tool_calls}
        for ident in one.order:
            place = replace(here, item_id=ident)
            if ident in thoughts:
                items.append(reasoning_item(thoughts[ident].text, ident=ident, place=place))
            elif ident in answers:
                items.append(message_item(answers[ident].text, ident=ident, place=place))
            elif ident in calls:
                call = calls[ident]
                arguments = call.arguments if isinstance(call.arguments, Mapping) else {"raw": call.arguments}
                call_id = call.call_id or call.id
                items.append(call_item(call.name, arguments, call_id=call_id, place=place))
                if call.output is not None:
                    items.append(output_item(call.output, call_id=call_id, place=place))
    return tuple(items)


def scored_of(root: Invocation) -> Scored:
    """The scored reading of a root invocation: its last assistant message item is the graded one."""
    items = scored_items(root.turns, root.id)
    messages = [index for index, item in enumerate(items) if item.is_assistant_message]
    if not messages:
        return Scored(items=items)
    last = items[messages[-1]]
    return Scored(items=items, final_text=last.text, final_item_id=last.id, final_index=messages[-1], origin=last.place)


def final_of(root: Invocation) -> FinalAnswer:
    """The final answer by CONTRACT 3: the last turn's answer, standing when that turn called no tool and ended."""
    if not root.turns:
        return FinalAnswer(because="there is no turn")
    last = root.turns[-1]
    stands = not last.tool_calls and last.error is None and not last.partial and not last.reverted
    said = [piece for piece in last.answer if piece.text.strip()] or list(last.answer)
    return FinalAnswer(
        text=last.answer_text,
        turn=last.number,
        item_id=said[-1].id if said else None,
        stands=stands,
        because=None if stands else "the last turn called a tool" if last.tool_calls else "the last turn did not end",
    )


def rollout(
    *turns: Turn,
    compactions: Sequence[Compaction] = (),
    children: Sequence[Invocation] = (),
    reward: float | None = 1.0,
    state: str = "graded",
    **fields: Any,
) -> Rollout:
    """A whole rollout with one root invocation of `turns`; every field of `Rollout` can be given."""
    invocations = fields.pop("invocations", None)
    if invocations is None:
        invocations = (invocation(*turns, compactions=compactions), *children)
    root = invocations[0] if invocations else None
    fields.setdefault("id", "3-1")
    fields.setdefault("source", SourceRef(path="rollouts.jsonl", format="gym-rollouts", locator="L1"))
    fields.setdefault("harness", Harness(name="opencode", version="1.18.33", agent="build", model="nemotron"))
    fields.setdefault("route", Route(gym_reasoning=True, because="provider nemo"))
    fields.setdefault("task", Task(task_index=3, rollout_index=1, attempt=0))
    fields.setdefault("outcome", Outcome(status="completed", graded=True, rule="row-response-completed"))
    fields.setdefault("grading", Grading(state=state, reward=reward))
    fields.setdefault("scored", scored_of(root) if root is not None else Scored())
    fields.setdefault("final_answer", final_of(root) if root is not None else FinalAnswer())
    return Rollout(invocations=tuple(invocations), **fields)


def think_only() -> Rollout:
    """The rollout of SCREENS.md: a think-only last reply after a compaction, an earlier answer "4" not promoted."""
    check = "The check passed, nothing more to say."
    turns = (
        turn(
            1,
            user="What is 2+2? Use the tool.",
            reasoning="Two and two make four. I will check it with the shell.\n" + "More thought.\n" * 9,
            answer="4",
            tools=(tool_call(duration_ms=40, exit_code=0),),
            started_at="2026-01-05T10:02:11.000Z",
            completed_at="2026-01-05T10:02:12.200Z",
            usage={"input": 4100, "output": 98},
            in_context_at_end=False,
        ),
        turn(
            2,
            reasoning="Read it again.",
            tools=(tool_call("read", {"filePath": "/app/sum.txt"}, "4\n", call_id="call_2"),),
            in_context_at_end=True,
        ),
        turn(
            3,
            reasoning=[TextPiece("prt_t3-reasoning", check)],
            answer=[TextPiece("prt_t3", "")],
            started_at="2026-01-05T10:04:50.000Z",
            completed_at="2026-01-05T10:04:59.800Z",
            usage={"input": 6300, "output": 1200},
            finish="stop",
            in_context_at_end=True,
        ),
    )
    boundary = compaction(
        2,
        summary="The user asked for 2+2; the shell printed 4.\nNothing else was asked.",
        tokens_before=48_900,
        tokens_after=6_100,
        first_kept_item_id="prt_t2-reasoning-1",
        first_kept_turn=2,
    )
    return rollout(
        *turns,
        compactions=(boundary,),
        grading=graded(
            0.0,
            "Reward 0: the scored text is empty (failure_reason empty_final_answer); the judge was not called.",
            failure_reason="empty_final_answer",
            expected="4",
        ),
        attribution=Attribution(status="no_attribution", reasons=("no_content_match",), masked=True),
        findings=(Finding("empty-final-answer", "error", "The final answer is empty.", Place(ROOT, 3, "prt_t3")),),
        usage=Usage(input=10_400, output=1_298),
    )


def summary(ident: str = "3-1", **fields: Any) -> RolloutSummary:
    """One line of a list."""
    fields.setdefault("source", SourceRef(path="rollouts.jsonl", format="gym-rollouts", locator="L1"))
    fields.setdefault("harness", Harness(name="opencode", version="1.18.33", agent="build", model="nemotron"))
    fields.setdefault("task", Task(task_index=3, rollout_index=1, attempt=0))
    for name, value in (
        ("state", "graded"),
        ("reward", 0.0),
        ("status", "completed"),
        ("failure_kind", None),
        ("turns", 3),
        ("tool_calls", 2),
        ("answer_chars", 0),
        ("answer_stands", True),
        ("findings", ("empty-final-answer",)),
        ("usage", Usage(input=9_000, output=1_200)),
        ("duration_ms", 100_000),
    ):
        fields.setdefault(name, value)
    return RolloutSummary(id=ident, **fields)


def note(**fields: Any) -> HarnessNote:
    """A harness note (gym-semantics 8.6)."""
    for name, value in (
        ("harness", "opencode"),
        ("name", "max steps"),
        ("text", "CRITICAL - MAXIMUM STEPS REACHED"),
        ("call_index", 0),
        ("turn", 1),
        ("role_on_wire", "assistant"),
        ("forwarded_as", "user"),
        ("effect", "the model answered it"),
    ):
        fields.setdefault(name, value)
    return HarnessNote(**fields)


def gap(code: str = "model_request_ids_unavailable", **fields: Any) -> Gap:
    """A recorded evidence gap."""
    return Gap(code=code, **fields)
