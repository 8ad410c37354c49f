"""Rollouts in notebooks: live views, static ones for where no kernel runs, and plain rich display."""

from __future__ import annotations

from .comparing import CompareView, compare
from .dataframe import to_dataframe
from .errors import CannotShowError
from .formatters import register as _register
from .freezing import FreezeError, freeze
from .overview import TableView, table
from .showing import show
from .static_display import StaticDisplay, StaticView
from .view import RolloutView

__all__ = [
    "CannotShowError",
    "CompareView",
    "FreezeError",
    "RolloutView",
    "StaticDisplay",
    "StaticView",
    "TableView",
    "compare",
    "freeze",
    "show",
    "table",
    "to_dataframe",
]

_register()
