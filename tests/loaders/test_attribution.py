"""Token attribution: the tables of gym-semantics 8.3 and 8.4, row by row, and what a rollout says of itself."""

from __future__ import annotations

from typing import Any

import pytest
from tests.factories import message_item, rollout, turn

from rollout_loaders.evidence.attribution import attribution_of
from rollout_loaders.evidence.capture_mask import MASK_ROWS, mask_row
from rollout_loaders.evidence.capture_metrics import metrics_of
from rollout_loaders.evidence.chains import tree_lines
from rollout_loaders.evidence.parent_links import PARENT_LINK_FAILURES, STILL_LINKED, explain_link
from rollout_loaders.evidence.reason_trail import METHODS, PREFIXES, REASONS, explain, split_trail
from rollout_loaders.model import Attribution, Evidence, JsonObject, Rollout, RowRecord, Scored, TokenEntry


def capture(**metrics: Any) -> JsonObject:
    """`_ng_token_capture` with one clean, unattributed chain unless said otherwise."""
    terminal = {
        "method": metrics.pop("method", "none"),
        "call_id": metrics.pop("call_id", None),
        "reason": metrics.pop("reason", ""),
        "chain": metrics.pop("chain", ""),
    }
    counts = {"n_calls": 1, "chains": 1, "roots": 1, "quarantined_calls": 0, "unresolved_parent_calls": 0}
    return {"terminal_attribution": terminal, **counts, **metrics}


def row_with(token_capture: JsonObject | None, mask_sample: bool | None = None, **fields: Any) -> Rollout:
    row = RowRecord(
        reward=1.0, reward_literal=None, has_reward=True, token_capture=token_capture, mask_sample=mask_sample
    )
    return rollout(turn(1, answer="4"), evidence=Evidence(row=row, **fields))


def attribution(token_capture: JsonObject | None, mask_sample: bool | None = None, **fields: Any) -> Attribution:
    return attribution_of(row_with(token_capture, mask_sample, **fields))


def said(told: Attribution) -> str:
    return " ".join(reason.text for reason in told.because)


def entry(call_id: str, parent: str | None = None, text: str = "", **fields: Any) -> TokenEntry:
    values: dict[str, Any] = {
        "parent_resolution": "root" if parent is None else "resolved",
        "parent_reason": None,
        "response_id": f"resp-{call_id}",
        "created_at": None,
        "prompt_tokens": None,
        "generated_tokens": None,
        "output_items": (message_item(text).data,) if text else (),
    }
    return TokenEntry(call_id=call_id, parent_call_id=parent, **{**values, **fields})


# -- the trail ---------------------------------------------------------------------------------------------------


def test_the_trail_is_split_at_commas_outside_brackets() -> None:
    trail = "response_id_no_match,witness_disagreement[explicit=a,b;content=c],no_content_match"
    assert split_trail(trail) == (
        "response_id_no_match",
        "witness_disagreement[explicit=a,b;content=c]",
        "no_content_match",
    )
    assert split_trail("") == ()


@pytest.mark.parametrize(
    "token",
    [
        "explicit_terminal_not_captured",
        "declared_terminal_not_captured",
        "declared_ambiguous",
        "response_has_no_id",
        "response_id_no_match",
        "response_id_ambiguous",
        "no_response_object",
        "response_has_no_output",
        "response_output_unfingerprintable",
        "no_model_authored_output",
        "content_ambiguous",
        "no_content_match",
        "attribution_error",
    ],
)
def test_every_token_of_8_4_is_explained(token: str) -> None:
    told = attribution(capture(reason=token))
    assert f"`{token}`: {REASONS[token]}." in said(told)


def test_the_reason_table_has_no_other_rows() -> None:
    assert len(REASONS) == 13
    assert set(PREFIXES) == {"witness_disagreement[", "corroborated_by="}
    assert list(METHODS)[:3] == ["explicit", "declared", "response_id"]


def test_tokens_with_a_value_name_it() -> None:
    assert "explicit=c1, content=c2" in explain("witness_disagreement[explicit=c1;content=c2]")
    assert explain("corroborated_by=response_id+content").endswith("response_id and content")


