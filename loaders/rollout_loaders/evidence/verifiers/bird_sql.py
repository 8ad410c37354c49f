"""bird_sql: the generated query's rows against the reference query's (gym-semantics 9.3)."""

from __future__ import annotations

from rollout_loaders.evidence.extras import boolean, text
from rollout_loaders.evidence.quoting import quote
from rollout_loaders.model import Reason

from .verifier import Case, Explanation, Verifier, cannot, compared, contradiction

FAILURES: dict[str, str] = {
    "none": "the query returned the rows of the reference query",
    "no_sql_extracted": "no SQL code block was found in the text",
    "execution_error": "the query failed to run, or ran and returned other rows than the reference query",
    "gold_execution_error": "the reference query itself failed, so the reward says nothing of the generated one",
    "unknown_error": "the comparison itself failed",
}


def recognise(case: Case) -> bool:
    """By `execution_match` or `extracted_sql`."""
    return "execution_match" in case.fields or "extracted_sql" in case.fields


def explain(case: Case) -> Explanation:
    """The failure reason in words, the extracted query, and whether `execution_match` gives the reward."""
    reason, match = case.row.failure_reason, boolean(case.fields, "execution_match")
    sql = text(case.fields, "extracted_sql")
    words = FAILURES.get(reason or "", "")
    parts = [f"`execution_match` is {_word(match)}"]
    if reason is not None:
        parts.append(f"`failure_reason` is `{reason}`" + (f" ({words})" if words else ""))
    sentences = [Reason(f"{case.headline}: {'; '.join(parts)}.", rests_on="execution_match")]
    if sql is not None:
        sentences.append(Reason(f"The extracted query is {quote(sql)}.", rests_on="extracted_sql"))
    recomputed, sentence = _recompute(case, match, reason)
    return Explanation(
        (*sentences, sentence),
        recomputed,
        expected=case.fields.get("gt_sql"),
        extracted=case.fields.get("extracted_sql"),
    )


def _word(value: bool | None) -> str:
    return "not recorded" if value is None else str(value).lower()


def _recompute(case: Case, match: bool | None, reason: str | None) -> tuple[str, Reason]:
    if match is None:
        return cannot("`execution_match` is not recorded", "execution_match")
    if reason in FAILURES and match != (reason == "none"):
        return contradiction(
            f"`execution_match` is {_word(match)} and `failure_reason` is `{reason}`",
            "failure_reason",
        )
    return compared(case, 1.0 if match else 0.0, "`execution_match`", "execution_match")


VERIFIER = Verifier("bird_sql", recognise, explain, "all-messages-joined")
