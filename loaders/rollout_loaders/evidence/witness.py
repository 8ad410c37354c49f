"""The content witness, recomputed: which captured call has the scored content, and if none, which comes nearest.

Content is compared, not hashes (gym-semantics 8.4). Three readings: the whole output against all that the model had
written up to a call, the whole output against a call's own output, the trailing run against a call's own output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import CapturedMessage, Evidence, JsonObject, ModelCall, Rollout

from .authored import Authored, call_unit, message_units, trailing_run, whole, without_leading_think
from .harness_notes import trailing_note

EXCERPT = 60
"""Characters of context shown around a difference."""


@dataclass(frozen=True, slots=True)
class CapturedCall:
    """One captured call, as far as it can be compared. None: not captured."""

    id: str
    own: Authored | None
    cumulative: Authored | None


@dataclass(frozen=True, slots=True)
class WitnessReading:
    """One of the three comparisons."""

    id: str
    label: str
    """The method that Gym names for a match."""
    checkable: bool
    matches: tuple[str, ...] = ()
    """Ids of the calls whose content is equal."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The captured call whose own output comes nearest to the scored one, and the first difference."""

    call_id: str
    captured: str
    scored: str
    at: int
    """Character offset of the first difference."""
    captured_chars: int
    scored_chars: int


@dataclass(frozen=True, slots=True)
class Witness:
    """The outcome of the recomputation."""

    readings: tuple[WitnessReading, ...]
    nearest: Nearest | None = None
    """None when a reading matched, or nothing can be compared."""
    without_think: tuple[str, ...] = ()
    """Calls that would have matched, had a leading think block been ignored."""

    @property
    def matches(self) -> tuple[str, ...]:
        """Ids of all calls that any reading matched, each once, in capture order of the readings."""
        return tuple(dict.fromkeys(call for reading in self.readings for call in reading.matches))

    @property
    def checkable(self) -> bool:
        """Whether there was anything to compare."""
        return any(reading.checkable for reading in self.readings)


@dataclass(frozen=True, slots=True)
class ReadingRule:
    """How one reading takes the scored side and the captured side."""

    id: str
    label: str
    scored: Callable[[Sequence[JsonObject]], Authored]
    captured: Callable[[CapturedCall], Authored | None]


READINGS: tuple[ReadingRule, ...] = (
    ReadingRule("cumulative", "content_cumulative", whole, lambda call: call.cumulative),
    ReadingRule("whole-output", "content_output", whole, lambda call: call.own),
    ReadingRule("trailing-run", "content_output", trailing_run, lambda call: call.own),
)


def captured_calls(evidence: Evidence) -> tuple[CapturedCall, ...]:
    """Token entries first, each with its captured request; else the captured calls whose response was kept."""
    if evidence.token_entries:
        by_id = {call.call_id: call for call in evidence.model_calls if call.call_id}
        return tuple(
            _captured(entry.call_id, whole(entry.output_items), by_id.get(entry.call_id))
            for entry in evidence.token_entries
        )
    return tuple(
        _captured(call.call_id or call.response_id or f"call {call.index}", _response(call), call)
        for call in evidence.model_calls
        if call.response_captured
    )


def _response(call: ModelCall) -> Authored:
    text: Authored = (("text", call.response_text),) if call.response_text else ()
    return text + tuple(call_unit(tool) for tool in call.response_tool_calls)


def _captured(call_id: str, own: Authored, call: ModelCall | None) -> CapturedCall:
    request = None if call is None else call.request_messages
    cumulative = None if request is None else message_units(_linking(request)) + own
    return CapturedCall(id=call_id, own=own, cumulative=cumulative)


def _linking(request: Sequence[CapturedMessage]) -> Sequence[CapturedMessage]:
    """The request without a harness note at its end, which the gateway leaves out of what links calls (8.6)."""
    return request[:-1] if trailing_note(request) is not None else request


def witness_of(rollout: Rollout) -> Witness | None:
    """Compare the scored items with the captured calls; None when no call's content was captured or nothing scored."""
    calls = captured_calls(rollout.evidence)
    items = [item.data for item in rollout.scored.items]
    if not calls or not whole(items):
        return None
    readings = _compare(items, calls, lambda units: units)
    if any(reading.matches for reading in readings):
        return Witness(readings)
    ignoring = _compare(items, calls, without_leading_think)
    matched = tuple(dict.fromkeys(call for reading in ignoring for call in reading.matches))
    return Witness(readings, _nearest(*_candidates(items, calls, ignoring)), matched)


def _candidates(
    items: Sequence[JsonObject], calls: Sequence[CapturedCall], ignoring: Sequence[WitnessReading]
) -> tuple[Authored, list[tuple[str, Authored]]]:
    """Scored and captured content to look for the nearest in: what only a think block keeps from matching, else all."""
    for rule, reading in zip(READINGS, ignoring, strict=True):
        if reading.matches:
            named = frozenset(reading.matches)
            captured = ((call.id, rule.captured(call)) for call in calls if call.id in named)
            return rule.scored(items), [(call_id, units) for call_id, units in captured if units is not None]
    return trailing_run(items) or whole(items), [(call.id, call.own) for call in calls if call.own]


def _compare(
    items: Sequence[JsonObject], calls: Sequence[CapturedCall], adapt: Callable[[Authored], Authored]
) -> tuple[WitnessReading, ...]:
    readings: list[WitnessReading] = []
    for rule in READINGS:
        scored = adapt(rule.scored(items))
        captured = [(call.id, rule.captured(call)) for call in calls]
        matches = tuple(name for name, units in captured if units is not None and scored and adapt(units) == scored)
        checkable = any(units is not None for _, units in captured)
        readings.append(WitnessReading(rule.id, rule.label, checkable, matches))
    return tuple(readings)


def _flat(units: Authored) -> str:
    return "\n".join(unit[1] if unit[0] == "text" else f"[{unit[1]} {unit[2]}]" for unit in units)


def _shared(left: str, right: str) -> int:
    """Length of the common beginning, without looking at letters one by one where slices agree."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _nearest(scored: Authored, captured: Sequence[tuple[str, Authored]]) -> Nearest | None:
    """The call that shares most of its beginning and end with the scored text; the last one among equals."""
    text = _flat(scored)
    backwards = text[::-1]
    best: tuple[float, Nearest] | None = None
    for call_id, units in captured:
        own = _flat(units)
        start = _shared(text, own)
        both = start + min(_shared(backwards, own[::-1]), min(len(text), len(own)) - start)
        likeness = both / max(len(text), len(own), 1)
        if best is None or likeness >= best[0]:
            best = (likeness, Nearest(call_id, _excerpt(own, start), _excerpt(text, start), start, len(own), len(text)))
    return None if best is None else best[1]


def _excerpt(text: str, at: int) -> str:
    begin = max(0, at - EXCERPT // 3)
    end = min(len(text), begin + EXCERPT)
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"


def uncheckable(witness: Witness) -> tuple[str, ...]:
    """Ids of the readings that the evidence does not allow."""
    return tuple(reading.id for reading in witness.readings if not reading.checkable)


def first_reading(witness: Witness, call_id: str) -> str | None:
    """The method that Gym would name for a match with `call_id`."""
    named = list(takewhile(lambda reading: call_id not in reading.matches, witness.readings))
    return witness.readings[len(named)].label if len(named) < len(witness.readings) else None
