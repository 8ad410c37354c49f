"""`serve` behind a door: only the page that it serves itself may talk to it (extra `serve`; loaded on demand).

textual-serve opens its websocket to any page. A script of any site that is open in the same browser could connect to
loopback, read every rollout and press keys; a name that is made to point at 127.0.0.1 could do the same.
"""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from textual_serve.server import Server

HOST = "127.0.0.1"
"""Loopback only: whoever can open the page sees every rollout that was named."""


class LoopbackServer(Server):
    """textual-serve on loopback that refuses foreign hosts and origins."""

    def __init__(self, command: str, port: int) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  its paths have no type
            command, host=HOST, port=port, title="rollout-inspect"
        )

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(own_page_only(self.port))
        return app


def own_page_only(port: int) -> Middleware:
    """The middleware: 403 for a request whose `Host`, or whose `Origin` where it has one, is not this server."""
    names = {f"{name}:{port}" for name in (HOST, "localhost")} | ({HOST, "localhost"} if port == 80 else set[str]())
    origins = {f"http://{name}" for name in names}
    own, sockets = " ".join(sorted(origins)), " ".join(sorted(f"ws://{name}" for name in names))
    # textual-serve's page asks a font server for its letters: nothing leaves this machine.
    policy = (
        f"default-src 'none'; script-src {own} 'unsafe-inline'; style-src {own} 'unsafe-inline'; img-src {own} data:; "
        f"font-src {own} data:; connect-src {own} {sockets}; frame-ancestors 'none'"
    )

    @web.middleware
    async def checked(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if request.headers.get("Host") not in names or (origin is not None and origin not in origins):
            raise web.HTTPForbidden(text="rollout-inspect serves its own page only")
        response = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = policy
        return response

    return checked
