"""Running an app in a terminal that may vanish: a closed window, a lost connection.

The signal that says so (SIGHUP) ends a program, unless it was told to be ignored (`nohup`, `trap '' HUP`). Then
Textual's writer would die of its first write, the queue in front of it fill, and the app wait for it forever, while its
reader of keys turns round and round at the end of its input.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import shutil
import sys
import threading
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from rich.console import ConsoleDimensions

from .pasting import keep_pastes_whole

if TYPE_CHECKING:
    from .app import InspectorApp

GONE = 128 + 1
"""Exit code where the terminal vanished: as a shell gives it for a program that SIGHUP (1) ended."""
_AGAIN_SECONDS = 0.05
_PATIENCE_SECONDS = 5.0
"""For which a program whose terminal is gone may clean up."""


def run_in_terminal(app: InspectorApp, *, inline: bool = False) -> int:
    """Run an app; return its exit code, which is `GONE` where its terminal vanished."""
    keep_pastes_whole()
    _agree_on_a_size(app)
    with _writes_that_never_fail():
        threading.Thread(target=_watch, args=(app,), name="rollout-inspect terminal", daemon=True).start()
        app.run(inline=inline)
    return app.return_code or 0


def _agree_on_a_size(app: InspectorApp) -> None:
    """Name a size where the terminal has none: Textual takes it for 80 x 24 here, 80 x 25 there, and draws forever."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if sys.__stdout__ is not None and 0 in os.get_terminal_size(sys.__stdout__.fileno()):
            os.environ.setdefault("COLUMNS", "80")
            os.environ.setdefault("LINES", "24")
            app.console.size = ConsoleDimensions(*shutil.get_terminal_size())


def _watch(app: InspectorApp) -> None:
    """Leave the app as soon as the terminal is gone; costs nothing until then."""
    if not _wait_until_gone():
        return
    threading.Thread(target=_leave, args=(app,), daemon=True).start()
    time.sleep(_PATIENCE_SECONDS)
    # Still here: SIGCONT, which comes with SIGHUP, makes Textual start a second reader of keys, and the first may
    # miss that it is to end.
    os._exit(GONE)


def _leave(app: InspectorApp) -> None:
    while True:
        try:
            app.call_from_thread(app.exit, None, GONE)
            return
        except RuntimeError:  # It is only just starting, or ends already.
            time.sleep(_AGAIN_SECONDS)


def _wait_until_gone() -> bool:
    """Wait for a terminal to hang up; False where none can be waited for."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    watched = 0
    for stream in (sys.__stdin__, sys.__stderr__):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            if stream is not None and os.isatty(stream.fileno()):
                poll.register(stream.fileno(), 0)
                watched += 1
    return bool(watched) and any(event & select.POLLHUP for _, event in poll.poll())


class _Patient(io.FileIO):
    """A file whose writes succeed where nobody is left to read them."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


@contextlib.contextmanager
def _writes_that_never_fail() -> Generator[None]:
    """While it lasts, what Textual writes its screens to is patient; it takes that from `sys.__stderr__`."""
    before = sys.__stderr__
    try:
        descriptor = before.fileno() if before is not None else -1
    except (OSError, ValueError):
        descriptor = -1
    if before is None or descriptor < 0 or not os.isatty(descriptor):
        yield
        return
    raw = io.BufferedWriter(_Patient(descriptor, "w", closefd=False))
    sys.__stderr__ = io.TextIOWrapper(raw, before.encoding, before.errors)  # type: ignore[misc]
    try:
        yield
    finally:
        sys.__stderr__ = before  # type: ignore[misc]
