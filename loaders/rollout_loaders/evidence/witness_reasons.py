"""The recomputed content witness in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.model import Reason

from .witness import Nearest, Witness, first_reading, uncheckable

WHERE = "token records"


def witness_reasons(witness: Witness | None, trail: tuple[str, ...], attributed: str | None) -> tuple[Reason, ...]:
    """What a comparison of the scored content with the captured calls shows, beside what was recorded."""
    if witness is None:
        return ()
    if not witness.checkable:
        return (Reason("No captured call holds content to compare with the scored text.", rests_on=WHERE),)
    return (*_matches(witness, trail, attributed), *_unchecked(witness))


def _matches(witness: Witness, trail: tuple[str, ...], attributed: str | None) -> Iterator[Reason]:
    if witness.matches:
        calls = _calls(witness.matches)
        label = first_reading(witness, witness.matches[0])
        yield Reason(f"Compared again by content, the scored output equals {calls} ({label}).", rests_on=WHERE)
        if "no_content_match" in trail:
            yield Reason("The capture recorded no_content_match: the two do not agree.", rests_on=WHERE)
        elif attributed is not None and attributed not in witness.matches:
            yield Reason(f"The capture attributed call `{attributed}`: the two do not agree.", rests_on=WHERE)
        return
    yield Reason("Compared again by content, the scored output equals no captured call.", rests_on=WHERE)
    if witness.nearest is not None:
        yield Reason(_difference(witness.nearest), rests_on=WHERE)
    if witness.without_think:
        calls = _calls(witness.without_think)
        yield Reason(f"Ignoring a leading think block, it would have matched {calls}.", rests_on=WHERE)
    else:
        yield Reason("Ignoring a leading think block would not have made it match.", rests_on=WHERE)


def _calls(names: tuple[str, ...]) -> str:
    said = " and ".join(f"`{name}`" for name in names)
    return f"call {said}" if len(names) == 1 else f"calls {said}"


def _difference(nearest: Nearest) -> str:
    return (
        f"The nearest is call `{nearest.call_id}` ({nearest.captured_chars:,} characters against "
        f"{nearest.scored_chars:,} scored); around character {nearest.at:,} the call has {nearest.captured!r}, "
        f"the scored output {nearest.scored!r}."
    )


def _unchecked(witness: Witness) -> Iterator[Reason]:
    missing = uncheckable(witness)
    if "cumulative" in missing:
        yield Reason(
            "Not checkable: the cumulative reading, as no request of these calls was captured.", rests_on=WHERE
        )
