"""Lines by newline only, with numbers and offsets."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollout_loaders.errors import ReadError
from rollout_loaders.jsonlines import Line, iter_lines, read_line


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    first = '{"a": "\u2028\u2029\u0085\x0b\x0c\r"}'.encode()
    path.write_bytes(first + b"\n\nlast")
    assert list(iter_lines(path)) == [
        Line(1, 0, first, True),
        Line(2, len(first) + 1, b"", True),
        Line(3, len(first) + 2, b"last", False),
    ]


def test_reading_can_begin_at_an_offset(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\ntwo\nthree\n")
    assert [(line.number, line.offset, line.data) for line in iter_lines(path, 4)] == [(1, 4, b"two"), (2, 8, b"three")]
    assert read_line(path, 4) == Line(0, 4, b"two", True)
    assert read_line(path, 14) == Line(0, 14, b"", False)


def test_an_empty_file_has_no_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"")
    assert list(iter_lines(path)) == []


def test_a_missing_file_is_a_read_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError):
        list(iter_lines(tmp_path / "no.jsonl"))
    with pytest.raises(ReadError):
        read_line(tmp_path / "no.jsonl", 0)
