"""Servers on loopback: one that knows ranges and counts what it sends, or misbehaves; and moto's S3, counted too."""

from __future__ import annotations

import contextlib
import importlib
import re
import threading
from collections.abc import Callable, Generator, Iterable
from dataclasses import field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rollout_loaders.fast_dataclass import dataclass

RANGE = re.compile(r"bytes=(\d+)-(\d+)")


@dataclass
class Web:
    """A web server. `objects` are what it has; `behave` may answer a request in its place."""

    address: str = ""
    objects: dict[str, bytes] = field(default_factory=lambda: {})
    tags: dict[str, str] = field(default_factory=lambda: {})
    sent: int = 0
    """Bytes of bodies."""
    asked: list[tuple[str, str]] = field(default_factory=lambda: [])
    """(path with query, Range header)."""
    authorized: list[str] = field(default_factory=lambda: [])
    behave: Callable[[Handler], bool] | None = None

    def url(self, name: str) -> str:
        return f"http://{self.address}/{name}"


class Handler(BaseHTTPRequestHandler):
    """Answers GET with ranges."""

    web: Web
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.web.asked.append((self.path, self.headers.get("Range", "")))
        self.web.authorized.append(self.headers.get("Authorization", ""))
        if self.web.behave is not None and self.web.behave(self):
            return
        name = self.path[1:].partition("?")[0]
        body = self.web.objects.get(name)
        if body is None:
            self.answer(404, b"no")
            return
        found = RANGE.fullmatch(self.headers.get("Range", ""))
        tag = {"ETag": self.web.tags.get(name, '"1"')}
        if found is None:
            self.answer(200, body, tag)
        elif int(found[1]) >= len(body):
            self.answer(416, b"", {"Content-Range": f"bytes */{len(body)}"})
        else:
            start, end = int(found[1]), min(int(found[2]) + 1, len(body))
            self.answer(206, body[start:end], {**tag, "Content-Range": f"bytes {start}-{end - 1}/{len(body)}"})

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.write(body)

    def write(self, body: bytes) -> None:
        with contextlib.suppress(OSError):
            self.wfile.write(body)
            self.web.sent += len(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests are about."""


@contextlib.contextmanager
def web_server() -> Generator[Web]:
    web = Web()
    handler = type("OneHandler", (Handler,), {"web": web})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        web.address = f"127.0.0.1:{server.server_address[1]}"
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Store:
    """moto's S3, with what was asked of it."""

    address: str
    asked: list[tuple[str, str, str, str]] = field(default_factory=lambda: [])
    """(method, path, query, Range header)."""
    sent: int = 0
    """Bytes of objects: replies to GET with a range."""
    behave: Callable[[dict[str, Any]], tuple[str, list[tuple[str, str]], bytes] | None] | None = None
    """May answer a request in its place: (status, headers, body)."""

    @property
    def endpoint(self) -> str:
        return f"http://{self.address}"

    def clear(self) -> None:
        self.asked.clear()
        self.sent = 0

    def put(self, key: str, body: bytes, bucket: str = "runs") -> None:
        self.client().put_object(Bucket=bucket, Key=key, Body=body)

    def client(self) -> Any:
        boto3: Any = importlib.import_module("boto3")
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )


@contextlib.contextmanager
def s3_server() -> Generator[Store]:
    from werkzeug.serving import WSGIRequestHandler, make_server

    moto: Any = importlib.import_module("moto.server")

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - its name in the base class
            pass

    inner: Any = moto.DomainDispatcherApplication(moto.create_backend_app)

    def counted(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        ranged = environ.get("HTTP_RANGE", "")
        asked = (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("QUERY_STRING", ""), ranged)
        store.asked.append(asked)
        instead = None if store.behave is None else store.behave(environ)
        if instead is not None:
            start(instead[0], instead[1])
            return [instead[2]]
        body = list(inner(environ, start))
        if ranged:
            store.sent += sum(map(len, body))
        return body

    server = make_server("127.0.0.1", 0, counted, threaded=True, request_handler=Quiet)
    store = Store(f"127.0.0.1:{server.port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        store.client().create_bucket(Bucket="runs")
        yield store
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
