"""A block: one labelled piece of a transcript, the same for terminal, HTML, Markdown and text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rollout_loaders.model import Place

Tone = Literal["normal", "user", "reasoning", "answer", "tool", "problem", "boundary", "scored", "note", "muted"]
BodyFormat = Literal["text", "json", "diff", "shell"]
Lens = Literal["stored", "observed", "scored"]
LENSES: tuple[Lens, ...] = ("stored", "observed", "scored")


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
    """The gutter word: `turn user system think answer text tool result note error compact summary agent gone …`."""
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


@dataclass(frozen=True, slots=True)
class Section:
    """A turn with its input, a compaction boundary, a branch, or what came after the last turn."""

    key: str
    kind: Literal["turn", "compaction", "tail", "items", "branch"]
    title: str
    """One outline line, e.g. `3 think 1.2k · answer (empty) ◆ scored`."""
    tone: Tone
    place: Place
    index: int
    """Position in the outline."""
