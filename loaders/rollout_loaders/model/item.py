"""Responses-shaped items: what a verifier reads and what an observed conversation holds."""

from __future__ import annotations

from dataclasses import field

from rollout_loaders.fast_dataclass import dataclass

from .jsontypes import JsonObject
from .place import Place


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a conversation (gym-semantics 2), verbatim in `data`, its common fields picked out.

    `text` is, for a message, its text blocks joined by newline (None where it has none); for reasoning, its summary
    and content texts joined by newline; for a function_call its arguments (a JSON string); for a function_call_output
    its output text. Items of other types keep None unless they have an obvious text.
    """

    type: str
    """`message`, `reasoning`, `function_call`, `function_call_output`, or any other type as recorded."""
    data: JsonObject
    id: str | None = None
    role: str | None = None
    text: str | None = None
    call_id: str | None = None
    name: str | None = None
    place: Place = field(default_factory=Place)

    @property
    def is_assistant_message(self) -> bool:
        """True for the items that a last-message verifier chooses from (gym-semantics 9.1)."""
        return self.type == "message" and self.role == "assistant"
