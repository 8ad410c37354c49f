"""The evidence tabs: what each rests on, as blocks. A tab is a name and a function; none is ever an empty area."""

from __future__ import annotations

from collections.abc import Callable

from rollout_loaders.evidence.reason_trail import METHODS, explain
from rollout_loaders.model import Compaction, Invocation, OutcomeReading, Place, Rollout

from .block import Block, Link, Tone
from .calls_tab import calls_tab
from .compaction_blocks import compaction_blocks
from .fact_block import fact, json_fact, nothing
from .formatting import quantity
from .raw_tab import raw_tab
from .reason_blocks import links_to, reason_blocks
from .scored_mark import scored_mark
from .why import why_blocks

_SEVERITY_TONES: dict[str, Tone] = {"error": "problem", "warning": "note", "info": "muted"}


def blocks_of(rollout: Rollout, name: str) -> tuple[Block, ...]:
    """Return the blocks of the tab of this name. Raises `KeyError` for a name that is not in `TABS`."""
    return tuple(_DRAWN[name](rollout))


def tab_is_empty(rollout: Rollout, name: str) -> bool:
    """Tell whether the tab holds nothing but the sentence that says so."""
    blocks = _DRAWN[name](rollout)
    return len(blocks) == 1 and blocks[0].label == "none"


def _why(rollout: Rollout) -> list[Block]:
    return list(why_blocks(rollout))


def _outcome(rollout: Rollout) -> list[Block]:
    outcome = rollout.outcome
    failed = outcome.status == "failed"
    kind = f" ({outcome.failure_kind})" if outcome.failure_kind else ""
    graded = {True: "yes", False: "no", None: "the run's policy decides, and it is not recorded"}
    blocks = [
        fact("outcome:status", "status", f"{outcome.status}{kind}", tone="problem" if failed else "normal"),
        fact("outcome:rule", "rule", outcome.rule),
    ]
    if outcome.error:
        blocks.append(Block("outcome:error", "error", "problem", "", outcome.error, foldable=True))
    blocks += reason_blocks("outcome:because", "because", outcome.because)
    if not outcome.because:
        blocks.append(Block("outcome:because", "because", "muted", "no evidence says how this run ended"))
    blocks.append(fact("outcome:graded", "graded", graded[outcome.graded]))
    blocks.append(fact("outcome:policy", "policy", f"{outcome.policy.action}; {outcome.policy.source}"))
    blocks += [_reading(reading, index) for index, reading in enumerate(outcome.readings)]
    if outcome.recorded:
        blocks.append(json_fact("outcome:recorded", "recorded", outcome.recorded, folded=False))
    blocks += _attempts(rollout)
    blocks.append(fact("outcome:route", "split", _route(rollout)))
    return blocks


def _route(rollout: Rollout) -> str:
    route = rollout.route
    forced = "forced " if route.forced else ""
    return f"{forced}{'on' if route.gym_reasoning else 'off'}: {route.because}"


def _reading(reading: OutcomeReading, index: int) -> Block:
    kind = f" ({reading.failure_kind})" if reading.failure_kind else ""
    words = [f"{reading.reading}: {reading.status}{kind}"]
    if reading.graded is not None:
        words.append("graded" if reading.graded else "not graded")
    words += [f"rule {reading.rule}"] if reading.rule else []
    return Block(f"outcome:reading:{index}", "reading", "normal", " · ".join(words), reading.error or "")


def _attempts(rollout: Rollout) -> list[Block]:
    blocks: list[Block] = []
    for index, attempt in enumerate(rollout.attempts):
        number = "attempt number not recorded" if attempt.attempt is None else f"attempt {attempt.attempt}"
        words = [number, attempt.kind, attempt.failure_class or "", attempt.failure_kind or ""]
        words += [f"stage {attempt.stage}" if attempt.stage else ""]
        words += [f"HTTP {attempt.http_status}" if attempt.http_status is not None else ""]
        words += ["terminal" if attempt.terminal else "", "this one decides" if attempt.decides else ""]
        words.append(f"{attempt.path}#{attempt.locator}" if attempt.path and attempt.locator else attempt.path or "")
        title = " · ".join(word for word in words if word)
        tone: Tone = "problem" if attempt.kind == "failure" else "normal"
        blocks.append(Block(f"outcome:attempt:{index}", "attempt", tone, title, attempt.message or "", foldable=True))
    return blocks


def _attribution(rollout: Rollout) -> list[Block]:
    found = rollout.attribution
    if found.status == "not_captured" and not found.because and not found.reasons:
        return [
            nothing("attribution:none", "no token capture is recorded: nothing was traced, nothing is masked by it")
        ]
    tone: Tone = "problem" if found.status in ("no_attribution", "error") else "normal"
    blocks = [fact("attribution:status", "status", found.status, tone=tone)]
    if found.status != "not_captured":
        blocks += _attributed(rollout)
    blocks += reason_blocks("attribution:because", "because", found.because)
    if found.tree:
        body = "\n".join(found.tree)
        blocks.append(
            Block("attribution:tree", "tree", "normal", "one line a captured call", body, "table", foldable=True)
        )
    if found.extra:
        blocks.append(json_fact("attribution:extra", "fields", found.extra))
    return blocks


