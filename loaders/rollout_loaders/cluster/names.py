"""Which names repeat in a file whose ranges are read apart: 16 bytes of each name are compared, never the names."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

SIZE = 16


def digest(name: str, key: bytes) -> bytes:
    """The digest of a name; the key keeps a hostile file from holding two names of one digest."""
    return blake2b(name.encode("utf-8", "surrogatepass"), digest_size=SIZE, key=key).digest()


def checksum(lines: int, names: bytes | bytearray) -> bytes:
    """Of a range as a pass over it saw it."""
    return blake2b(names, digest_size=SIZE, person=lines.to_bytes(16, "little")).digest()


def repeated(ranges: Sequence[bytes]) -> list[bytes]:
    """Of the digests of each range, in file order, those that stand more than once in the file."""
    pyarrow: Any = importlib.import_module("pyarrow")
    compute: Any = importlib.import_module("pyarrow.compute")
    kind = pyarrow.binary(SIZE)
    arrays = [
        pyarrow.Array.from_buffers(kind, len(names) // SIZE, [None, pyarrow.py_buffer(names)]) for names in ranges
    ]
    counted = pyarrow.chunked_array(arrays, type=kind).value_counts()
    many = counted.field("values").filter(compute.greater(counted.field("counts"), 1))
    if not len(many):
        return [b""] * len(ranges)
    return [b"".join(each.filter(compute.is_in(each, value_set=many)).unique().to_pylist()) for each in arrays]
