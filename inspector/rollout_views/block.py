"""A block: one labelled piece of a transcript, the same for terminal, HTML, Markdown and text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, Literal, NamedTuple

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Place

from .lens import LENSES, Lens

__all__ = [
    "HEADS",
    "LENSES",
    "Block",
    "BodyFormat",
    "Lens",
    "Link",
    "Section",
    "SectionKind",
    "Tone",
    "distinct",
]

Tone = Literal["normal", "user", "reasoning", "answer", "tool", "problem", "boundary", "scored", "note", "muted"]
BodyFormat = Literal["text", "json", "diff", "shell", "table"]
"""`table`: lines that align only in cells of one width."""
SectionKind = Literal["head", "turn", "compaction", "tail", "items", "branch"]
"""`head` opens a subagent's conversation and names the call that started it."""
HEADS = frozenset({"turn", "message", "items"})


@dataclass(frozen=True, slots=True)
class Link:
    """Where a block leads: a subagent, the spawning call, the first kept turn of a compaction."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Block:
    """One labelled piece. `title`, `body` and `badge` are foreign text: pass them through `visible` before drawing."""

    id: str
    """Stable within (rollout, lens, invocation): the item or part id with a suffix where one item gives several."""
    label: str
    """The gutter word: `turn user think answer text tool result note error retry compact summary agent unseen end …`.

    At most nine characters for all words of this package; a foreign role or part type may be longer."""
    tone: Tone
    title: str = ""
    """What stands on the first line after the label; '' when the body starts there."""
    body: str = ""
    """Verbatim. May be megabytes: never copy it, clip when drawing."""
    format: BodyFormat = "text"
    foldable: bool = False
    folded: bool = False
    """Whether it starts folded."""
    badge: str = ""
    """`◆ scored` on the graded item, in every lens."""
    mark: str = ""
    """What the lens changed here, in words: `left the answer`, `not seen by the verifier: reasoning`, …"""
    place: Place = field(default_factory=Place)
    links: tuple[Link, ...] = ()
    rule: bool = False
    """Draw it as a line across the transcript (turn heads, compaction boundaries)."""
    out_of_context: bool = False
    """The model's context no longer held it when the rollout ended."""

    @property
    def is_head(self) -> bool:
        """Tell whether it heads a turn, a message or a group of items: a rule that keeps its label."""
        return self.rule and self.label in HEADS

    @property
    def is_input(self) -> bool:
        """Tell whether it is something that came in, which opens what belongs to the next turn."""
        return self.id.endswith(":in") or ":in~" in self.id

    @property
    def display_body(self) -> str:
        """The body without what a drawing adds itself: the newline at its end, and around reasoning all of them."""
        return self.body.strip("\n") if self.tone == "reasoning" else self.body.removesuffix("\n")


def distinct(blocks: list[Block]) -> list[Block]:
    """Return blocks whose ids differ: records repeat ids, so a repeated one gets `~2`, `~3`, …."""
    if len({block.id for block in blocks}) == len(blocks):
        return blocks
    times: dict[str, int] = {}
    made: list[Block] = []
    for block in blocks:
        number = times[block.id] = times.get(block.id, 0) + 1
        made.append(block if number == 1 else replace(block, id=f"{block.id}~{number}"))
    return made


class Section(NamedTuple):
    """A turn with its input, a compaction boundary, a branch, or what came after the last turn.

    A tuple that holds what it is about and writes its outline line only when asked: 100,000 of them are made when a
    rollout is opened, a screenful is read.
    """

    kind: SectionKind
    ident: int | str
    """What tells it from others of its kind: the turn's number, the compaction's id, …"""
    index: int  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]
    """Position in the outline. It takes the name of `tuple.index`, which nobody needs here."""
    tone: Tone
    invocation: str | None
    turn: int | None
    source: object
    """What the lens draws it from; for `transcript.section_blocks` only."""
    outline: Callable[[Any], str]

    @property
    def key(self) -> str:
        """Stable within (rollout, lens, invocation), e.g. `turn:3`."""
        return f"{self.kind}:{self.ident}"

    @property
    def title(self) -> str:
        """One outline line, e.g. `3 think 1.2k · answer (empty) ◆ scored`. Foreign text: it needs `visible_line`."""
        return self.outline(self.source)

    @property
    def place(self) -> Place:
        """Where it begins."""
        return Place(self.invocation, self.turn)
