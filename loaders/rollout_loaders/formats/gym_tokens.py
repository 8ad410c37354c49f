"""The token store: `<id>.tokens.jsonl` lines (TokenEntry, gym-semantics 8.2)."""

from __future__ import annotations

from pathlib import Path

from rollout_loaders.model import JsonObject, TokenEntry

from .fields import array, integer, number, objects, text
from .gym_capture import read_objects

_ARRAYS = ("prompt_token_ids", "generation_token_ids", "generation_log_probs", "routed_experts")
_READ = frozenset(
    {
        *("model_call_id", "parent_call_id", "parent_resolution", "parent_resolution_reason", "response_id"),
        *("created_at", "output_items", *_ARRAYS),
    }
)


def read_tokens(path: Path) -> tuple[TokenEntry, ...]:
    """Entries in file order; a line without a `model_call_id` is none. Raises `ReadError`."""
    return tuple(entry for raw in read_objects(path) if (entry := token_entry(raw)) is not None)


def token_entry(raw: JsonObject) -> TokenEntry | None:
    """One entry; None without a `model_call_id`. The token arrays are counted, not kept."""
    call_id = text(raw, "model_call_id")
    if call_id is None:
        return None
    return TokenEntry(
        call_id=call_id,
        parent_call_id=text(raw, "parent_call_id"),
        parent_resolution=text(raw, "parent_resolution"),
        parent_reason=text(raw, "parent_resolution_reason"),
        response_id=text(raw, "response_id"),
        created_at=number(raw, "created_at"),
        prompt_tokens=_length(raw, "prompt_token_ids"),
        generated_tokens=_length(raw, "generation_token_ids"),
        output_items=objects(raw, "output_items"),
        extra={key: value for key, value in raw.items() if key not in _READ},
    )


def _length(raw: JsonObject, key: str) -> int | None:
    """Length of a token array; of a delta record's prompt this is the delta, so the cumulative length is not known."""
    if key not in raw or not isinstance(raw[key], list):
        return None
    counted = len(array(raw, key))
    if key == "prompt_token_ids" and raw.get("prompt_is_delta") is True:
        cumulative, generated = integer(raw, "cum_len"), _length(raw, "generation_token_ids")
        return None if cumulative is None or generated is None else cumulative - generated
    return counted
