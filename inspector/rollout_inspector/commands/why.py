"""`why PATH…`: the verdict line and the sentences behind it, ready to paste."""

from __future__ import annotations

from collections.abc import Iterator

import click

from rollout_loaders.document import because, because_at, finding_document
from rollout_loaders.locator import format_place
from rollout_loaders.model import JsonObject, Reason, Rollout
from rollout_views.foreign import visible_line
from rollout_views.verdict import verdict_line

from .arguments import PathCommand, Reading, paths_argument, reading_options
from .output import Notices, exit_code, print_documents, print_lines
from .show import header_lines


@click.command("why", cls=PathCommand)
@paths_argument
@reading_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def COMMAND(
    paths: tuple[str, ...],
    reading: Reading,
    as_json: bool,
) -> int:
    """Say why each rollout got its reward, each sentence with the place it rests on."""
    with reading.collection(paths) as collection:
        if as_json:
            return print_documents(map(why_document, collection.rollouts()), collection)
        notices, counted = Notices(collection), [0]

        def lines() -> Iterator[str]:
            for rollout in collection.rollouts():
                if counted[0]:
                    yield ""
                counted[0] += 1
                yield from why_lines(rollout)
                notices.print_new()

        print_lines(lines(), paged=True)
        return exit_code(counted[0], notices)


def why_document(rollout: Rollout) -> JsonObject:
    """The reasons of one rollout, as in its document, with its verdict line."""
    return {
        "id": rollout.id,
        "place": format_place(rollout),
        "verdict": verdict_line(rollout),
        "grading": _reasons(rollout.grading.because),
        "outcome": _reasons(rollout.outcome.because),
        "attribution": _reasons(rollout.attribution.because),
        "route": rollout.route.because,
        "findings": [finding_document(finding) for finding in rollout.findings],
    }


def why_lines(rollout: Rollout) -> Iterator[str]:
    """The same as text. A sentence that rests on a place is followed by the argument that leads there."""
    yield from header_lines(rollout)
    yield from _findings(rollout, "error")
    said: set[str] = set()
    for label, reasons in (
        ("reward", rollout.grading.because),
        ("outcome", rollout.outcome.because),
        ("tokens", rollout.attribution.because),
    ):
        for reason in reasons:
            if reason.text not in said:
                said.add(reason.text)
                yield _line(rollout, label, reason)
    policy = rollout.outcome.policy
    if rollout.outcome.status == "failed" or policy.action not in ("verify", "unknown"):
        yield visible_line(f"{'policy':<10}{policy.action}: {policy.source}")
    if not rollout.grading.because:
        yield "reward    nothing in the record says how it came about"
    yield from _findings(rollout, "warning")


def _findings(rollout: Rollout, severity: str) -> Iterator[str]:
    # Also one whose sentence stands among the reasons: here it is said to be a problem.
    for finding in rollout.findings:
        if finding.severity == severity:
            yield _line(rollout, severity, Reason(f"{finding.message} ({finding.code})", finding.where))


def _line(rollout: Rollout, label: str, reason: Reason) -> str:
    where = ""
    if reason.where is not None and (reason.where.turn is not None or reason.where.item_id is not None):
        where = f"  → {format_place(rollout, reason.where)}"
    elif reason.rests_on is not None:
        where = f"  [{reason.rests_on}]"
    return visible_line(f"{label:<10}{reason.text}{where}")


def _reasons(reasons: tuple[Reason, ...]) -> JsonObject:
    return {"because": because(reasons), "because_at": because_at(reasons)}
