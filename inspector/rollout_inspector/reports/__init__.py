"""Findings as other programs read them: GitHub annotations, JUnit XML, SARIF."""

from __future__ import annotations

from .found import Found

__all__ = ["Found"]
