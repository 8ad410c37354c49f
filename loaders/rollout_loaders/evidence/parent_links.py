"""Why a captured call was or was not linked to a parent call (gym-semantics 8.2, 8.3)."""

from __future__ import annotations

from collections.abc import Mapping

PARENT_LINK_FAILURES: Mapping[str, str] = {
    "parent_unresolved": "no parent was resolved when the request was made",
    "resolved_parent_missing_id": "the entry says that its parent was resolved and names none",
    "parent_call_id_missing": "the named parent is not in the snapshot",
    "parent_call_id_missing_recovered": "the named parent is not in the snapshot; a safe ancestor was found by its "
    "prefix, so the call is still linked",
    "parent_digest_mismatch": "the call's prompt does not begin with its parent's tokens",
    "missing_resolution": "the entry does not say how its parent was resolved",
    "duplicate_call_id_conflict": "two entries share the call id and differ",
}
"""Reasons of `parent_link_failures`, found when the rollout is built."""

STILL_LINKED = frozenset({"parent_call_id_missing_recovered"})
"""All the others make the call an unresolved boundary: a new root."""

REQUEST_REASONS: Mapping[str, str] = {
    "": "",
    "no_match": "no earlier call's output is in the request",
    "ambiguous": "several earlier calls could be the parent",
}
"""`parent_resolution_reason`, found when the request is made."""

RESOLUTIONS: Mapping[str, str] = {
    "root": "starts a conversation",
    "resolved": "continues its parent",
    "unresolved": "its parent is not known: a new root",
}
"""`parent_resolution` of an entry."""


def explain_link(reason: str) -> str:
    """One clause for a parent link failure; what becomes of the call is said with it."""
    meaning = PARENT_LINK_FAILURES.get(reason)
    if meaning is None:
        return "a reason that the table of known reasons does not have"
    return meaning if reason in STILL_LINKED else f"{meaning}, so it starts a new root"