def test_an_unknown_token_is_said_to_be_unknown() -> None:
    assert "does not have" in explain("tea_leaves")


# -- the mask ----------------------------------------------------------------------------------------------------

MASK_CASES: list[tuple[str, JsonObject, bool | None]] = [
    ("build-error", {"error": "nothing recorded"}, True),
    ("snapshot-incomplete-delivered", capture(capture_incomplete=True, method="explicit", chain="delivered"), None),
    ("snapshot-incomplete", capture(capture_incomplete=True), True),
    (
        "delivered-nothing-trainable",
        capture(method="explicit", chain="delivered", generated_tokens_delivered=0),
        True,
    ),
    ("chain-delivered", capture(method="explicit", chain="delivered", generated_tokens_delivered=7), False),
    ("attributed-not-delivered", capture(method="response_id", chain="broken"), True),
    ("single-chain-retried", capture(quarantined_calls=1), None),
    ("single-clean-chain", capture(), False),
    ("multi-chain-fallback", capture(chains=2, roots=2), True),
]


@pytest.mark.parametrize(("rule", "token_capture", "masks"), MASK_CASES)
def test_each_row_of_the_mask_table(rule: str, token_capture: JsonObject, masks: bool | None) -> None:
    found = mask_row(metrics_of(token_capture))
    assert found is not None
    assert (found.id, found.masks) == (rule, masks)


def test_every_mask_row_has_a_case() -> None:
    assert [row.id for row in MASK_ROWS] == [rule for rule, _, _ in MASK_CASES]


@pytest.mark.parametrize(
    "metrics",
    [{"chains": 2}, {"roots": 2}, {"unresolved_retries": 1}, {"unresolved_parent_calls": 1}],
)
def test_each_doubt_alone_makes_the_fallback_mask(metrics: dict[str, int]) -> None:
    found = mask_row(metrics_of(capture(**metrics)))
    assert found is not None
    assert found.id == "multi-chain-fallback"


@pytest.mark.parametrize("recorded", [True, False])
def test_a_quarantined_retry_of_a_single_chain_decides_no_mask(recorded: bool) -> None:
    """8.3: the loser of a retry is quarantined whether or not the retry was resolved; only unresolved ones mask."""
    told = attribution(capture(quarantined_calls=1), recorded)
    assert (told.mask_rule, told.masked) == ("single-chain-retried", recorded)
    resolved = mask_row(metrics_of(capture(quarantined_calls=1, unresolved_retries=0)))
    assert resolved is not None
    assert resolved.id == "single-clean-chain"


def test_a_declared_call_that_was_not_captured_masks() -> None:
    found = mask_row(metrics_of(capture(chain="not_captured", reason="declared_terminal_not_captured")))
    assert found is not None
    assert found.id == "attributed-not-delivered"


def test_unrecorded_counts_decide_nothing() -> None:
    told = attribution({"n_calls": 2})
    assert (told.mask_rule, told.masked, told.chains, told.roots) == (None, None, None, None)
    assert "not decided" in said(told)


def test_a_mask_with_its_row() -> None:
    told = attribution(capture(chains=2, roots=2, reason="response_id_no_match,no_content_match"), True)
    assert (told.status, told.masked, told.mask_rule) == ("no_attribution", True, "multi-chain-fallback")
    assert told.reasons == ("response_id_no_match", "no_content_match")


def test_a_single_clean_chain_stays_unmasked() -> None:
    told = attribution(capture(reason="no_content_match"), None)
    assert (told.status, told.masked, told.mask_rule) == ("no_attribution", False, "single-clean-chain")


def test_a_mask_of_another_cause_is_not_the_captures() -> None:
    told = attribution(capture(), True)
    assert told.masked is False
    assert "another cause" in said(told)


def test_a_mask_that_is_due_and_not_set_is_said() -> None:
    told = attribution(capture(chains=2, roots=2), False)
    assert told.masked is False
    assert "would mask it, and `mask_sample` is false" in said(told)


