"""Every key, the legend of the lenses, the glossary."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.screen import Screen

from rollout_inspector.keymap import keymap_path
from rollout_inspector.panes.blocksource import GroupedSource
from rollout_inspector.panes.blockview import BlockView
from rollout_inspector.panes.linebar import LineBar, Word
from rollout_views.block import Block

LENS_LEGEND = (
    ("stored", "1  what the harness wrote, verbatim, every part in store order, think tags and all"),
    ("observed", "2  the conversation as Gym observes it: reasoning apart from answers, split where the route says so"),
    ("scored", "3  the items that the verifier read, in its order; ◆ marks the one it graded"),
)
GLOSSARY = (
    ("rollout", "one scored attempt at a task: a Gym row, a root session of an OpenCode store, one Pi run"),
    ("turn", "one assistant message that is no compaction summary, also one that started and never ended"),
    ("invocation", "one agent or subagent conversation in a rollout"),
    ("host response", "Gym's reading of a store or log: the text of all its sessions in order of time, subagents' "
                      "and summaries' too"),
    ("session output", "Gym's reading of a session folder or an export: the root session's messages only"),
    ("scored text", "the text of the last assistant message item that the verifier read"),
    ("final answer", "the answer of the last turn, never an earlier turn's. It does not stand when that turn called "
                     "tools, failed or was cut off"),
    ("graded", "● full, ◐ partial, ○ zero: the reward measures the policy"),
    ("invalid", "⊘ the reward does not measure the policy: infrastructure, provider, harness or verifier failed"),
    ("masked", "⊘ the sample is masked for a cause other than token capture"),
    ("not graded", "– no verifier read it"),
    ("unreadable", "✗ the reward is no number, or the record could not be read"),
    ("·", "unknown: the record does not say. Never drawn as 0"),
    ("stop, length, …", "why the model ended its message, in the harness's own word: stop ended by itself; length ran "
                        "into the token limit; tool-calls, toolUse asked for tools; aborted, error did not end"),
    ("attribution", "which captured model call wrote the scored text; no_content_match: none of them did"),
    ("┊", "out of context: the model no longer had this when the rollout ended"),
    ("…", "something is folded or cut here; how much is said beside it"),
    ("<ESC>", "in angle signs: a character that a terminal would obey or an eye could not see, by its name"),
)  # fmt: skip
_KEY_NAMES = {
    "question_mark": "?", "slash": "/", "colon": ":", "dollar_sign": "$", "less_than_sign": "<", "down": "↓", "up": "↑",
    "greater_than_sign": ">", "left_square_bracket": "[", "right_square_bracket": "]", "left_curly_bracket": "{",
    "right_curly_bracket": "}", "escape": "esc", "pagedown": "pgdn", "pageup": "pgup", "backspace": "bksp",
    "left": "←", "right": "→",
}  # fmt: skip
_GROUPS = {
    "app": "anywhere", "scroll": "scroll", "part": "part", "turn": "turn", "rollout": "rollout", "row": "row",
    "list": "list", "sort": "order", "lens": "lens", "fold": "fold", "pane": "panes", "search": "search",
    "finding": "findings", "problem": "findings", "compaction": "context", "context": "context", "scored": "go to",
    "place": "go to", "why": "go to", "copy": "take", "export": "take", "pager": "take", "note": "notes",
    "mark": "compare", "compare": "compare", "groups": "list", "view": "list", "evidence": "panes",
}  # fmt: skip
_KEYS_WIDTH = 16


def key_name(key: str) -> str:
    """Return a key as people write it."""
    return _KEY_NAMES.get(key, key)


def key_groups(bindings: dict[str, ActiveBinding]) -> list[tuple[Block, ...]]:
    """Return the keys of a screen in groups: keys, what they do, the name that a keymap calls them by."""
    keys: dict[str, list[str]] = {}
    words: dict[str, tuple[str, str]] = {}
    for active in bindings.values():
        binding = active.binding
        if binding.id and binding.description:
            keys.setdefault(binding.id, []).append(key_name(binding.key))
            words[binding.id] = (binding.description, binding.action)
    groups: dict[str, list[Block]] = {}
    for ident, names in keys.items():
        group = _GROUPS.get(ident.partition(".")[0], "other")
        members = groups.setdefault(group, [])
        shown = " ".join(dict.fromkeys(names))
        label = group if not members else ""
        title = f"{shown:<{_KEYS_WIDTH}} {words[ident][0]}"
        members.append(Block(f"key-{ident}", label, "tool", title=title, mark=ident))
    return [tuple(group) for group in groups.values()]


def _words(heading: str, pairs: tuple[tuple[str, str], ...], name: str) -> tuple[Block, ...]:
    return tuple(
        Block(f"{name}-{word}", heading if not index else "", "answer", title=f"{word:<{_KEYS_WIDTH}} {text}")
        for index, (word, text) in enumerate(pairs)
    )


class HelpScreen(Screen[None]):
    """Help for the screen that it was opened on."""

    CSS_PATH = "help.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "Back", id="help.close"),
    ]

    def __init__(self, bindings: dict[str, ActiveBinding]) -> None:
        super().__init__()
        own = (
            Block("keymap", "own keys", "note", title=f"{keymap_path()}"),
            Block(
                "keymap-how", "", "muted", body='[keys]\n"turn.next" = "n,right"      # names: behind the keys above'
            ),
        )
        self.groups = [
            *key_groups(bindings),
            _words("lenses", LENS_LEGEND, "lens"),
            _words("words", GLOSSARY, "word"),
            own,
        ]

    def compose(self) -> ComposeResult:
        """One line on top, the rest scrolls."""
        yield LineBar(id="title")
        yield BlockView(id="help")

    def on_mount(self) -> None:
        """Show it."""
        self.query_one(LineBar).say(
            [Word("help", "bar--strong")], [Word("j k scroll", "bar--muted"), Word("esc back", "bar--muted")]
        )
        view = self.query_one(BlockView)
        view.show(GroupedSource(self.groups))
        view.focus()
