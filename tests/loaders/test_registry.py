"""Which reader takes a file."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from rollout_loaders import registry
from rollout_loaders.errors import ReadError, UnknownFormatError
from rollout_loaders.reader import ENTRY_POINT_GROUP, Artifact, Confidence, ReadOptions


class Sure:
    """A reader that is as sure as it is told."""

    def __init__(self, name: str, confidence: Confidence | Exception) -> None:
        self.name = name
        self._confidence = confidence

    def sniff(self, path: Path, head: bytes) -> Confidence:
        if isinstance(self._confidence, Exception):
            raise self._confidence
        return self._confidence

    def open(self, path: Path, shown: str, options: ReadOptions) -> Artifact:
        raise NotImplementedError


class FromElsewhere(Sure):
    def __init__(self) -> None:
        super().__init__("elsewhere", Confidence.MAYBE)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    clear()
    yield
    clear()


def clear() -> None:
    registry.readers.cache_clear()
    registry._installed.cache_clear()  # pyright: ignore[reportPrivateUsage]


def test_the_built_in_readers_are_there_in_their_order() -> None:
    assert registry.names()[:3] == ("opencode-sqlite", "opencode-storage", "opencode-export")
    assert {"pi-events", "pi-session", "gym-rollouts", "gym-failures"} <= set(registry.names())


def test_the_surest_takes_a_file_and_the_first_of_equals() -> None:
    maybe, likely, other = Sure("a", Confidence.MAYBE), Sure("b", Confidence.LIKELY), Sure("c", Confidence.LIKELY)
    assert registry.sniff_with((maybe, likely, other), Path("x"), b"x").reader is likely


def test_a_reader_that_fails_while_sniffing_has_only_lost_its_say() -> None:
    choice = registry.sniff_with((Sure("bad", ValueError("boom")), Sure("good", Confidence.MAYBE)), Path("x"), b"x")
    assert choice.reader is not None
    assert choice.reader.name == "good"
    assert "bad" in choice.diagnostics[0].message
    assert "boom" in choice.diagnostics[0].message


def test_an_unknown_format_lists_what_was_tried(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(UnknownFormatError) as refused:
        registry.choose(path, "notes.txt")
    assert refused.value.tried == registry.names()
    assert "gym-rollouts" in str(refused.value)
    assert "--reader" in str(refused.value)


def test_forcing_a_reader_asks_nobody(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    choice = registry.choose(path, "notes.txt", "pi_events")
    assert choice.reader is not None
    assert choice.reader.name == "pi-events"


def test_a_reader_that_does_not_exist_is_refused_with_the_names() -> None:
    with pytest.raises(ReadError, match=r"no such reader.*gym-rollouts"):
        registry.named("nonsense")


def test_readers_of_other_distributions_come_last_and_a_broken_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("theirs", "tests.loaders.test_registry:FromElsewhere", ENTRY_POINT_GROUP),
        EntryPoint("broken", "no_such_module_anywhere:READER", ENTRY_POINT_GROUP),
        EntryPoint("nameless", "pathlib:Path", ENTRY_POINT_GROUP),
    ]

    def installed(*, group: str) -> list[EntryPoint]:
        assert group == ENTRY_POINT_GROUP
        return points

    monkeypatch.setattr("importlib.metadata.entry_points", installed)
    assert registry.names()[-1] == "elsewhere"
    problems = [problem.message for problem in registry.problems()]
    assert len(problems) == 2
    assert any("broken" in message and "no_such_module_anywhere" in message for message in problems)
    assert any("nameless" in message for message in problems)
