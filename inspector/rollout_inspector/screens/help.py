"""Every key, the legend of the lenses, the glossary."""

from __future__ import annotations

from typing import ClassVar

from rollout_views.block import Block
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ..panes.blocksource import FixedSource
from ..panes.blockview import BlockView
from ..panes.linebar import LineBar, Word

LENS_LEGEND = (
    ("stored", "1  what the harness wrote, verbatim, every part in store order, think tags and all"),
    ("observed", "2  the conversation as Gym observes it: reasoning apart from answers, split where the route says so"),
    ("scored", "3  the items that the verifier read, in its order; ◆ marks the one it graded"),
)
GLOSSARY = (
    ("rollout", "one scored attempt at a task: a Gym row, a root session of an OpenCode store, one Pi run"),
    ("turn", "one assistant message that is no compaction summary, also one that started and never ended"),
    ("invocation", "one agent or subagent conversation in a rollout"),
    ("scored text", "the text of the last assistant message item that the verifier read"),
    ("final answer", "the answer of the last turn; never an earlier turn's. It does not stand when that turn called tools, failed or was cut off"),
    ("graded", "● full, ◐ partial, ○ zero: the reward measures the policy"),
    ("invalid", "⊘ the reward does not measure the policy: infrastructure, provider, harness or verifier failed"),
    ("masked", "⊘ the sample is masked for a cause other than token capture"),
    ("not graded", "– no verifier read it"),
    ("unreadable", "✗ the reward is not a number, or the record could not be read"),
    ("·", "unknown: the record does not say. Never drawn as 0"),
    ("┊", "the model's context no longer held this when the rollout ended"),
    ("…", "something is folded or cut here; how much is said beside it"),
)  # fmt: skip


class HelpScreen(Screen[None]):
    """Keys of the screen it was opened on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Back", id="help.close"),
    ]

    def __init__(self, over: Screen[object]) -> None:
        super().__init__()
        self._over = over
        self.blocks = self._make_blocks()

    def _make_blocks(self) -> tuple[Block, ...]:
        made: list[Block] = [Block("keys", "keys", "boundary", title=f"of {type(self._over).__name__}", rule=True)]
        seen: set[tuple[str, str]] = set()
        by_action: dict[str, list[str]] = {}
        what: dict[str, tuple[str, str]] = {}
        for active in self._over.active_bindings.values():
            binding = active.binding
            if not binding.description or (binding.key, binding.description) in seen:
                continue
            seen.add((binding.key, binding.description))
            by_action.setdefault(binding.action, []).append(self.app_key(binding))
            what[binding.action] = (binding.description, binding.id or "")
        for action, keys in by_action.items():
            description, ident = what[action]
            made.append(
                Block(f"key-{action}", " ".join(dict.fromkeys(keys))[:8], "tool", title=description, mark=ident)
            )
        made.append(Block("lenses", "lenses", "boundary", title="which reading of the same evidence is shown", rule=True))
        made += [Block(f"lens-{name}", name, "answer", title=text) for name, text in LENS_LEGEND]
        made.append(Block("words", "words", "boundary", title="as they are used here", rule=True))
        made += [Block(f"word-{word}", word[:8], "user", title=word if len(word) > 8 else "", body=text) for word, text in GLOSSARY]
        made.append(
            Block("keymap", "keymap", "boundary", title="own keys: keymap.toml in the folder rollout-inspect of your configuration", rule=True)
        )
        made.append(Block("keymap-how", "", "muted", body='[keys]\n"turn.next" = "n,right"\n\nThe names stand behind the keys above.'))
        return tuple(made)

    def app_key(self, binding: Binding) -> str:
        """Return a key as people write it."""
        names = {"question_mark": "?", "slash": "/", "colon": ":", "dollar_sign": "$", "less_than_sign": "<",
                 "greater_than_sign": ">", "left_square_bracket": "[", "right_square_bracket": "]",
                 "left_curly_bracket": "{", "right_curly_bracket": "}", "escape": "esc", "pagedown": "pgdn",
                 "pageup": "pgup", "backspace": "bksp"}  # fmt: skip
        return names.get(binding.key, binding.key)

    def compose(self) -> ComposeResult:
        """One line on top, the rest scrolls."""
        yield LineBar(id="title")
        yield BlockView(id="help")

    def on_mount(self) -> None:
        """Show it."""
        self.query_one(LineBar).say([Word("help", "bar--strong"), Word("esc back", "bar--muted")])
        view = self.query_one(BlockView)
        view.show(FixedSource(self.blocks))
        view.focus()
