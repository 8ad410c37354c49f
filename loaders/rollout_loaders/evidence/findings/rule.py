"""What a finding rule is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Finding, Place, Rollout
from rollout_loaders.reader import ReadOptions

Found = Iterator[tuple[str, Place | None]]
"""A sentence and where it stands."""


@dataclass(frozen=True, slots=True)
class FindingRule:
    """One code: what it means, how bad it is, and the function that finds it."""

    code: str
    severity: str
    """`error`, `warning` or `info`."""
    explanation: str
    """One sentence for `check --explain`."""
    source: str
    """Where the rule comes from."""
    find: Callable[[Rollout, ReadOptions], Found]

    def run(self, rollout: Rollout, options: ReadOptions) -> list[Finding]:
        """The findings of this rule in one rollout."""
        return [Finding(self.code, self.severity, message, where) for message, where in self.find(rollout, options)]


def listed(names: Sequence[str], limit: int = 5) -> str:
    """`a, b and c`; beyond `limit`, how many more."""
    shown = list(names[:limit])
    if len(names) > limit:
        shown.append(f"{len(names) - limit} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""


def one_line(text: str, limit: int = 200) -> str:
    """A foreign message on one line; what is longer than `limit` is cut with `…` (it stands whole at its place)."""
    joined = " ".join(text.split())
    return joined if len(joined) <= limit else f"{joined[:limit]}…"


def characters(text: str) -> str:
    """`1 character`, `1,204 characters`."""
    return "1 character" if len(text) == 1 else f"{len(text):,} characters"
