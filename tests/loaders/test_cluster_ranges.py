"""Byte ranges of a rollouts file: every line is of exactly one, and names that repeat are found across them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollout_loaders.cluster.names import SIZE, checksum, digest, repeated
from rollout_loaders.cluster.row_ranges import lines_of
from rollout_loaders.jsonlines import iter_lines


@pytest.mark.parametrize("end", [b"\n", b"", b"\n\n"])
@pytest.mark.parametrize("size", range(1, 14))
def test_every_line_is_of_the_range_that_it_begins_in(tmp_path: Path, size: int, end: bytes) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"a\n\nbb\nccc\n" + b"d" * 20 + b"\n\xff\n\ne" + end)
    total = path.stat().st_size
    ranges = [(start, min(start + size, total)) for start in range(0, total, size)]
    found = [(line.offset, line.data, line.terminated) for low, high in ranges for line in lines_of(path, low, high)]
    assert found == [(line.offset, line.data, line.terminated) for line in iter_lines(path)]
    assert all(low <= line.offset < high for low, high in ranges for line in lines_of(path, low, high))


def test_a_name_that_two_ranges_have_is_told_to_both_and_to_no_other() -> None:
    pytest.importorskip("pyarrow")

    def digests(names: str) -> bytes:
        return b"".join(digest(name, b"key") for name in names)

    assert repeated([digests("abc"), b"", digests("da"), digests("ef"), digests("gg")]) == [
        digest("a", b"key"),
        b"",
        digest("a", b"key"),
        b"",
        digest("g", b"key"),
    ]
    assert repeated([digests("ab"), digests("cd")]) == [b"", b""]
    assert repeated([]) == []


def test_digests_differ_by_their_key_and_checksums_by_their_lines() -> None:
    assert digest("3-1", b"a") != digest("3-1", b"b")
    assert len(digest("\ud800", b"a")) == SIZE
    assert checksum(1, b"") != checksum(2, b"")
