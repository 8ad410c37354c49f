"""The terminal inspector: `rollout-inspect PATH…`."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from rollout_loaders.model import RolloutSummary
from rollout_loaders.reader import ReadOptions
from rollout_loaders.remote.address import redacted

from .keymap import read_keymap
from .loading import Opener, RolloutSource, collection_opener
from .notes import NoteBook
from .palette import system_commands
from .panes.promptbar import PromptBar
from .panes.safeinput import SafeInput
from .savedviews import SavedViews
from .screens.browse import BrowseScreen
from .screens.rowstore import Queue
from .state import SessionState
from .themes import ORDER, THEMES

NOTHING_FORCED = ReadOptions()


class InspectorApp(App[None]):
    """Browse rollouts, read one, find out why it got its reward.

    Args:
        paths: What the command line named.
        options: What the user forced.
        reader: A reader's name, to force it.
        follow: Whether growing files are followed.
        opener: Another source of rollouts, for tests.
    """

    TITLE = "rollout-inspect"
    CSS_PATH = "app.tcss"
    # Textual's annotation hides from mypy that these are class variables.
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (70, "-narrow"), (100, "-wide"), (150, "-vast")]  # noqa: RUF012 - see above
    VERTICAL_BREAKPOINTS = [(0, "-short"), (14, "-tall")]  # noqa: RUF012 - see above
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", "Quit", id="app.interrupt", show=False, priority=True),
        Binding("q", "quit", "Quit", id="app.quit"),
        Binding("question_mark,f1", "help", "Help", id="app.help"),
        Binding("ctrl+t", "next_theme", "Next theme", id="app.theme"),
    ]

    def __init__(
        self,
        paths: tuple[str, ...],
        options: ReadOptions = NOTHING_FORCED,
        reader: str | None = None,
        follow: bool = False,
        opener: Opener | None = None,
    ) -> None:
        super().__init__()
        self.paths = paths
        self.options = options
        self.follow = follow
        self.source: RolloutSource | None = None
        self.opener: Opener = opener or collection_opener(paths, options, reader, follow)
        self._handed_on: deque[events.Key] = deque(maxlen=100)
        """Keys that a prompt was given although another widget had them first."""
        self.session = SessionState()
        self.notebook = NoteBook()
        self.views = SavedViews()
        self.queue = Queue()
        """Rollouts in the order of the list, for next and previous."""
        keys, self.keymap_problem = read_keymap()
        self.set_keymap(keys)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = ORDER[0]

    async def on_event(self, event: events.Event) -> None:
        """Take the last message away before a key does what it does; give a prompt what was typed before it stood.

        Who types `:3-1` in one go types into the list: the prompt opens while the keys are on their way. What no widget
        took comes here, and is handed to the prompt once.
        """
        if isinstance(event, events.Key) and self.screen_stack:
            for prompt in self.screen.query(PromptBar):
                prompt.key_came()
                if prompt.asking and event.is_forwarded and all(event is not one for one in self._handed_on):
                    self._hand_on(event, prompt.query_one(SafeInput))
                    return
        await super().on_event(event)

    def _hand_on(self, event: events.Key, entry: SafeInput) -> None:
        """Give a prompt a key that another widget had; a new event, for one that came up here goes no way twice."""
        again = events.Key(event.key, event.character)
        self._handed_on.append(again)
        entry._forward_event(again)  # pyright: ignore[reportPrivateUsage] - what the app itself does with each key

    def get_default_screen(self) -> Screen[object]:
        """Start on the list: a blank screen below it would cost a third of the time to the first rows."""
        return BrowseScreen()  # type: ignore[return-value]

    @property
    def shown_paths(self) -> str:
        """What was opened, for the top bar."""
        shown = [redacted(path) for path in self.paths]
        return " ".join(shown) if len(shown) < 4 else f"{shown[0]} and {len(shown) - 1} more"

    def action_help(self) -> None:
        """Show every key, the lens legend and the glossary."""
        from .screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen.active_bindings))

    def action_next_theme(self) -> None:
        """Step through dark, light and the terminal's own colours."""
        at = ORDER.index(self.theme) if self.theme in ORDER else -1
        self.theme = ORDER[(at + 1) % len(ORDER)]

    def get_system_commands(self, screen: Screen[object]):  # type: ignore[no-untyped-def]
        """Offer everything in the palette."""
        yield from system_commands(self, screen)

    def export_notes(self) -> None:
        """Write all notes to `notes.jsonl` where the program was started."""
        path = Path("notes.jsonl")
        prompts = self.screen.query(PromptBar)
        if path.exists():
            said, problem = f"{path} exists already; nothing was written", True
        else:
            path.write_text(self.notebook.export(), "utf-8")
            said, problem = f"notes exported to {path}", False
        if prompts:
            prompts.first().say(said, problem=problem)

    def neighbour(self, summary: RolloutSummary, step: int) -> RolloutSummary | None:
        """Return the next or previous rollout of the list."""
        here = self.queue.index(summary)
        if here is None or not 0 <= here + step < len(self.queue):
            return None
        return self.queue[here + step]
