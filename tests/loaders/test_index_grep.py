"""grep as the scanner: the lines that our own scan finds, and the rest by that scan wherever grep stops."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_loaders.index import grep, needle
from rollout_loaders.index.needle import Needle

PROGRAM = grep.installed()
needs_grep = pytest.mark.skipif(PROGRAM is None, reason="no GNU grep with Perl's expressions")
PIECES = [
    "needle",
    "Needle",
    "need",
    "le",
    "ne\\u0065dle",
    "\\u00e9",
    "\\u004E",
    "\\\\u0065",
    "é",
    "\x00",
    "\r",
    " ",
    "_",
]


def numbers(path: Path, word: str, monkeypatch: pytest.MonkeyPatch, from_size: int) -> list[int]:
    monkeypatch.setattr(needle, "GREPPED", from_size)
    return [line.number for line in Needle((word,), False).lines(path)]


@needs_grep
@settings(max_examples=60, deadline=None)
@given(lines=st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), max_size=12), ended=st.booleans())
def test_grep_names_the_lines_that_our_own_scan_names(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ended: bool
) -> None:
    path = tmp_path_factory.mktemp("grep") / "f"
    path.write_bytes(("\n".join(lines) + "\n" * ended).encode())
    with pytest.MonkeyPatch.context() as patch:
        assert numbers(path, "needle", patch, 0) == numbers(path, "needle", patch, 1 << 60)


@needs_grep
def test_a_line_that_holds_the_word_often_is_given_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_text("needle " * 5_000 + "\nx\nneedle\n")
    assert numbers(path, "needle", monkeypatch, 0) == [1, 3]


@needs_grep
def test_a_name_that_looks_like_an_option_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("--help").write_text("needle\n")
    assert numbers(Path("--help"), "needle", monkeypatch, 0) == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="a script as a program")
@pytest.mark.parametrize("said", ["1:0:needle", "1:0:needle\n7:no number:x", "grep: out of memory", ""])
def test_where_grep_stops_our_own_scan_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    program = tmp_path / "grep"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' '{said}'\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setattr(grep, "installed", lambda: str(program))
    chance = random.Random(3)
    lines = ["needle", *(chance.choice(["needle", "x"]) for _ in range(20))]
    path = tmp_path / "f"
    path.write_text("\n".join(lines))
    expected = [number for number, line in enumerate(lines, 1) if line == "needle"]
    assert numbers(path, "needle", monkeypatch, 0) == expected


def test_without_grep_nothing_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grep, "installed", lambda: None)
    path = tmp_path / "f"
    path.write_text("x\nneedle\n")
    assert numbers(path, "needle", monkeypatch, 0) == [2]


def test_a_program_that_counts_otherwise_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "grep"
    program.write_text("#!/bin/sh\necho 2:1:b\n")
    program.chmod(0o755)
    monkeypatch.setattr(grep, "PLACES", (str(program), str(tmp_path / "missing")))
    grep.installed.cache_clear()
    try:
        assert grep.installed() is None
    finally:
        grep.installed.cache_clear()
