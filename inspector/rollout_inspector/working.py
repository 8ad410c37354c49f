"""Work beside the screen: in threads that are told to stop, and that nobody waits for when the app is left.

Textual's thread workers run in the event loop's pool, which Python joins on the way out: leaving while a 500 MB file is
indexed would take as long as the index.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from textual import work
from textual.screen import Screen
from textual.worker import get_current_worker  # pyright: ignore[reportUnknownVariableType] - its result's type is open

_Arguments = ParamSpec("_Arguments")
_Screen = TypeVar("_Screen", bound=Screen[None])

_stopped: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar("stopped", default=None)


def in_background(
    group: str,
) -> Callable[[Callable[Concatenate[_Screen, _Arguments], None]], Callable[Concatenate[_Screen, _Arguments], object]]:
    """Make a method run in a thread of its own; a later call in the same group cancels an earlier one."""

    def decorate(
        method: Callable[Concatenate[_Screen, _Arguments], None],
    ) -> Callable[Concatenate[_Screen, _Arguments], object]:
        @work(group=group, exclusive=True, exit_on_error=False)
        @wraps(method)
        async def run(screen: _Screen, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> None:
            await _in_thread(lambda: method(screen, *args, **kwargs), group)

        return run

    return decorate


async def _in_thread(function: Callable[[], None], name: str) -> None:
    loop = asyncio.get_running_loop()
    finished = loop.create_future()
    stopped = threading.Event()

    def finish(error: BaseException | None) -> None:
        if finished.done():
            return
        if error is None:
            finished.set_result(None)
        else:
            finished.set_exception(error)

    def run() -> None:
        _stopped.set(stopped)
        error: BaseException | None = None
        try:
            function()
        except BaseException as raised:
            error = raised
        if not stopped.is_set() and not loop.is_closed():
            loop.call_soon_threadsafe(finish, error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(run,), name=f"rollout-inspect {name}", daemon=True).start()
    try:
        await finished
    except asyncio.CancelledError:
        stopped.set()
        raise


def cancellation() -> Callable[[], bool]:
    """Return a function that says whether the work that called this was cancelled."""
    stopped = _stopped.get()
    if stopped is not None:
        return stopped.is_set
    worker = get_current_worker()  # pyright: ignore[reportUnknownVariableType] - see above
    return lambda: worker.is_cancelled  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType] - see above


def cancel(screen: Screen[None], group: str) -> None:
    """Cancel a group of workers of a screen."""
    screen.workers.cancel_group(screen, group)  # pyright: ignore[reportUnknownMemberType] - see above
