"""The leading think block of a Gym Model Server's reply (gym-semantics 4.7, CONTRACT 4.1)."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import dataclass

OPEN = "<think>"
CLOSE = "</think>"


@dataclass(frozen=True, slots=True)
class Split:
    """A text taken apart; with a block, `OPEN + reasoning + CLOSE + removed + answer` is the text again."""

    reasoning: str | None
    """None when there is no block to split; '' for an empty block, which is removed and gives no reasoning item."""
    removed: str
    """Whitespace between the block and the answer."""
    answer: str

    @property
    def has_block(self) -> bool:
        """Whether a block was taken off."""
        return self.reasoning is not None

    @property
    def has_reasoning(self) -> bool:
        """Whether the block holds anything to show as reasoning."""
        return self.reasoning is not None and bool(self.reasoning.strip())


def split(text: str) -> Split:
    """Split off the block at offset 0, if it is closed. The first block only: every other tag is literal text."""
    if not text.startswith(OPEN):
        return Split(None, "", text)
    end = text.find(CLOSE, len(OPEN))
    if end < 0:
        return Split(None, "", text)
    rest = text[end + len(CLOSE) :]
    answer = rest.lstrip()
    return Split(text[len(OPEN) : end], rest[: len(rest) - len(answer)], answer)
