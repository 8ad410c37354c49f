"""The bottom line: hints most of the time, a prompt when something is asked, a short message after an action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import var
from textual.timer import Timer
from textual.widgets import Input, Label

from rollout_views.foreign import visible_line

from .linebar import LineBar, Word

_MESSAGE_SECONDS = 6.0


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


class PromptBar(Horizontal):
    """Hints, messages and prompts on one line."""

    DEFAULT_CSS = """
    PromptBar {
        height: 1;
        dock: bottom;
        background: $surface;
        & > Label { width: auto; padding: 0 0 0 1; color: $primary; text-style: bold; display: none; }
        & > SafeInput { width: 1fr; border: none; height: 1; padding: 0 1; background: $surface; display: none; }
        & > .count { width: auto; padding: 0 1; color: $text-muted; display: none; }
        &.-asking > Label, &.-asking > SafeInput, &.-asking > .count { display: block; }
        &.-asking > LineBar { display: none; }
    }
    """
    asking: var[bool] = var(False, toggle_class="-asking")
    """Whether a prompt is open."""

    @dataclass
    class Submitted(Message):
        """A prompt was answered."""

        purpose: str
        value: str

    @dataclass
    class Changed(Message):
        """The text of a prompt changed."""

        purpose: str
        value: str

    @dataclass
    class Cancelled(Message):
        """A prompt was left without an answer."""

        purpose: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.purpose = ""
        self._hints: tuple[Word, ...] = ()
        self._timer: Timer | None = None
        self._back_to: str | None = None
        self.message = ""
        """The message that is shown, '' for none."""

    def compose(self) -> ComposeResult:
        """A line of hints, and the prompt that takes its place."""
        yield LineBar(id="hints")
        yield Label("", markup=False, id="prompt-label")
        yield SafeInput(id="prompt-input", compact=True)
        yield Label("", markup=False, classes="count")

    def hint(self, hints: list[tuple[str, str]], right: str = "") -> None:
        """Show which keys do what: pairs of keys and words."""
        words = [Word(f"{keys} {what}", "bar--muted") for keys, what in hints]
        self._hints = tuple(words)
        self._right = right
        if not self.message:
            self.query_one("#hints", LineBar).say(self._hints, (Word(right, "bar--muted"),))

    def say(self, text: str, *, problem: bool = False) -> None:
        """Show a message in place of the hints for a few seconds."""
        self.message = text
        self.query_one("#hints", LineBar).say((Word(text, "bar--problem" if problem else "bar--strong", True),))
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_MESSAGE_SECONDS, self.hush)

    def hush(self) -> None:
        """Take the message away."""
        self.message = ""
        self.query_one("#hints", LineBar).say(self._hints, (Word(getattr(self, "_right", ""), "bar--muted"),))

    def ask(self, purpose: str, label: str, value: str = "", placeholder: str = "") -> None:
        """Open a prompt."""
        self.purpose = purpose
        focused = self.screen.focused
        self._back_to = focused.id if focused is not None else None
        self.query_one("#prompt-label", Label).update(label)
        entry = self.query_one(SafeInput)
        entry.placeholder = placeholder
        self.note("")
        self.asking = True
        with entry.prevent(Input.Changed):
            entry.value = value
        entry.cursor_position = len(value)
        entry.focus()

    def note(self, text: str) -> None:
        """Say something at the right of the prompt: a count, what is wrong."""
        self.query_one(".count", Label).update(visible_line(text))

    def close(self) -> None:
        """Close the prompt and give the keys back."""
        self.asking = False
        if self._back_to is not None and (found := self.screen.query(f"#{self._back_to}")):
            found.first().focus()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.asking:
            self.post_message(self.Changed(self.purpose, event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.close()
        self.post_message(self.Submitted(self.purpose, event.value))

    @on(SafeInput.GivenUp)
    def _given_up(self, event: SafeInput.GivenUp) -> None:
        event.stop()
        self.close()
        self.post_message(self.Cancelled(self.purpose))

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """A prompt that lost the keys to a click is closed, not left half open."""
        if self.asking and isinstance(event.widget, SafeInput):
            self.asking = False
            self.post_message(self.Cancelled(self.purpose))