def _attributed(rollout: Rollout) -> list[Block]:
    """The facts; sentences explain the trail, and only where there are none the table of reasons does."""
    found = rollout.attribution
    blocks: list[Block] = []
    if found.method:
        words = "" if found.because else METHODS.get(found.method, "")
        blocks.append(fact("attribution:method", "method", found.method + (f": {words}" if words else "")))
    if found.because and found.reasons:
        blocks.append(fact("attribution:trail", "reasons", ", ".join(found.reasons), tone="note"))
    for index, reason in enumerate(() if found.because else found.reasons):
        blocks.append(fact(f"attribution:reason:{index}", "reason", f"{reason}: {explain(reason)}", tone="note"))
    blocks.append(fact("attribution:call", "call", found.call_id))
    blocks.append(fact("attribution:chain", "chain", found.chain))
    blocks.append(fact("attribution:chains", "chains", _chains(found.chains, found.roots)))
    blocks.append(fact("attribution:masked", "masked", _masked(rollout)))
    if found.delivered_fraction is not None:
        share = f"{found.delivered_fraction:.1%} of the generated tokens"
        blocks.append(fact("attribution:delivered", "delivered", share))
    return blocks


def _chains(chains: int | None, roots: int | None) -> str | None:
    if chains is None and roots is None:
        return None
    words = [quantity(chains, "chain") if chains is not None else "chains ·"]
    words.append(quantity(roots, "root") if roots is not None else "roots ·")
    return ", ".join(words)


def _masked(rollout: Rollout) -> str | None:
    found = rollout.attribution
    if found.masked is None:
        return None
    return ("yes" if found.masked else "no") + (f", by {found.mask_rule}" if found.mask_rule else "")


def _compactions(rollout: Rollout) -> list[Block]:
    mark = scored_mark(rollout)
    blocks: list[Block] = []
    for invocation in rollout.invocations:
        for compaction in invocation.compactions:
            blocks.append(_compaction_head(invocation, compaction))
            blocks += compaction_blocks(compaction, invocation, mark)
            if compaction.extra:
                blocks.append(json_fact(f"{compaction.id}:extra", "recorded", compaction.extra))
    return blocks or [nothing("compactions:none", "no compaction is recorded: the model kept its whole context")]


def _compaction_head(invocation: Invocation, compaction: Compaction) -> Block:
    place = Place(invocation.id, compaction.after_turn or None)
    after = "its place is not recorded" if compaction.after_turn is None else f"after turn {compaction.after_turn}"
    name = invocation.title or invocation.id
    at = f" · {compaction.started_at}" if compaction.started_at else ""
    return Block(
        f"{compaction.id}:head",
        "where",
        "normal",
        f"{name} · {after}{at}",
        place=place,
        links=links_to(place),
        rule=True,
    )


def _notes(rollout: Rollout) -> list[Block]:
    blocks: list[Block] = []
    for index, note in enumerate(rollout.harness_notes):
        turn = "turn not known" if note.turn is None else f"turn {note.turn}"
        root = rollout.root
        place = None if root is None or note.turn is None else Place(root.id, note.turn)
        title = (
            f"{note.harness}: {note.name} · {turn}, call {note.call_index} · sent as {note.role_on_wire}, "
            f"forwarded as {note.forwarded_as} · {note.effect}"
        )
        links = links_to(place)
        ident = f"notes:{index}"
        blocks.append(Block(ident, "note", "note", title, note.text, foldable=True, folded=index > 0, links=links))
    blocks += reason_blocks("notes:reading", "reading", rollout.notes)
    blocks += [
        Block(f"notes:diagnostic:{index}", "damage", "problem", f"{one.code}: {one.message}", mark=one.locator or "")
        for index, one in enumerate(rollout.diagnostics)
    ]
    return blocks or [nothing("notes:none", "no message that a harness sent in the model's name was found")]


def _gaps(rollout: Rollout) -> list[Block]:
    blocks = [
        Block(
            id=f"gaps:{index}",
            label="gap",
            tone="note",
            title=f"{gap.code}: {gap.meaning or 'a code that the known list of gap codes does not have'}",
            body=gap.detail or "",
            foldable=bool(gap.detail),
            mark=f"in {gap.invocation_id}" if gap.invocation_id else "",
            links=()
            if gap.invocation_id is None
            else (Link(f"conversation {gap.invocation_id}", Place(gap.invocation_id)),),
        )
        for index, gap in enumerate(rollout.gaps)
    ]
    return blocks or [nothing("gaps:none", "the record reports no missing evidence")]


def _findings(rollout: Rollout) -> list[Block]:
    blocks = [
        Block(
            id=f"findings:{index}",
            label=finding.severity,
            tone=_SEVERITY_TONES.get(finding.severity, "normal"),
            title=f"{finding.code}: {finding.message}",
            place=finding.where or Place(),
            links=links_to(finding.where),
        )
        for index, finding in enumerate(rollout.findings)
    ]
    health = rollout.health
    if not blocks:
        blocks.append(nothing("findings:none", "no rule of this tool found anything that a reviewer should know"))
    if health.verdict is not None:
        tone: Tone = "problem" if health.verdict == "unhealthy" else "normal"
        blocks.append(fact("health:verdict", "health", f"{health.verdict} ({health.source})", tone=tone))
    blocks += [
        Block(f"health:{index}", "check", "problem", f"{one.check}: {one.detail}", mark=one.locator or "")
        for index, one in enumerate(health.findings)
    ]
    if health.unobserved:
        blocks.append(fact("health:unobserved", "unchecked", ", ".join(health.unobserved)))
    return blocks


_DRAWN: dict[str, Callable[[Rollout], list[Block]]] = {
    "Why": _why,
    "Outcome": _outcome,
    "Attribution": _attribution,
    "Calls": calls_tab,
    "Compactions": _compactions,
    "Notes": _notes,
    "Gaps": _gaps,
    "Findings": _findings,
    "Raw": raw_tab,
}
TABS: tuple[str, ...] = tuple(_DRAWN)
"""Names of the tabs, in their order."""
