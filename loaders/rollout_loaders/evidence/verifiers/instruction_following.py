"""instruction_following: every listed instruction is checked by a program; all must hold (gym-semantics 9.3)."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.evidence.extras import boolean, sequence
from rollout_loaders.evidence.quoting import quote
from rollout_loaders.model import JsonValue, Reason, Verdict

from .verifier import Case, Explanation, Verifier, cannot, compared, contradiction


def recognise(case: Case) -> bool:
    """By `follow_instruction_list`."""
    return "follow_instruction_list" in case.fields or "follow_all_instructions" in case.fields


def explain(case: Case) -> Explanation:
    """Which instructions were followed, and whether that gives the reward."""
    followed = sequence(case.fields, "follow_instruction_list")
    verdicts = () if followed is None else tuple(_verdict(case, at, one) for at, one in enumerate(followed))
    recomputed, sentence = _recompute(case, followed)
    return Explanation((_headline(case, verdicts), sentence), recomputed, verdicts=verdicts)


def _verdict(case: Case, at: int, followed: JsonValue) -> Verdict:
    names = sequence(case.fields, "instruction_id_list") or ()
    arguments = sequence(case.fields, "kwargs") or ()
    name = names[at] if at < len(names) else None
    given = arguments[at] if at < len(arguments) else None
    return Verdict(
        name if isinstance(name, str) else f"instruction {at + 1}",
        followed if isinstance(followed, bool) else None,
        detail=None if not given else quote(given),
    )


def _headline(case: Case, verdicts: tuple[Verdict, ...]) -> Reason:
    if not verdicts:
        return Reason(
            f"{case.headline}: no single instruction's result is recorded.", rests_on="follow_all_instructions"
        )
    failed = [verdict for verdict in verdicts if verdict.passed is False]
    names = ", ".join(f"`{one.name}`" + (f" ({one.detail})" if one.detail else "") for one in failed)
    said = f"{case.headline}: {len(verdicts) - len(failed)} of {len(verdicts)} instructions were followed"
    return Reason(f"{said}; not followed: {names}." if failed else f"{said}.", rests_on="follow_instruction_list")


def _recompute(case: Case, followed: Sequence[JsonValue] | None) -> tuple[str, Reason]:
    overall = boolean(case.fields, "follow_all_instructions")
    if followed is not None and all(isinstance(one, bool) for one in followed):
        every = bool(followed) and all(one is True for one in followed)
        if overall is not None and overall != every:
            return contradiction(
                f"`follow_all_instructions` is {str(overall).lower()}, the list says {str(every).lower()}",
                "follow_all_instructions",
            )
        overall = every
    if overall is None:
        return cannot("no instruction's result is recorded", "follow_instruction_list")
    return compared(case, 1.0 if overall else 0.0, "the instructions followed", "follow_instruction_list")


VERIFIER = Verifier("instruction_following", recognise, explain, "last-item")
