"""The tab Calls: model and tool calls over time, tokens of each turn, retries."""

from __future__ import annotations

from datetime import datetime

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Invocation, ModelCall, Rollout, Turn

from .block import Block
from .fact_block import fact, nothing
from .formatting import UNKNOWN, count, duration, one_line, quantity
from .sparkline import bar, sparkline
from .tool_blocks import outcome_words

WIDTH = 24
MOST_LINES = 400
"""Lines of one waterfall; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Span:
    """Something that took time. Seconds since the epoch; None is unknown."""

    label: str
    start: float | None
    end: float | None
    note: str


def calls_tab(rollout: Rollout) -> list[Block]:
    """Return the totals, the waterfall of each conversation, and the captured model calls."""
    usage = rollout.usage
    tokens = " · ".join(
        f"{word} {count(number)}"
        for word, number in (
            ("in", usage.input),
            ("out", usage.output),
            ("reasoning", usage.reasoning),
            ("cached", usage.cached),
        )
    )
    counted = f" · counted by {usage.counted_by}" if usage.counted_by else ""
    blocks = [fact("calls:usage", "tokens", tokens + counted)]
    if usage.cost is not None:
        blocks.append(fact("calls:cost", "cost", f"{usage.cost:g}"))
    for invocation in rollout.invocations:
        blocks += _of_invocation(invocation)
    calls = rollout.evidence.model_calls
    if calls:
        blocks.append(_captured(calls))
    else:
        blocks.append(nothing("calls:none", "no captured model call lies beside this rollout"))
    return blocks


def _of_invocation(invocation: Invocation) -> list[Block]:
    if not invocation.turns:
        return []
    ident = invocation.id
    blocks = [_waterfall(ident, invocation.title or ident, _spans(invocation.turns))]
    for name, word in (("input", "in"), ("output", "out"), ("cached", "cached")):
        values = [turn.usage.get(name) for turn in invocation.turns]
        if any(value is not None for value in values):
            known = [value for value in values if value is not None]
            title = f"{word} a turn: {sparkline(values)}  {count(min(known))} to {count(max(known))}"
            blocks.append(fact(f"calls:{ident}:{name}", "plot", title))
    retries = [(turn, retry) for turn in invocation.turns for retry in turn.retries]
    if retries:
        body = "\n".join(f"turn {turn.number}: {retry.reason or 'no reason recorded'}" for turn, retry in retries)
        words = quantity(len(retries), "model call was tried again", "model calls were tried again")
        blocks.append(Block(f"calls:{ident}:retries", "retries", "problem", words, body, foldable=True))
    return blocks


def _spans(turns: tuple[Turn, ...]) -> list[Span]:
    spans: list[Span] = []
    for turn in turns:
        note = f"in {count(turn.usage.get('input'))} out {count(turn.usage.get('output'))}"
        flags = [word for said, word in ((turn.error, "error"), (turn.partial, "partial")) if said]
        note = " ".join([note, *flags])
        spans.append(Span(f"turn {turn.number}", _seconds(turn.started_at), _seconds(turn.completed_at), note))
        for call in turn.tool_calls:
            start = _seconds(call.started_at)
            end = start + call.duration_ms / 1000 if start is not None and call.duration_ms is not None else None
            spans.append(Span(f"  {one_line(call.name, 16)}", start, end, outcome_words(call)))
    return spans


def _seconds(timestamp: str | None) -> float | None:
    if timestamp is None:
        return None
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError):
        return None


def _waterfall(ident: str, name: str, spans: list[Span]) -> Block:
    starts = [span.start for span in spans if span.start is not None]
    ends = [span.end for span in spans if span.end is not None]
    first = min(starts) if starts else None
    whole = max([*ends, *starts]) - first if first is not None else None
    lines = [_line(span, first, whole) for span in spans[:MOST_LINES]]
    if len(spans) > MOST_LINES:
        lines.append(f"… {len(spans) - MOST_LINES:,} more calls: see the transcript")
    took = "no times are recorded" if whole is None else duration(whole * 1000)
    title = f"{name} · {quantity(len(spans), 'call')} · {took}"
    return Block(f"calls:{ident}", "calls", "normal", title, "\n".join(lines), "table", foldable=True)


def _line(span: Span, first: float | None, whole: float | None) -> str:
    if first is None:
        return f"{span.label:<18} {span.note}"
    if not whole or span.start is None:
        drawn = " " * WIDTH
    else:
        end = span.start if span.end is None else span.end
        drawn = bar((span.start - first) / whole, (end - first) / whole, WIDTH)
    known = span.start is not None and span.end is not None
    took = duration((span.end - span.start) * 1000) if known and span.start is not None and span.end else UNKNOWN
    return f"{span.label:<18} {drawn} {took:>8}  {span.note}"


def _captured(calls: tuple[ModelCall, ...]) -> Block:
    lines = [_call_line(call) for call in calls[:MOST_LINES]]
    if len(calls) > MOST_LINES:
        lines.append(f"… {len(calls) - MOST_LINES:,} more captured calls")
    title = f"{quantity(len(calls), 'captured model call')}, in the order they were written down (not a causal one)"
    return Block("calls:captured", "captured", "normal", title, "\n".join(lines), "table", foldable=True)


def _call_line(call: ModelCall) -> str:
    status = call.error_category or call.finish_reason or call.response_status or UNKNOWN
    code = "" if call.status_code is None or call.status_code == 200 else f" HTTP {call.status_code}"
    tokens = f"in {count(call.tokens_in)} out {count(call.tokens_out)} cached {count(call.cached_tokens)}"
    name = call.response_id or call.call_id or UNKNOWN
    return f"{call.index + 1:>4}  {tokens:<32} {duration(call.duration_ms):>8}  {status}{code}  {name}"
