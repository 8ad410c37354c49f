"""A tool call as blocks: what was asked, what came back, and in words what is missing."""

from __future__ import annotations

from rollout_loaders.model import Place, ToolCall

from .arguments import argument_text
from .block import Block, Link, Tone
from .extra_blocks import call_extra_blocks
from .formatting import duration

PRUNED = "[Old tool result content cleared]"
"""What later model inputs see in place of a pruned result (gym-semantics 4.3)."""


def tool_blocks(
    call: ToolCall, place: Place, *, child: Link | None = None, out_of_context: bool = False
) -> list[Block]:
    """Return the call, its result or error, its attachments and its subagent, in that order."""
    shown = argument_text(call.arguments)
    words = " · ".join(_troubles(call))
    head = f"{call.name}  {shown.beside}".rstrip() if shown.beside else call.name
    blocks = [
        Block(
            id=f"{_ident(call, place)}:call",
            label="tool",
            tone="problem" if words else "tool",
            title=f"{head}  ({words})" if words else head,
            body=shown.body,
            format=shown.format,
            foldable=bool(shown.body),
            place=place,
            out_of_context=out_of_context,
        )
    ]
    blocks += _results(call, place, out_of_context)
    blocks += call_extra_blocks(call, _ident(call, place), place)
    blocks += [
        Block(
            f"{_ident(call, place)}:attached:{index}",
            "attached",
            "tool",
            line,
            place=place,
            out_of_context=out_of_context,
        )
        for index, line in enumerate(call.attachments, 1)
    ]
    if call.child is not None:
        blocks.append(_child_block(call, place, child, out_of_context))
    return blocks


def _ident(call: ToolCall, place: Place) -> str:
    """The call's own id; where it is only the model's call id, which models repeat, with its turn."""
    return f"{call.id}@{place.turn}" if call.id == call.call_id else call.id


def outcome_words(call: ToolCall) -> str:
    """Return one word or two for an outline: `ok`, `exit 1`, `failed`, `no result`, …"""
    if call.invalid:
        return "invalid"
    if call.interrupted:
        return "interrupted"
    if call.error is not None:
        return "failed" if call.status in ("failed", "completed") else call.status
    if call.exit_code:
        return f"exit {call.exit_code}"
    if call.output is None:
        return "no result"
    return "ok" if call.status == "completed" else call.status


def is_trouble(call: ToolCall) -> bool:
    """Tell whether something about the call is not as it should be."""
    return (
        call.status not in ("completed", "unknown")
        or call.error is not None
        or call.output is None
        or call.invalid
        or call.interrupted
        or bool(call.exit_code)
    )


def _troubles(call: ToolCall) -> list[str]:
    words: list[str] = []
    if call.invalid:
        words.append("invalid: the harness could not run it")
    if call.interrupted:
        words.append("interrupted")
    if call.status not in ("completed", "failed") and not (call.status == "unknown" and call.output is not None):
        words.append(f"status {call.status}")
    return words


def _measures(call: ToolCall) -> str:
    measures = [] if call.exit_code is None else [f"exit {call.exit_code}"]
    if call.duration_ms is not None:
        measures.append(duration(call.duration_ms))
    return " · ".join(measures)


def _results(call: ToolCall, place: Place, out_of_context: bool) -> list[Block]:
    blocks: list[Block] = []
    measures = _measures(call)
    if call.output is not None:
        tone: Tone = "problem" if call.exit_code or call.status == "failed" else "tool"
        words = " · ".join(part for part in (measures, "" if call.output else "empty") if part)
        title = f"({words})" if words else ""
        mark = f"pruned: later model inputs saw {PRUNED} in its place" if call.pruned else ""
        blocks.append(
            _result(f"{_ident(call, place)}:result", "result", tone, title, call.output, mark, place, out_of_context)
        )
        measures = ""
    if call.error is not None and call.error != call.output:
        title = " · ".join(part for part in (f"tool {call.status}", measures) if part)
        blocks.append(
            _result(f"{_ident(call, place)}:error", "error", "problem", title, call.error, "", place, out_of_context)
        )
    if not blocks:
        title = " · ".join(part for part in (f"none recorded, {_why_none(call)}", measures) if part)
        blocks.append(
            _result(f"{_ident(call, place)}:result", "result", "problem", title, "", "", place, out_of_context)
        )
    return blocks


def _result(
    ident: str, label: str, tone: Tone, title: str, body: str, mark: str, place: Place, out_of_context: bool
) -> Block:
    return Block(
        id=ident,
        label=label,
        tone=tone,
        title=title,
        body=body,
        foldable=bool(body),
        mark=mark,
        place=place,
        out_of_context=out_of_context,
    )


def _why_none(call: ToolCall) -> str:
    if call.interrupted:
        return "the run was broken off here"
    if call.invalid:
        return "the harness could not run this call"
    if call.status in ("timeout", "cancelled", "failed"):
        return f"the call is recorded as {call.status}, without a text"
    if call.status == "incomplete":
        return "the call never ended"
    if call.status == "completed":
        return "although the call is recorded as completed"
    return "and the record does not say how the call ended"


def _child_block(call: ToolCall, place: Place, child: Link | None, out_of_context: bool) -> Block:
    known = child is not None
    return Block(
        id=f"{_ident(call, place)}:agent",
        label="agent",
        tone="tool" if known else "problem",
        title=child.text if child is not None else f"subagent {call.child}: its conversation is not in this record",
        place=place,
        links=() if child is None else (Link("enter", child.place),),
        out_of_context=out_of_context,
    )
