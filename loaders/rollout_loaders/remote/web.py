"""https:// (and http:// on loopback) by the session of fsspec's HTTP file system.

Its own file object reads a reply whole before it looks at it. Here a reply is taken only where it is the range that was
asked for, of the object whose reading began.
"""

from __future__ import annotations

import importlib
import re
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from .address import is_loopback, scheme_of
from .backend import Changed, Child, Refused, State
from .blocks import BLOCK, FIRST

_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", re.ASCII)
_EMPTY = re.compile(r"bytes \*/0", re.ASCII)
_ASCII = "".join(map(chr, range(33, 127)))
"""What stays as it is: a URL that was signed is not written anew."""
_MOST_HOPS = 5
_REDIRECTS = (301, 302, 303, 307, 308)


class Web:
    """One session for all hosts."""

    def __init__(self) -> None:
        http: Any = importlib.import_module("fsspec.implementations.http")
        aiohttp: Any = importlib.import_module("aiohttp")
        times = aiohttp.ClientTimeout(total=None)  # `asked` ends a request that takes too long
        given = {"timeout": times, "auto_decompress": False}

        async def client(**arguments: Any) -> Any:  # cookies of one host are none of another's business
            return aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), **arguments)

        self._files: Any = http.HTTPFileSystem(
            client_kwargs=given, get_client=client, encoded=True, skip_instance_cache=True
        )

    async def state(self, url: str) -> State:
        """By the first bytes: a URL that is signed for GET refuses HEAD."""
        reply = await self._reply(url, 0, FIRST)
        try:
            if reply.status == 416 and _EMPTY.fullmatch(reply.headers.get("Content-Range", "")):
                return _state(reply, 0)
            if reply.status == 206:
                start, end, size = _range(reply)
                if start != 0 or end > FIRST or end != min(FIRST, size):
                    raise _no_ranges()
                return _state(reply, size, await _body(reply, end))
            if reply.status == 416:
                raise _no_ranges()
            whole = await _small_body(reply)
            return _state(reply, len(whole), whole)
        finally:
            reply.close()

    async def get(self, url: str, start: int, end: int, state: State) -> bytes:
        """By a range; of a small object also by a reply that holds all of it."""
        reply = await self._reply(url, start, end)
        try:
            if reply.status == 206:
                if _range(reply) != (start, end, state.size) or _version(reply, state.size) != state.version:
                    raise Changed
                return await _body(reply, end - start)
            if reply.status == 416:
                raise Changed
            whole = await _small_body(reply)
            if _version(reply, len(whole)) != state.version:
                raise Changed
            return whole[start:end]
        finally:
            reply.close()

    async def page(self, url: str, token: str | None) -> tuple[list[Child], str | None]:  # noqa: ARG002 - see below
        """Never: links on a page are foreign text, no listing."""
        raise Refused("a folder cannot be listed over the web", "name a file in it")

    async def _reply(self, url: str, start: int, end: int) -> Any:
        """The reply with a body still to be read; redirects are followed where they stay as safe as the URL."""
        session = await self._files.set_session()
        headers = {"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
        for _ in range(_MOST_HOPS + 1):
            place = self._files.encode_url(quote(url, safe=_ASCII))
            reply = await session.get(place, headers=headers, allow_redirects=False)
            if reply.status not in _REDIRECTS:
                _refuse_status(reply)
                return reply
            target = urljoin(url, reply.headers.get("Location", ""))
            reply.close()
            _refuse_hop(url, target)
            url = target
        raise Refused(f"leads on more than {_MOST_HOPS} times", "check the address")


def _no_ranges() -> Refused:
    return Refused("its server does not answer range requests", "download it and name the file")


def _refuse_hop(url: str, target: str) -> None:
    host = urlsplit(target).hostname or ""
    if scheme_of(target) == "https" and not (is_loopback(host) and not is_loopback(urlsplit(url).hostname or "")):
        return
    if scheme_of(url) == scheme_of(target) == "http" and is_loopback(host):
        return
    raise Refused("leads on to an address that is not taken", "name the address of the file itself")


def _refuse_status(reply: Any) -> None:
    status = reply.status
    if status in (200, 206, 416):
        if reply.headers.get("Content-Encoding", "identity").lower() not in ("", "identity"):
            reply.close()
            raise Refused("its server compresses what it sends", "download it and name the file")
        return
    reply.close()
    if status in (404, 410):
        raise FileNotFoundError
    if status in (401, 403, 407):
        raise PermissionError
    if status in (412,):
        raise Changed
    raise Refused(f"its server answered {int(status)}", "try again later, or check the address")


def _range(reply: Any) -> tuple[int, int, int]:
    """(start, end, size) of a partial reply."""
    found = _RANGE.fullmatch(reply.headers.get("Content-Range", ""))
    if found is None:
        raise _no_ranges()
    start, last, size = map(int, found.groups())
    if not start <= last < size:
        raise _no_ranges()
    return start, last + 1, size


def _state(reply: Any, size: int, first: bytes = b"") -> State:
    sure = "ETag" in reply.headers or "Last-Modified" in reply.headers
    return State(size, _version(reply, size), None, first, sure)


def _version(reply: Any, size: int) -> str:
    return f"{reply.headers.get('ETag') or reply.headers.get('Last-Modified', '')} {size}"


async def _body(reply: Any, length: int) -> bytes:
    """Exactly so many bytes: more of them are another reply than the headers said, fewer a broken connection."""
    data = await _at_most(reply, length + 1)
    if len(data) > length:
        raise Refused("its server sent more than the range that was asked for", "download it and name the file")
    if len(data) < length:
        raise ConnectionResetError
    return data


async def _small_body(reply: Any) -> bytes:
    """All of an object that is no larger than one block, whose server knows no ranges."""
    if int(reply.headers.get("Content-Length", "0") or 0) > BLOCK:
        raise _no_ranges()
    data = await _at_most(reply, BLOCK + 1)
    if len(data) > BLOCK:
        raise _no_ranges()
    return data


async def _at_most(reply: Any, most: int) -> bytes:
    data = bytearray()
    while len(data) < most and (piece := await reply.content.read(most - len(data))):
        data += piece
    return bytes(data)


BACKEND = Web
