"""From facts to verdicts: outcome, policy, attribution, grading, harness notes, health, findings. Tables of rules."""

from __future__ import annotations

from .complete import complete

__all__ = ["complete"]
