"""The reason trail of a terminal attribution: its tokens, each explained (gym-semantics 8.4)."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "explicit_terminal_not_captured": "the call that the caller named as the kept one is not in the capture; "
    "the other witnesses were still asked",
    "declared_terminal_not_captured": "the declared response id is not in the capture: nothing is attributed, "
    "and no other witness is asked",
    "declared_ambiguous": "several captured calls have the declared response id: nothing is attributed, "
    "and no other witness is asked",
    "response_has_no_id": "the scored response has no id, so the response-id witness abstains",
    "response_id_no_match": "no captured call was served with the scored response's id",
    "response_id_ambiguous": "several captured calls were served with the scored response's id",
    "no_response_object": "there was no response object to take a fingerprint of",
    "response_has_no_output": "the scored response has no output to take a fingerprint of",
    "response_output_unfingerprintable": "the scored output could not be fingerprinted",
    "no_model_authored_output": "the scored output holds nothing that the model wrote",
    "content_ambiguous": "several different captured calls have the scored content",
    "no_content_match": "no captured call has the scored content",
    "attribution_error": "the resolver itself threw",
}
"""Whole tokens."""

PREFIXES: Mapping[str, str] = {
    "witness_disagreement[": "the witnesses name different calls, so nothing is attributed",
    "corroborated_by=": "the same call is also named by",
}
"""Tokens that carry a value."""

METHODS: Mapping[str, str] = {
    "explicit": "the caller named the kept call",
    "declared": "the caller declared the kept response id",
    "response_id": "the response's id is the id that this call was served with",
    "content_cumulative": "the whole output equals everything the model had written up to and with this call",
    "content_output": "the output, or its trailing run of assistant items, equals this call's own output",
    "content": "the output equals this call's content (a record without tokens)",
}
"""The witnesses, in the order in which they name the method."""


def split_trail(trail: str) -> tuple[str, ...]:
    """The tokens of a comma-joined trail; commas inside brackets belong to their token."""
    tokens: list[str] = []
    start = depth = 0
    for index, letter in enumerate(trail):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth <= 0:
            tokens.append(trail[start:index])
            start = index + 1
    tokens.append(trail[start:])
    return tuple(token.strip() for token in tokens if token.strip())


def explain(token: str) -> str:
    """One clause for a token; an unknown one is said to be unknown, never guessed at."""
    if token in REASONS:
        return REASONS[token]
    for prefix, meaning in PREFIXES.items():
        if token.startswith(prefix):
            value = token[len(prefix) :].removesuffix("]")
            said = value.replace("+", " and ") if prefix == "corroborated_by=" else value.replace(";", ", ")
            return f"{meaning} {said}" if prefix == "corroborated_by=" else f"{meaning} ({said})"
    return "a reason that the table of known reasons does not have"
