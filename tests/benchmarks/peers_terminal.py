"""A program on a terminal of 200 x 50: when a text came out of it, and what it and its children take (Linux)."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

COLUMNS, ROWS = 200, 50
TIMEOUT = 180.0
_READ = 1 << 16
_OVERLAP = 1 << 12
_QUIET = 0.4
"""A program that said nothing for so long (seconds) has drawn what it had to draw."""
_SEQUENCES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^].*?(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]", re.DOTALL)


class Terminal:
    """A context: the program runs inside it, and is ended with it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._asked = time.perf_counter()
        self._said = bytearray()
        """What came out since the last keys."""
        self.process, self._end = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], list(command), {**os.environ, "TERM": "xterm-256color", **environment})
        fcntl.ioctl(self._end, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for each in tree(self.process):
            os.kill(each, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self._end)

    def send(self, keys: str) -> None:
        """Press keys; time counts from here."""
        self._said.clear()
        self._asked = time.perf_counter()
        os.write(self._end, keys.encode())

    def until(self, text: str, timeout: float = TIMEOUT) -> float:
        """Seconds from the keys (or the start) until the text had come out. Raises `TimeoutError`."""
        wanted, came, seen = text.encode(), time.perf_counter(), 0
        # Looked through once only: what this costs is taken from the program that is measured.
        while wanted not in _SEQUENCES.sub(b"", self._said[max(seen - _OVERLAP, 0) :]):
            seen = len(self._said)
            left = self._asked + timeout - time.perf_counter()
            if left < 0 or not self._read(left):
                raise TimeoutError(f"no {text!r} in {timeout} s")
            came = time.perf_counter()
        return came - self._asked

    def settle(self, quiet: float = _QUIET) -> None:
        """Wait until nothing more comes."""
        while self._read(quiet):
            pass

    def _read(self, timeout: float) -> bool:
        ready, _, _ = select.select([self._end], [], [], timeout)
        if ready:
            self._said += os.read(self._end, _READ)
        return bool(ready)

    @property
    def cpu(self) -> float:
        """Seconds of CPU time of the program and everything that it started, ended children included."""
        return sum(map(_cpu, tree(self.process)))


def tree(process: int) -> list[int]:
    """A process and its descendants."""
    found = [process]
    for each in found:
        for listed in Path(f"/proc/{each}/task").glob("*/children"):
            found += map(int, listed.read_text().split())
    return found


def resident(processes: Iterable[int]) -> float:
    """Megabytes of processes, added: pages that they share count for each."""
    sizes = [Path(f"/proc/{each}/statm").read_text().split()[1] for each in processes]
    return sum(map(int, sizes)) * os.sysconf("SC_PAGESIZE") / 1e6


def _cpu(process: int) -> float:
    # Linux numbers the CPU clock of a process so; /proc has it in hundredths only, which is enough for ended children.
    own = time.clock_gettime(~process << 3 | 2)
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return own + (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
