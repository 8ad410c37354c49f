"""One step of a comparison laid out in two columns: blocks of the same kind stand beside each other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from rollout_loaders.fast_dataclass import dataclass
from rollout_views.block import Block

from .blocklines import BlockLines
from .worddiff import Stretches, differing


@dataclass(slots=True)
class Pair:
    """Two blocks beside each other; None where one side has nothing."""

    left: BlockLines | None
    right: BlockLines | None
    differs: bool
    left_marks: Stretches
    right_marks: Stretches

    @property
    def height(self) -> int:
        """Lines of the taller one."""
        return max(self.left.height if self.left else 0, self.right.height if self.right else 0)


class PairLines:
    """The pairs of one step, one below the other; a step without pairs is one line that says so."""

    def __init__(self, pairs: Sequence[Pair], lead: int, sentence: str = "") -> None:
        self.pairs = pairs
        self.sentence = sentence
        self.starts: list[int] = []
        line = lead
        if sentence:
            self.starts.append(line)
            line += 1
        for pair in pairs:
            self.starts.append(line)
            line += pair.height
        self.height = max(line, 1)

    def find(self, line: int) -> tuple[int, int]:
        """Return the block that holds a line, and the line within it; `(-1, …)` for a blank one."""
        index = bisect_right(self.starts, line) - 1
        return (-1, line) if index < 0 else (index, line - self.starts[index])

    def block_height(self, index: int) -> int:
        """Return the lines of one block."""
        end = self.starts[index + 1] if index + 1 < len(self.starts) else self.height
        return end - self.starts[index]

    def pair(self, index: int) -> Pair | None:
        """Return the pair at a block index; None for the sentence."""
        index -= 1 if self.sentence else 0
        return self.pairs[index] if 0 <= index < len(self.pairs) else None


def pair_up(left: Sequence[Block], right: Sequence[Block]) -> list[tuple[Block | None, Block | None]]:
    """Set blocks of the same label beside each other, in order."""
    matcher = SequenceMatcher(None, [one.label for one in left], [one.label for one in right], autojunk=False)
    paired: list[tuple[Block | None, Block | None]] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            paired += list(zip(left[a:b], right[c:d], strict=True))
        else:
            paired += [(one, None) for one in left[a:b]] + [(None, one) for one in right[c:d]]
    return paired


def lay_out(
    blocks: Sequence[tuple[Block | None, Block | None]], width: int, folded: Callable[[Block, bool], bool]
) -> list[Pair]:
    """Lay pairs of blocks out; `folded` is asked with a block and whether the pair differs."""
    pairs: list[Pair] = []
    for left, right in blocks:
        differs = left is None or right is None or (left.title, left.body) != (right.title, right.body)
        marks: tuple[Stretches, Stretches] = ([], [])
        if left is not None and right is not None and differs:
            marks = differing(left.body, right.body)
        pairs.append(
            Pair(
                BlockLines(left, width, folded(left, differs)) if left is not None else None,
                BlockLines(right, width, folded(right, differs)) if right is not None else None,
                differs,
                *marks,
            )
        )
    return pairs
