"""GNU grep as the scanner of a large file, where it is installed: its engine passes over text several times as fast.

It is only ever asked for one word in the forms that JSON has for it (`needle_words.expression`). Where it is missing,
fails, or meets a line that it cannot hold, the caller goes on by other means from the last hit.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

from .needle_scan import Hits

PLACES = ("/usr/bin/grep", "/bin/grep")
MEMORY = 1 << 30
"""Bytes it may take: it holds a line as a whole."""
_OPTIONS = ("--only-matching", "--line-number", "--byte-offset", "--perl-regexp")
_ENVIRONMENT = {"LC_ALL": "C"}


class Grep:
    """One pass over a file for an expression of bytes. `whole` tells afterwards whether it came to the end."""

    def __init__(self, program: str, path: Path, expression: str) -> None:
        self.whole = False
        try:
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
                [
                    program,
                    *_OPTIONS,
                    "--no-filename",
                    "--text",
                    "--line-buffered",
                    "-e",
                    expression,
                    "--",
                    str(path.resolve()),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_ENVIRONMENT,
            )
            _bound(self._process.pid)
        except (OSError, ValueError):
            self._process = None

    def hits(self) -> Hits:
        """Offsets, ascending, several in one line, and newlines before that line."""
        if self._process is None or self._process.stdout is None:
            return
        for said in self._process.stdout:
            number, _, rest = said.partition(b":")
            at, colon, _ = rest.partition(b":")
            if not colon or not number.isdigit() or not at.isdigit():
                return
            yield int(at), int(number) - 1
        self.whole = self._process.wait() in (0, 1)  # 1: nothing found

    def close(self) -> None:
        """Leave no process behind."""
        if self._process is not None:
            self._process.kill()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process.wait()
            self._process = None


@cache
def installed() -> str | None:
    """The program, if it numbers lines and bytes as GNU's does; never one that merely comes first in `PATH`."""
    if not sys.platform.startswith("linux"):
        return None
    for place in PLACES:
        try:
            asked = [place, *_OPTIONS, "-e", "b|c"]
            ran = subprocess.run(asked, input=b"\nab\n", capture_output=True, env=_ENVIRONMENT, timeout=5, check=False)
        except (OSError, subprocess.SubprocessError):
            continue
        if ran.stdout == b"2:2:b\n":
            return place
    return None


def _bound(process: int) -> None:
    import resource  # not there on Windows, where no grep is asked

    if sys.platform == "linux":
        resource.prlimit(process, resource.RLIMIT_AS, (MEMORY, MEMORY))
