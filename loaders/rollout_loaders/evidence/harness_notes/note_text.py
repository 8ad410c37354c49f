"""A text that a harness is known to send in the model's name."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class HarnessNoteText:
    """One known note, word for word."""

    harness: str
    name: str
    text: str
    """Without a trailing newline: stored copies of one text differ in it (gym-semantics 8.6)."""
    releases: tuple[str, ...]
    """Releases recorded or checked to send exactly this text."""
    when: str
    """What makes the harness send it, as a clause."""
