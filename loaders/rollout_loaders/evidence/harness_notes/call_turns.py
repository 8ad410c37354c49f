"""Which turn a captured model call belongs to, as far as the evidence tells."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from rollout_loaders.model import Invocation, ModelCall, Place, Rollout, Turn


def turns_of_calls(rollout: Rollout) -> dict[int, Place]:
    """Place of the turn by call index, for the calls that can be placed.

    Asked in this order: recorded references of turns; the response id that a turn keeps (Pi); the turn of the call's
    session during which the request came (OpenCode keeps no response id); the order of the session's calls with
    tools, where they are as many as its turns. Title and summary requests send no tools and have no turn.
    """
    placed: dict[int, Place] = {}
    for place_them in (_by_reference, _by_response, _by_time, _by_order):
        for index, place in place_them(rollout):
            placed.setdefault(index, place)
    return placed


def _by_reference(rollout: Rollout) -> Iterator[tuple[int, Place]]:
    refs = [ref for ref in rollout.evidence.call_refs if ref.owner == "turn"]
    by_call = {ref.model_call_id: ref for ref in refs if ref.model_call_id}
    by_response = {ref.response_id: ref for ref in refs if ref.response_id}
    for call in rollout.evidence.model_calls:
        ref = by_call.get(call.call_id or "") or by_response.get(call.response_id or "")
        if ref is not None:
            yield call.index, Place(ref.invocation_id, ref.turn)


def _by_response(rollout: Rollout) -> Iterator[tuple[int, Place]]:
    wanted = {call.response_id: call.index for call in rollout.evidence.model_calls if call.response_id}
    for invocation in rollout.invocations:
        for turn in invocation.turns:
            response = turn.extra.get("response_id") or turn.extra.get("responseId")
            if isinstance(response, str) and response in wanted:
                yield wanted[response], Place(invocation.id, turn.number)


def _session_calls(rollout: Rollout, invocation: Invocation) -> list[ModelCall]:
    """Calls with tools of one session, by the session id they carry; a lone session also gets those without one."""
    alone = len(rollout.invocations) == 1
    return [
        call
        for call in rollout.evidence.model_calls
        if call.tools_sent is not False
        and (call.session_id == invocation.id or (alone and (call.session_id is None or invocation.id == "")))
    ]


def _by_time(rollout: Rollout) -> Iterator[tuple[int, Place]]:
    for invocation in rollout.invocations:
        spans = [(turn, *span) for turn in invocation.turns if (span := _span(turn)) is not None]
        position = 0
        for call in sorted(_session_calls(rollout, invocation), key=lambda one: _seconds(one.started_at) or 0.0):
            came = _seconds(call.started_at)
            if came is None:
                continue
            while position < len(spans) and spans[position][2] < came:
                position += 1
            if position < len(spans) and spans[position][1] <= came:
                yield call.index, Place(invocation.id, spans[position][0].number)


def _span(turn: Turn) -> tuple[float, float] | None:
    start, end = _seconds(turn.started_at), _seconds(turn.completed_at)
    if start is None:
        return None
    return start, end if end is not None else float("inf")


def _seconds(stamp: str | None) -> float | None:
    """Epoch seconds of an ISO 8601 time; one without a zone is UTC."""
    if stamp is None:
        return None
    try:
        when = datetime.fromisoformat(stamp)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _by_order(rollout: Rollout) -> Iterator[tuple[int, Place]]:
    for invocation in rollout.invocations:
        calls = _session_calls(rollout, invocation)
        if len(calls) == len(invocation.turns):
            for call, turn in zip(calls, invocation.turns, strict=True):
                yield call.index, Place(invocation.id, turn.number)
