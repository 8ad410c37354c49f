"""The bottom line: hints most of the time, a prompt when something is asked, a message after an action.

A message that is longer than the line takes as many as it needs.
"""

from __future__ import annotations

import time

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import var
from textual.timer import Timer
from textual.widgets import Input, Label

from rollout_loaders.fast_dataclass import dataclass

from .linebar import LineBar, Word
from .safeinput import SafeInput
from .wrappedtext import WrappedText, fits

_MESSAGE_SECONDS = 6.0
_SECONDS_A_CHARACTER = 0.06
"""A long message is read word by word: it stands longer."""
_READ_SECONDS = 1.0
"""A message stands at least this long; after that the next key gives the hints back."""


class PromptBar(Horizontal):
    """Hints, messages and prompts on one line."""

    DEFAULT_CSS = """
    PromptBar {
        height: 1;
        dock: bottom;
        background: $surface;
        & > Label { width: auto; padding: 0 0 0 1; color: $primary; text-style: bold; display: none; }
        & > SafeInput { width: 1fr; border: none; height: 1; padding: 0 1; background: $surface; display: none; }
        &.-asking > Label, &.-asking > SafeInput { display: block; }
        & > WrappedText { display: none; }
        &.-long { height: auto; }
        &.-long > LineBar, &.-asking > LineBar { display: none; }
        &.-long > WrappedText { display: block; }
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
        self._right = ""
        # Held, not queried: something may be said before the bar is composed.
        self._bar = LineBar(id="hints")
        self._long = WrappedText(id="long-message")
        self._timer: Timer | None = None
        self._said_at = 0.0
        self._back_to: str | None = None
        self.message = ""
        """The message that is shown, '' for none."""

    def compose(self) -> ComposeResult:
        """A line of hints; the prompt is made when something is first asked."""
        yield self._bar

    def hint(self, hints: list[tuple[str, str]], right: str = "") -> None:
        """Show which keys do what: pairs of keys and words."""
        words = [Word(f"{keys} {what}", "bar--muted") for keys, what in hints]
        self._hints = tuple(words)
        self._right = right
        if not self.message:
            self._bar.say(self._hints, (Word(right, "bar--muted"),))

    def say(self, text: str, *, problem: bool = False, keep_end: bool = False) -> None:
        """Show a message in place of the hints for a few seconds; `keep_end`: its end matters most, as of a place."""
        self.message, self._said_at = text, time.monotonic()
        style = "bar--problem" if problem else "bar--strong"
        self._bar.say((Word(text, style, True, keep_end=keep_end),))
        self._long.say(text, style, keep_end=keep_end)
        self._unfold()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(max(_MESSAGE_SECONDS, len(text) * _SECONDS_A_CHARACTER), self.hush)

    def on_resize(self) -> None:
        """What fitted may fit no more."""
        self._unfold()

    def _unfold(self) -> None:
        width = self.size.width
        is_long = bool(self.message) and not self.asking and width > 0 and not fits(self.message, width)
        if is_long and not self._long.is_attached:
            self.mount(self._long)
        self.set_class(is_long, "-long")

    def key_came(self) -> None:
        """Make room for the hints: who presses keys has read the message."""
        if self.message and time.monotonic() - self._said_at > _READ_SECONDS:
            self.hush()

    def hush(self) -> None:
        """Take the message away."""
        self.message = ""
        self._unfold()
        self._bar.say(self._hints, (Word(self._right, "bar--muted"),))

    async def _make_prompt(self) -> None:
        if not self.query(SafeInput):
            await self.mount(Label("", markup=False, id="prompt-label"), SafeInput(id="prompt-input", compact=True))

    async def ask(self, purpose: str, label: str, value: str = "", placeholder: str = "") -> None:
        """Open a prompt."""
        await self._make_prompt()
        self.purpose = purpose
        focused = self.screen.focused
        self._back_to = focused.id if focused is not None else None
        self.query_one("#prompt-label", Label).update(label if len(label) == 1 else f"{label}:")
        entry = self.query_one(SafeInput)
        entry.placeholder = placeholder
        self.asking = True
        self._unfold()
        with entry.prevent(Input.Changed):
            entry.value = value
        entry.cursor_position = len(value)
        entry.focus()

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
