"""Token attribution: what the capture says it traced the scored response to, why not, and what that masks."""

from __future__ import annotations

from collections.abc import Iterator

from rollout_loaders.model import Attribution, JsonObject, JsonValue, Reason, Rollout, RowRecord

from .capture_mask import ALREADY_TOKENISED, MaskRow, mask_row
from .capture_metrics import CaptureMetrics, metrics_of
from .chains import tree_lines
from .parent_links import explain_link
from .reason_trail import METHODS, explain, split_trail
from .witness import witness_of
from .witness_reasons import witness_reasons

CAPTURE = "_ng_token_capture"


def attribution_of(rollout: Rollout) -> Attribution:
    """Attribution as recorded, with the mask row of gym-semantics 8.3 and every reason in words."""
    row = rollout.evidence.row
    if row is None or row.token_capture is None:
        return _not_captured(rollout)
    metrics = metrics_of(row.token_capture)
    witness = witness_of(rollout)
    found = mask_row(metrics)
    masked, about_mask = _mask(row, found)
    return Attribution(
        status=_status(metrics),
        method=metrics.method,
        reasons=split_trail(metrics.reason),
        call_id=metrics.call_id,
        chain=metrics.chain,
        chains=metrics.chains,
        roots=metrics.roots,
        masked=masked,
        mask_rule=None if found is None else found.id,
        because=(
            *_status_reasons(metrics),
            *_trail_reasons(metrics),
            *_build_reasons(metrics),
            about_mask,
            *witness_reasons(witness, split_trail(metrics.reason), metrics.call_id),
        ),
        delivered_fraction=metrics.delivered_fraction,
        tree=tree_lines(rollout.evidence.token_entries, metrics.call_id),
        extra=_extra(metrics),
    )


def _status(metrics: CaptureMetrics) -> str:
    if metrics.error is not None or metrics.chain == "error" or "attribution_error" in metrics.reason:
        return "error"
    return "no_attribution" if metrics.method is None else "attributed"


def _not_captured(rollout: Rollout) -> Attribution:
    """No metrics on the row: token capture is off by default. Entries beside the row are still shown."""
    if rollout.evidence.ending is not None:  # no row of Gym: nothing of it could have been captured
        return Attribution()
    entries = rollout.evidence.token_entries
    reasons: list[Reason] = []
    if entries:
        reasons.append(Reason(f"{len(entries)} token records were captured; no build of them is recorded on a row."))
        reasons.extend(witness_reasons(witness_of(rollout), (), None))
    elif rollout.evidence.row is not None:
        reasons.append(Reason("The row holds no token capture, which is off by default.", rests_on=CAPTURE))
    tokenised = any("generation_token_ids" in item.data for item in rollout.scored.items)
    if tokenised:
        reasons.append(Reason(f"{_sentence(ALREADY_TOKENISED.says)}.", rests_on="response.output"))
    return Attribution(
        mask_rule=ALREADY_TOKENISED.id if tokenised else None, because=tuple(reasons), tree=tree_lines(entries)
    )


def _sentence(clause: str) -> str:
    return clause[:1].upper() + clause[1:]


def _status_reasons(metrics: CaptureMetrics) -> Iterator[Reason]:
    field = f"{CAPTURE}.terminal_attribution"
    if metrics.error is not None:
        yield Reason(f"Token capture failed: {metrics.error}.", rests_on=f"{CAPTURE}.error")
    elif not metrics.attribution_recorded:
        yield Reason("This capture records no terminal attribution, as older files do not.", rests_on=CAPTURE)
    elif metrics.method is not None:
        meaning = METHODS.get(metrics.method, "a witness that the table of known witnesses does not have")
        call = f"call `{metrics.call_id}`" if metrics.call_id else "a call that is not named"
        yield Reason(f"Attributed to {call} by `{metrics.method}`: {meaning}.", rests_on=f"{field}.method")
    else:
        yield Reason("No captured call is attributed as the one that was scored.", rests_on=f"{field}.method")
    if metrics.chain in ("broken", "not_captured"):
        why = "its path crosses a quarantined call" if metrics.chain == "broken" else "it is not in the capture"
        yield Reason(f"Its chain was not delivered ({metrics.chain}): {why}.", rests_on=f"{field}.chain")


