"""Verifiers that run tests over a patch or a container: swebench, swe_agents, anyswe, deepswe and alike (9.3)."""

from __future__ import annotations

from rollout_loaders.evidence.extras import as_object, boolean, mapping, number, objects, sequence, text
from rollout_loaders.evidence.quoting import count, figure, quote
from rollout_loaders.model import JsonObject, Reason, Verdict

from .verifier import Case, Explanation, Verifier, cannot, compared, contradiction

_TROUBLE = (
    "agent_error_kind",
    "error_kind",
    "verifier_error",
    "agent_timed_out",
    "eval_timed_out",
    "container_timed_out",
    "oom_killed",
    "eval_oom_killed",
    "apply_failed",
)
_PASSING_LISTS = ("FAIL_TO_PASS", "PASS_TO_PASS")


def recognise(case: Case) -> bool:
    """By `resolved`, by test counts `f2p_*`/`p2p_*`, or by a SWE-bench report under `metadata.eval_report`."""
    fields = case.fields
    return (
        isinstance(fields.get("resolved"), bool)
        or ("f2p_total" in fields and "p2p_total" in fields)
        or bool(_report(case))
    )


def _report(case: Case) -> JsonObject:
    """The report of the row's one instance."""
    reports = mapping(mapping(case.fields, "metadata"), "eval_report")
    return as_object(next(iter(reports.values()))) if len(reports) == 1 else {}


def explain(case: Case) -> Explanation:
    """Resolved or not, tests passed, patch, whatever went wrong beside it."""
    verdicts = (*_counted(case), *_listed(_report(case)))
    recomputed, sentence = _recompute(case)
    return Explanation(
        (_headline(case), *_tests(verdicts), *_patch(case), *_incomplete(case), *_trouble(case), sentence),
        recomputed,
        verdicts=verdicts,
    )


def _resolved(case: Case) -> tuple[bool | None, str]:
    direct = boolean(case.fields, "resolved")
    if direct is not None:
        return direct, "resolved"
    return boolean(_report(case), "resolved"), "metadata.eval_report"


def _headline(case: Case) -> Reason:
    resolved, field = _resolved(case)
    if resolved is not None:
        return Reason(f"{case.headline}: `resolved` is {str(resolved).lower()}.", rests_on=field)
    counted = _counted(case)
    if counted:
        said = "; ".join(f"{verdict.detail} passed" for verdict in counted)
        return Reason(f"{case.headline}: {said}.", rests_on="f2p_passed")
    return Reason(f"{case.headline}: whether the task was resolved is not recorded.", rests_on=field)


def _counted(case: Case) -> tuple[Verdict, ...]:
    found: list[Verdict] = []
    for short, name in (("f2p", "fail-to-pass"), ("p2p", "pass-to-pass")):
        total, passed = number(case.fields, f"{short}_total"), number(case.fields, f"{short}_passed")
        if total is not None and passed is not None:
            found.append(
                Verdict(
                    name,
                    passed >= total,
                    number(case.fields, short),
                    f"{figure(passed)} of {figure(total)} {name} tests",
                )
            )
    return tuple(found)


def _listed(report: JsonObject) -> tuple[Verdict, ...]:
    statuses = mapping(report, "tests_status")
    found: list[Verdict] = []
    for group, lists in statuses.items():
        for outcome in ("success", "failure"):
            found.extend(
                Verdict(test, outcome == "success", detail=group)
                for test in sequence(as_object(lists), outcome) or ()
                if isinstance(test, str)
            )
    return tuple(found)


def _tests(verdicts: tuple[Verdict, ...]) -> list[Reason]:
    """Of a SWE-bench report, the tests that had to pass."""
    wanted = [verdict for verdict in verdicts if verdict.detail in _PASSING_LISTS]
    failed = [verdict for verdict in wanted if verdict.passed is False]
    if not wanted:
        return []
    names = ", ".join(quote(verdict.name, 60) for verdict in failed[:3])
    more = "" if len(failed) <= 3 else f" and {len(failed) - 3} more"
    failing = f"; failed: {names}{more}" if failed else ""
    return [
        Reason(
            f"{len(wanted) - len(failed)} of {count(len(wanted), 'listed test')} passed{failing}.",
            rests_on="metadata.eval_report",
        )
    ]


def _patch(case: Case) -> list[Reason]:
    held = text(case.fields, "model_patch")
    held = text(mapping(case.fields, "metadata"), "model_patch") if held is None else held
    exists = boolean(case.fields, "patch_exists")
    exists = boolean(_report(case), "patch_exists") if exists is None else exists
    size = number(case.fields, "model_patch_bytes")
    parts: list[str] = []
    if exists is not None:
        parts.append(f"`patch_exists` is {str(exists).lower()}")
    if held is not None:
        parts.append(f"`model_patch` holds {count(len(held), 'character')}" if held else "`model_patch` is empty")
    elif size is not None:
        parts.append(f"`model_patch_bytes` is {figure(size)}")
    return [Reason(f"{'; '.join(parts)}.", rests_on="model_patch")] if parts else []


def _incomplete(case: Case) -> list[Reason]:
    if boolean(case.fields, "evaluation_completed") is not False:
        return []
    return [
        Reason(
            "`evaluation_completed` is false: the tests did not run to their end; whether the patch or the evaluation "
            "is to blame is not decided by the records.",
            rests_on="evaluation_completed",
        )
    ]


def _trouble(case: Case) -> list[Reason]:
    found: list[str] = []
    for name in _TROUBLE:
        value = case.fields.get(name)
        if value is True or (isinstance(value, str) and value):
            found.append(f"`{name}` is {'true' if value is True else quote(value)}")
    return [Reason(f"Also recorded: {', '.join(found)}.", rests_on=found[0].split("`")[1])] if found else []


def _recompute(case: Case) -> tuple[str, Reason]:
    resolved, field = _resolved(case)
    if resolved is not None:
        if resolved and boolean(case.fields, "evaluation_completed") is False:
            return contradiction(
                "`resolved` is true and `evaluation_completed` is false",
                "resolved",
            )
        return compared(case, 1.0 if resolved else 0.0, "`resolved`", field)
    if boolean(case.fields, "evaluation_completed") is False or boolean(case.fields, "apply_failed") is True:
        return compared(case, 0.0, "an evaluation that did not complete", "evaluation_completed")
    counted = _counted(case)
    if len(counted) < 2:
        return cannot("neither `resolved` nor both test counts are recorded", "resolved")
    every = all(verdict.passed for verdict in counted)
    return compared(case, 1.0 if every else 0.0, "the test counts", "f2p_passed")


def name_of(case: Case) -> str:
    """The family's member, as far as the row's fields show it; `swe` where they do not."""
    fields, agent = case.fields, case.row.agent_name or ""
    if "f2p_total" in fields:
        return "deepswe"
    if "evaluation_completed" in fields:
        return "swebench"
    if "anyterminal" in agent or "container_timed_out" in fields:
        return "anyterminal"
    if "anyswe" in agent:
        return "anyswe"
    if "eval_oom_killed" in fields or "oom_killed" in fields or objects(fields, "subagent_trajectories") is not None:
        return "swe_agents"
    return "swe"


VERIFIER = Verifier("swe", recognise, explain, "patch")
