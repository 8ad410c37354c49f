"""The filter above the list: a line of words until it is edited, then an input beside what it lets through."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from rollout_loaders.fast_dataclass import dataclass

from .linebar import LineBar, Word
from .safeinput import SafeInput
from .wrappedtext import WrappedText, fits

_PROBLEM_SHARE = 0.65
"""Of the line, for what is wrong with the filter beside it; what needs more stands below."""


class FilterLine(Horizontal):
    """One line, and below it what is wrong, if that is long.

    The input is made when it is first asked for: a widget less before the first rows.
    """

    DEFAULT_CSS = """
    FilterLine {
        height: 1;
        background: $surface;
        & > SafeInput { width: 1fr; border: none; height: 1; padding: 0 1; background: $panel; }
        & > LineBar { width: 1fr; }
        &.-editing > LineBar { width: 40%; }
        &.-editing.-problem > LineBar { width: 65%; }
        & > WrappedText { display: none; }
        &.-below { height: auto; layout: vertical; }
        &.-below > WrappedText { display: block; }
        &.-below.-editing > LineBar { display: none; }
    }
    """

    @dataclass
    class Changed(Message):
        """The filter is another one."""

        value: str

    @dataclass
    class Refused(Message):
        """Enter on a filter that cannot be read: it stays open."""

        problem: str

    @dataclass
    class Left(Message):
        """The keys go back to the list."""

    def __init__(self, placeholder: str, suggester: Suggester, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.value = ""
        self._placeholder = placeholder
        self._suggester = suggester
        self._note = ""
        self._is_problem = False
        # Held, not queried: rows may be there before the line is composed.
        self._words = LineBar(id="filter-words")
        self._below = WrappedText(id="filter-problem")

    def compose(self) -> ComposeResult:
        """Only the words."""
        yield self._words

    def on_mount(self) -> None:
        """Say what there is."""
        self._say()

    async def edit(self) -> None:
        """Give the keys to the input."""
        if not self.query(SafeInput):
            entry = SafeInput(
                self.value, id="filter", compact=True, placeholder=self._placeholder, suggester=self._suggester
            )
            await self.mount(entry, before=0)
        self.add_class("-editing")
        entry = self.query_one(SafeInput)
        entry.display = True
        entry.focus()
        self._say()

    def set_value(self, value: str) -> None:
        """Set another filter from outside."""
        entries = self.query(SafeInput)
        if entries:
            entries.first().value = value
        elif value != self.value:
            self._take(value)

    def note(self, text: str, *, problem: bool = False) -> None:
        """Say what the filter lets through, or what is wrong with it."""
        self._note, self._is_problem = text, problem
        self.set_class(problem, "-problem")
        self._say()

    def on_resize(self) -> None:
        """What fitted beside the filter may fit no more."""
        self._say()

    def _unfold(self) -> bool:
        """Put what is wrong below the filter where it does not fit beside it; say whether it stands there."""
        width = self.size.width
        is_below = self._is_problem and width > 0 and not fits(self._note, int(width * _PROBLEM_SHARE))
        if is_below:
            self._below.say(self._note, "bar--problem")
            if not self._below.is_attached:
                self.mount(self._below)
        self.set_class(is_below, "-below")
        return is_below

    def _say(self) -> None:
        style = "bar--problem" if self._is_problem else "bar--muted"
        words: list[Word] = []
        if not self.has_class("-editing"):
            words = [
                Word("not applied:" if self._is_problem else "filter", style),
                Word(
                    self.value or f"none (f; e.g. {self._placeholder})",
                    "bar--normal" if self.value else "bar--faint",
                    True,
                ),
            ]
        is_below = self._unfold()
        note = [Word(self._note, style, True)] if self._note and not is_below else []
        bar = self._words
        if words:
            bar.say(words, note)
        else:
            bar.say(note)

    def _take(self, value: str) -> None:
        self.value = value
        self._say()
        self.post_message(self.Changed(value))

    def _leave(self) -> None:
        self.remove_class("-editing")
        for entry in self.query(SafeInput):
            entry.display = False
        self._say()
        self.post_message(self.Left())

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self.value:
            self._take(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        # A filter that cannot be read filters nothing: leaving it above all rows would say that it did.
        if self._is_problem:
            self.post_message(self.Refused(self._note))
        else:
            self._leave()

    @on(SafeInput.GivenUp)
    def _given_up(self, event: SafeInput.GivenUp) -> None:
        event.stop()
        self.set_value("")
        self._leave()
