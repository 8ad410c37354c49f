"""A helper process: looks through parts of a file that standard input names. Imports next to nothing."""

from __future__ import annotations

import sys
from struct import Struct

from .needle_scan import WordScan

RECORD = Struct("<qq")
"""`(offset, newlines before it in the part)` of a hit, `(BEGIN, part)`, or `(END, newlines in the part)`."""
BEGIN, END = -1, -2


def serve() -> None:
    """Work until no part is left. Arguments: path, its size, bytes of a part, then what `WordScan` takes, words as hex.

    Each byte of standard input, which all helpers of a file share, is the number of a part. Records go to standard
    output.
    """
    path, size, part, ignore_case, spelled, longest, *words = sys.argv[1:]
    scan = WordScan(tuple(map(bytes.fromhex, words)), ignore_case == "1", spelled, int(longest))
    out, length = sys.stdout.buffer, int(part)
    with (
        open(0, "rb", buffering=0) as numbers,
        open(path, "rb", buffering=0) as file,  # noqa: PTH123 - pathlib costs a tenth of the start-up time
    ):
        while number := numbers.read(1):
            start = number[0] * length
            out.write(RECORD.pack(BEGIN, number[0]))
            out.flush()
            for hit in scan.hits(file, start, min(start + length, int(size))):
                out.write(RECORD.pack(*hit))
            out.write(RECORD.pack(END, scan.lines))
            out.flush()