def _trail_reasons(metrics: CaptureMetrics) -> Iterator[Reason]:
    for token in split_trail(metrics.reason):
        yield Reason(f"`{token}`: {explain(token)}.", rests_on=f"{CAPTURE}.terminal_attribution.reason")


def _build_reasons(metrics: CaptureMetrics) -> Iterator[Reason]:
    counted = [
        f"{count} {one if count == 1 else several}"
        for count, one, several in (
            (metrics.calls, "call", "calls"),
            (metrics.chains, "chain", "chains"),
            (metrics.roots, "root", "roots"),
            (metrics.quarantined_calls, "quarantined call", "quarantined calls"),
            (metrics.unresolved_retries, "unresolved retry", "unresolved retries"),
            (metrics.unresolved_parents, "unresolved parent", "unresolved parents"),
            (metrics.empty_generations, "call without generated tokens", "calls without generated tokens"),
        )
        if count is not None
    ]
    if counted:
        yield Reason(f"The capture counts {', '.join(counted)}.", rests_on=CAPTURE)
    if metrics.quarantined_calls:
        yield Reason(
            "Quarantined calls are tries of the same prompt that lost; no chain through them is delivered.",
            rests_on=f"{CAPTURE}.quarantined_calls",
        )
    if metrics.delivered_fraction is not None:
        share = f"{metrics.delivered_fraction:.0%}"
        tokens = ""
        if metrics.generated_delivered is not None and metrics.generated_captured is not None:
            tokens = f" ({metrics.generated_delivered:,} of {metrics.generated_captured:,})"
        yield Reason(
            f"{share} of the generated tokens were delivered{tokens}.", rests_on=f"{CAPTURE}.delivered_fraction"
        )
    for reason, count in metrics.parent_link_failures.items():
        calls = "1 call" if count == 1 else f"{count} calls"
        yield Reason(f"{calls}: `{reason}`, {explain_link(reason)}.", rests_on=f"{CAPTURE}.parent_link_failures")


def _mask(row: RowRecord, found: MaskRow | None) -> tuple[bool | None, Reason]:
    """Whether token capture masks the row, and the sentence; None where the records leave it open."""
    recorded = row.mask_sample
    if found is None:
        said = "The counts that decide about a mask are not recorded"
        return None, Reason(f"{said}, so which row of the mask table applies is not decided.", rests_on=CAPTURE)
    rule = f"{_sentence(found.says)} ({found.id})"
    if found.masks is None:
        return recorded, Reason(f"{rule}; `mask_sample` is {_word(recorded)}.", rests_on="mask_sample")
    if found.masks:
        if recorded:
            return True, Reason(f"{rule}: the sample is masked.", rests_on="mask_sample")
        return recorded, Reason(
            f"{rule}: token capture would mask it, and `mask_sample` is {_word(recorded)}.", rests_on="mask_sample"
        )
    if recorded:
        return False, Reason(
            f"{rule}: token capture does not mask it; `mask_sample` is true for another cause.", rests_on="mask_sample"
        )
    return False, Reason(f"{rule}: not masked.", rests_on=CAPTURE)


def _word(recorded: bool | None) -> str:
    return "not recorded" if recorded is None else str(recorded).lower()


def _extra(metrics: CaptureMetrics) -> JsonObject:
    known: dict[str, JsonValue] = {
        "n_calls": metrics.calls,
        "quarantined_calls": metrics.quarantined_calls,
        "unresolved_retries": metrics.unresolved_retries,
        "unresolved_parent_calls": metrics.unresolved_parents,
        "empty_generation_calls": metrics.empty_generations,
        "generated_tokens_captured": metrics.generated_captured,
        "generated_tokens_delivered": metrics.generated_delivered,
        "parent_link_failures": dict(metrics.parent_link_failures) or None,
    }
    return {**{key: value for key, value in known.items() if value is not None}, **metrics.unread}
