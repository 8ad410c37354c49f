"""An input that holds nothing a terminal would obey."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from rollout_views.foreign import visible_line


class SafeInput(Input):
    """An input whose value holds no character that a terminal would obey, wherever it was pasted from."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", "Cancel", show=False)]

    class GivenUp(Message):
        """Escape was pressed."""

    def validate_value(self, value: str) -> str:
        """Make foreign characters visible."""
        return visible_line(value)

    def action_give_up(self) -> None:
        """Leave the input."""
        self.post_message(self.GivenUp())
