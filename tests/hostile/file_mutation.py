r"""Mutation of files as lines and as bytes: torn, swapped, joined, cut, flipped, zeroed."""

from __future__ import annotations

from random import Random

GARBAGE: tuple[bytes, ...] = (
    *(
        b"",
        b"{",
        b"}",
        b"[]",
        b"null",
        b"3",
        b'"x"',
        b"{}",
        b"\x00" * 40,
        b"\xff\xfe\x00",
        b"<html>",
        b"Traceback (most",
    ),
    *(b"---", b'{"a":', b'{"response": {}}', b'{"response": null}', b'{"type":"session"}', b"\xef\xbb\xbf{}"),
    *(b"version https://git-lfs.github.com/spec/v1", b"\x1b[2J\x1b]52;c;AA\x07", b" " * 3000, b"[" * 5000),
    *(b'[1, {"type":"agent_end"}]', b'{"type":"message_start"}'),
)
LARGEST = 1_000_000
"""Bytes of a mutated file: the bounds of issue 7 are for inputs below 1 MB."""
PAGES = (512, 1024, 4096)


def mutate_lines(rng: Random, lines: list[bytes], others: list[bytes], steps: int) -> bytes:
    r"""Lines after some changes, joined by `\n`."""
    lines = list(lines)
    ending = b"\n"
    for _ in range(steps):
        at = rng.randrange(len(lines)) if lines else 0
        to = rng.randrange(len(lines)) if lines else 0
        kind = rng.randrange(15)
        if kind == 0 and len(lines) > 1:
            del lines[at]
        elif kind == 1 and lines:
            lines.insert(to, lines[at])
        elif kind == 2 and lines:
            lines[at], lines[to] = lines[to], lines[at]
        elif kind == 3 and lines:
            lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
        elif kind == 4 and lines:
            lines[at] = lines[at] + lines[to]
        elif kind == 5 and lines:
            cut = rng.randrange(len(lines[at]) + 1)
            lines[at : at + 1] = [lines[at][:cut], lines[at][cut:]]
        elif kind == 6:
            lines.insert(at, rng.choice(GARBAGE))
        elif kind == 7 and others:
            lines.insert(at, rng.choice(others))
        elif kind == 8:
            ending = b""
        elif kind == 9 and lines:
            lines = [line + b"\r" for line in lines]
        elif kind == 10 and lines:
            lines[0] = b"\xef\xbb\xbf" + lines[0]
        elif kind == 11 and lines:
            lines[at] = lines[at].replace(b" ", rng.choice(["\u2028", "\u2029", "\x85", "\x0b"]).encode(), 3)
        elif kind == 12 and lines:
            lines[at] = mutate_bytes(rng, lines[at], 1)
        elif kind == 13 and lines:
            del lines[min(at, to) + 1 : max(at, to)]
        elif kind == 14 and lines:
            lines = lines[:at] + lines[at : at + 1] * rng.choice([2, 3, 40]) + lines[at + 1 :]
        if sum(map(len, lines)) > LARGEST:
            break
    return (b"\n".join(lines) + ending)[:LARGEST]


def mutate_bytes(rng: Random, data: bytes, steps: int) -> bytes:
    """Bytes after some changes."""
    body = bytearray(data)
    for _ in range(steps):
        if not body:
            return bytes(body)
        at = rng.randrange(len(body))
        kind = rng.randrange(9)
        if kind == 0:
            del body[at:]
        elif kind == 1:
            body[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            body[at] = rng.choice(b"\x00\xff\"'{}[]:,\\\n\r\x1b\x80 0-e")
        elif kind == 3:
            page = rng.choice(PAGES)
            start = at // page * page
            body[start : start + page] = bytes(len(body[start : start + page]))
        elif kind == 4:
            del body[at : at + rng.choice([1, 1, 4, 100, 4096])]
        elif kind == 5:
            body[at:at] = body[at : at + rng.choice([1, 8, 300, 4096])]
        elif kind == 6:
            body[at:at] = rng.randbytes(rng.choice([1, 2, 16, 200]))
        elif kind == 7:
            body[at : at + 4] = rng.choice([0, 1, 2**31 - 1, 2**32 - 1, rng.randrange(2**16)]).to_bytes(4, "big")
        else:
            for _ in range(rng.choice([5, 50])):
                body[rng.randrange(len(body))] = rng.randrange(256)
    return bytes(body)
