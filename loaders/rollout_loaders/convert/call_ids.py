"""Ids that Gym makes at random, made here from what is stored, so that two readings of one file are equal."""

from __future__ import annotations

from hashlib import sha256

from .stored import StoredPart


def digest(text: str, length: int) -> str:
    """The first `length` hex digits of a digest of `text`."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def call_id_of(part: StoredPart) -> str:
    """The model's call id, or `call-<8 hex>` of the part where it stored none (gym-semantics 4.3)."""
    stored = part.tool.call_id if part.tool is not None else None
    return stored if stored else f"call-{digest(part.id, 8)}"
