"""How the records of Gym's rollouts and failures files are told, named, built and listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollout_loaders.fast_dataclass import changed, dataclass
from rollout_loaders.jsondecode import BadJson, decode
from rollout_loaders.jsonlines import Line
from rollout_loaders.model import Diagnostic, JsonObject, Rollout, SourceRef
from rollout_loaders.reader import ReadOptions

from .gym_index import IsRecord, checked, not_json, read_record
from .gym_row import joined_name, row_name
from .row_kind import Fields, Lister, Refused

Build = Callable[[JsonObject, str, SourceRef, Sequence[Diagnostic]], Rollout]


@dataclass(frozen=True, slots=True)
class GymKind:
    """See `row_kind.RowKind`."""

    format: str
    is_record: IsRecord
    build: Build
    scan: str = ""

    @property
    def has_names(self) -> bool:
        """Task and rollout index, or an id."""
        return True

    @property
    def stamp(self) -> str:
        """A summary rests on its row alone."""
        return ""

    @property
    def artifacts(self) -> tuple[str, ...]:
        """None."""
        return ()

    def problems(self) -> tuple[Diagnostic, ...]:
        """Nothing beside the file is read here."""
        return ()

    def record(self, line: Line, shown: str) -> JsonObject | Refused:
        """By the fast path where that is enough."""
        read = read_record(line, shown, self.is_record)
        return Refused((read,)) if isinstance(read, Diagnostic) else read

    def whole(self, line: Line, shown: str) -> tuple[JsonObject, list[Diagnostic]] | Refused:
        """Exactly."""
        try:
            decoded = decode(line.data)
        except BadJson as bad:
            return Refused((not_json(line, shown, bad),))
        row = checked(decoded.value, line, shown, self.is_record)
        if isinstance(row, Diagnostic):
            return Refused((row,))
        locator = f"L{line.number}"
        own = [Diagnostic(code, message, locator) for code, message in decoded.problems]
        if not line.terminated:
            what = f"{shown}:{line.number}: the last line has no newline; Gym's own reader would not count it"
            own.append(Diagnostic("no-final-newline", what, locator))
        return row, own

    def name_of(self, row: JsonObject) -> str | None:
        """See `gym_row.row_name`."""
        return row_name(row)

    def name_in(self, fields: Fields) -> str | None:
        """The same."""
        return joined_name(*fields[:4])

    def built(
        self,
        row: JsonObject,
        rollout_id: str,
        source: SourceRef,
        diagnostics: Sequence[Diagnostic],
        options: ReadOptions,
    ) -> Rollout:
        """A row says itself how it was split."""
        rollout = self.build(row, rollout_id, source, diagnostics)
        if options.gym_reasoning is None:
            return rollout
        said = f"{rollout.route.because}; a forced gate changes nothing in it"
        return changed(rollout, route=changed(rollout.route, because=said))

    def lister(self, shown: str) -> Lister:
        """See `gym_summary`."""
        from .gym_summary import Summaries  # a search lists nothing

        return Summaries(shown, self.format)
