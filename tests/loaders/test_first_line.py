"""A long first line is decoded once: that may show in nothing but the time."""

from __future__ import annotations

import json
from pathlib import Path

import orjson
import pytest
from tests.loaders.gym_files import dumped
from tests.samples.gym_rows import message, row

from rollout_loaders import first_line, source
from rollout_loaders.collection import open_paths
from rollout_loaders.document import document, encode


def long_row(text: str) -> bytes:
    """A row of which the head of the file holds a part only."""
    return dumped(row(0, 0, [message(text * source.HEAD_SIZE)]))


def answer(path: Path) -> str:
    (rollout,) = open_paths([str(path)]).rollouts()
    assert rollout.final_answer.text is not None
    return rollout.final_answer.text


def test_a_long_first_line_is_decoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(long_row("x") + b"\n")
    decoded: list[int] = []
    loads = orjson.loads

    def counted(raw: bytes | bytearray | memoryview | str) -> object:
        decoded.append(len(raw))
        return loads(raw)

    monkeypatch.setattr(orjson, "loads", counted)
    collection = open_paths([str(path)])
    (summary,) = collection.summaries()
    assert collection.load(summary).id == "0-0"
    assert [size for size in decoded if size > source.HEAD_SIZE] == [path.stat().st_size - 1]


def test_a_first_line_that_changed_after_its_format_was_told_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(long_row("x") + b"\n")
    assert answer(path) == "x" * source.HEAD_SIZE
    collection = open_paths([str(path)])
    (summary,) = collection.summaries()
    path.write_bytes(long_row("y") + b"\n")
    assert collection.load(summary).final_answer.text == "y" * source.HEAD_SIZE
    assert answer(path) == "y" * source.HEAD_SIZE


def test_what_had_to_be_tolerated_in_a_first_line_is_still_said(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(long_row("x").replace(b'"reward"', b'"big": 123456789012345678901, "reward"', 1) + b"\n")
    (rollout,) = open_paths([str(path)]).rollouts()
    assert "big-integer" in {one.code for one in rollout.diagnostics}
    assert json.loads(encode(document(rollout)))["diagnostics"]


def test_a_very_long_line_is_kept_while_readers_are_asked_and_no_line_once_it_is_read() -> None:
    head, long = b"head", b" " * first_line.LONGEST + b"1"
    first_line.keep(head, long, 1)
    assert (first_line.under(head), first_line.known(long)) == (1, 1)
    first_line.told()
    assert (first_line.under(head), first_line.known(long)) == (None, None)
    first_line.keep(head, b"1", 1)
    first_line.told()
    assert first_line.known(memoryview(b"1")) == 1
    assert first_line.known(b"2") is None
    assert first_line.under(bytes(bytearray(head))) is None, "another reading may meet another line"
    assert (first_line.taken(b"1"), first_line.taken(b"1")) == (1, None)