def test_an_output_with_token_ids_is_left_as_it_is() -> None:
    item = message_item("4")
    marked = type(item)(type="message", data={**item.data, "generation_token_ids": [1]}, role="assistant", text="4")
    before = row_with(None)
    told = attribution_of(
        type(before)(id="x", source=before.source, scored=Scored(items=(marked,)), evidence=before.evidence)
    )
    assert (told.status, told.mask_rule, told.masked) == ("not_captured", "already-tokenised", None)


# -- status ------------------------------------------------------------------------------------------------------


def test_no_capture_is_not_captured() -> None:
    told = attribution(None)
    assert (told.status, told.masked, told.chains, told.delivered_fraction) == ("not_captured", None, None, None)
    assert "off by default" in said(told)


def test_an_attributed_call() -> None:
    told = attribution(
        capture(
            method="explicit",
            call_id="c2",
            chain="delivered",
            reason="corroborated_by=response_id",
            delivered_fraction=0.61,
            generated_tokens_captured=100,
            generated_tokens_delivered=61,
        )
    )
    assert (told.status, told.method, told.call_id, told.chain) == ("attributed", "explicit", "c2", "delivered")
    assert told.delivered_fraction == 0.61
    assert "61% of the generated tokens were delivered (61 of 100)." in said(told)


def test_a_failed_capture_is_an_error() -> None:
    told = attribution({"error": "ValueError: capture produced no safe trainable chain"}, True)
    assert (told.status, told.masked, told.mask_rule) == ("error", True, "build-error")
    assert "no safe trainable chain" in said(told)


def test_older_metrics_have_no_attribution() -> None:
    told = attribution({"n_calls": 1, "chains": 1, "roots": 1})
    assert told.status == "no_attribution"
    assert "older files" in said(told)


def test_unread_keys_are_kept() -> None:
    assert attribution(capture(weight_version=3)).extra["weight_version"] == 3


def test_metrics_of_the_wrong_type_are_not_recorded() -> None:
    metrics = metrics_of({"chains": "two", "roots": True, "n_calls": float("nan"), "terminal_attribution": "x"})
    assert (metrics.chains, metrics.roots, metrics.calls, metrics.attribution_recorded) == (None, None, None, False)


# -- parent links and chains -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reason",
    [
        "parent_unresolved",
        "resolved_parent_missing_id",
        "parent_call_id_missing",
        "parent_call_id_missing_recovered",
        "parent_digest_mismatch",
        "missing_resolution",
        "duplicate_call_id_conflict",
    ],
)
def test_every_parent_link_failure_is_explained(reason: str) -> None:
    told = attribution(capture(parent_link_failures={reason: 2}))
    assert f"2 calls: `{reason}`, {PARENT_LINK_FAILURES[reason]}" in said(told)
    assert ("new root" in explain_link(reason)) is (reason not in STILL_LINKED)


def test_the_tree_shows_chains_branches_and_the_attributed_call() -> None:
    entries = [
        entry("c1", created_at=1.0, prompt_tokens=10, generated_tokens=5, text="plan"),
        entry("c2", "c1", created_at=2.0),
        entry("c3", "c2", created_at=3.0),
        entry("c4", "c2", created_at=4.0, text="4"),
        entry("sub", created_at=2.5, parent_resolution="unresolved", parent_reason="no_match"),
    ]
    lines = tree_lines(entries, "c4")
    assert lines[0] == '● c1 · 10 prompt, 5 generated tokens · root: starts a conversation · "plan"'
    assert lines[1].startswith("↓ c2 · ")
    assert lines[2].startswith("  ├ c3 · ")
    assert lines[3].startswith("  ├ c4 ◆ attributed · ")
    assert "unresolved: its parent is not known: a new root: no earlier call's output" in lines[4]


def test_a_long_chain_runs_straight_down_and_cycles_end() -> None:
    chain = [entry("c0")] + [entry(f"c{n}", f"c{n - 1}") for n in range(1, 3000)]
    lines = tree_lines(chain)
    assert len(lines) == 3000
    assert not any(line.startswith(" ") for line in lines)
    loop = tree_lines([entry("a", "b"), entry("b", "a"), entry("c", "c")])
    assert len(loop) == 3
    assert all("lead back to itself" in line for line in loop)
