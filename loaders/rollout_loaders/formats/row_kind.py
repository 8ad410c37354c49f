"""What the machinery of files that hold a rollout a line asks of their format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, final

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.jsonlines import Line
from rollout_loaders.model import Diagnostic, JsonObject, Rollout, RolloutSummary, SourceRef
from rollout_loaders.reader import ReadOptions

Fields = tuple[Any, ...]
"""What a scan found in one plain row, in an order of its format's own."""


@final
@dataclass(frozen=True, slots=True)
class Refused:
    """A line that holds no rollout. The last of its diagnostics says why; a blank one has none."""

    diagnostics: tuple[Diagnostic, ...]


class Lister(Protocol):
    """Makes lines of a list for one pass over a file."""

    def summary(self, rollout_id: str, number: int, fields: Fields) -> RolloutSummary:
        """Of the plain row on line `number`; `findings` is None."""
        ...


class RowKind(Protocol):
    """How the rows of one opened file are told, named, built and listed."""

    @property
    def format(self) -> str:
        """Name of the reader."""
        ...

    @property
    def scan(self) -> str:
        """Module of `formats` whose `plain_fields` lists rows without building them; '' for none."""
        ...

    @property
    def has_names(self) -> bool:
        """Whether rows have identities, that may be repeated; else each is called by its line."""
        ...

    @property
    def stamp(self) -> str:
        """What summaries rest on besides the file and the rules."""
        ...

    @property
    def artifacts(self) -> tuple[str, ...]:
        """What every row names as read beside its file, as it is shown now."""
        ...

    def problems(self) -> tuple[Diagnostic, ...]:
        """What is wrong with what is read beside the file."""
        ...

    def record(self, line: Line, shown: str) -> JsonObject | Refused:
        """The row of a line, read as far as is needed to know what it is; the file is shown as `shown`."""
        ...

    def whole(self, line: Line, shown: str) -> tuple[JsonObject, list[Diagnostic]] | Refused:
        """The row of a line, exactly, with what had to be tolerated in it."""
        ...

    def name_of(self, row: JsonObject) -> str | None:
        """The identity of a row, None where it has none."""
        ...

    def name_in(self, fields: Fields) -> str | None:
        """The same, of what a scan found."""
        ...

    def built(
        self,
        row: JsonObject,
        rollout_id: str,
        source: SourceRef,
        diagnostics: Sequence[Diagnostic],
        options: ReadOptions,
    ) -> Rollout:
        """The rollout of a row."""
        ...

    def lister(self, shown: str) -> Lister:
        """For one pass over the file that is shown so."""
        ...
