"""What a store of objects has to answer, and how long it may take: every trouble is one `RemoteError`."""

from __future__ import annotations

import errno
import importlib
import threading
from collections.abc import Callable, Coroutine, Iterator
from functools import cache
from typing import Any, Protocol

from rollout_loaders.bounds import TIMEOUT
from rollout_loaders.fast_dataclass import dataclass

from . import address
from .refusal import ChangedError, NotThereError, RemoteError

_MODULES = {"s3": "s3", "gs": "gcs", "https": "web", "http": "web"}
_EXTRAS = {"s3": "remote", "gs": "gcs", "https": "remote", "http": "remote"}
_CREDENTIALS = {
    "s3": "credentials come from boto's environment: AWS_PROFILE, AWS_ACCESS_KEY_ID, … (none: FSSPEC_S3_ANON=true)",
    "gs": "credentials come from Google's environment: GOOGLE_APPLICATION_CREDENTIALS, …",
}
_TRIES = 2
_BROKEN = ("ConnectionResetError", "ServerDisconnectedError", "ClientPayloadError", "IncompleteReadError")


class Refused(Exception):
    """A backend's own words for a reply that cannot be used."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.hint = reason, hint


class Changed(Exception):
    """The reply is of another state of the object."""


@dataclass(frozen=True, slots=True)
class State:
    """Which state of which object is read."""

    size: int
    version: str
    """What tells this state from others: ETag or generation, else the time of the last change; and the size."""
    tag: str | None = None
    """ETag or generation as the server wants it back."""
    first: bytes = b""
    """Bytes from the start that came with the answer."""
    sure: bool = True
    """Whether another state would have another version; without an ETag and a time only another size shows."""


@dataclass(frozen=True, slots=True)
class Child:
    """One name in a folder."""

    name: str
    is_folder: bool


class Backend(Protocol):
    """A kind of store. Each method is a coroutine for `asked`; what it raises is told there."""

    async def state(self, url: str) -> State:
        """The object's present state."""
        ...

    async def get(self, url: str, start: int, end: int, state: State) -> bytes:
        """The bytes `[start, end)` of that state, no more."""
        ...

    async def page(self, url: str, token: str | None) -> tuple[list[Child], str | None]:
        """Names in a folder, and what asks for the next page; None after the last."""
        ...


def backend_of(url: str) -> Backend:
    """The backend for this URL. Raises `RemoteError` where its libraries are not installed."""
    scheme = address.scheme_of(url)
    try:
        return _made(_MODULES[scheme])
    except ImportError as error:
        extra = _EXTRAS[scheme]
        hint = f"pip install 'rollout-inspect[{extra}]'"
        raise RemoteError(address.redacted(url), f"a {scheme}:// URL needs the extra `{extra}`", hint) from error


_MAKING = threading.Lock()


def _made(name: str) -> Backend:
    with _MAKING:
        return _once(name)


@cache
def _once(name: str) -> Backend:
    backend: Backend = importlib.import_module(f"{__package__}.{name}").BACKEND()
    return backend


def asked(url: str, ask: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """The answer of one request, within `bounds.TIMEOUT`. Raises `RemoteError`, never with the URL's secrets."""
    asyn: Any = importlib.import_module("fsspec.asyn")
    for attempt in range(_TRIES):
        try:
            return asyn.sync(asyn.get_loop(), ask, timeout=TIMEOUT.value)
        except Exception as error:
            if attempt + 1 == _TRIES or not _is(error, *_BROKEN):
                raise _told(url, error) from error
    raise AssertionError("the last attempt returns or raises")


def _told(url: str, error: Exception) -> RemoteError:
    """A library's exception in our own words: its text may hold the URL, and what a server says is foreign."""
    shown, scheme = address.redacted(url), address.scheme_of(url)
    if isinstance(error, Refused):
        return RemoteError(shown, error.reason, error.hint)
    if isinstance(error, Changed):
        return ChangedError(shown)
    if isinstance(error, FileNotFoundError):
        what = "there is no such bucket" if "bucket" in str(error).lower() else "does not exist"
        return NotThereError(shown, what, "check the spelling")
    chain = list(_chain(error))
    if any(isinstance(one, PermissionError) or _is(one, "NoCredentialsError", "HttpError403") for one in chain):
        return RemoteError(shown, "permission denied", _CREDENTIALS.get(scheme, "check the URL and its credentials"))
    if any(isinstance(one, TimeoutError) or _is(one, "FSTimeoutError", "TimeoutError") for one in chain):
        hint = f"{TIMEOUT.variable} sets the seconds"
        return RemoteError(shown, f"no answer within {TIMEOUT.value:,} seconds", hint)
    if any(isinstance(one, OSError) and one.errno == errno.ECONNREFUSED for one in chain):
        return RemoteError(shown, "connection refused", "check the address and the port")
    if any(_is(one, *_BROKEN) for one in chain):
        return RemoteError(shown, "the connection broke off", "read it again")
    if any("Certificate" in type(one).__name__ for one in chain):
        return RemoteError(shown, "its certificate is not trusted", "check the address")
    if any(isinstance(one, OSError) or "Connect" in type(one).__name__ for one in chain):
        return RemoteError(shown, f"cannot be read ({type(chain[-1]).__name__})", "check the address and the network")
    return RemoteError(shown, f"was not understood ({type(error).__name__})", "check the address")


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        inner = getattr(one, "os_error", None)
        if isinstance(inner, BaseException):
            yield inner
        one = one.__cause__ or one.__context__


def _is(error: BaseException, *names: str) -> bool:
    return any(base.__name__ in names for base in type(error).__mro__)
