"""`serve` talks to its own page on loopback and to nobody else."""

from __future__ import annotations

import pytest

pytest.importorskip("textual_serve")

from aiohttp import WSServerHandshakeError
from aiohttp.test_utils import TestClient, TestServer

from rollout_inspector import loopback

FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "http://127.0.0.1:9999"},
    {"Origin": "null"},
    {"Host": "evil.example:8000"},
    {"Host": "127.0.0.1:8000.evil.example", "Origin": "http://127.0.0.1:8000.evil.example"},
]


def test_it_listens_on_loopback_only() -> None:
    assert loopback.LoopbackServer("true", 8000).host == "127.0.0.1"


@pytest.mark.parametrize("headers", FOREIGN)
async def test_a_foreign_page_reaches_nothing(headers: dict[str, str]) -> None:
    server = loopback.LoopbackServer("true", 8000)
    async with TestClient(TestServer(await server._make_app())) as client:  # pyright: ignore[reportPrivateUsage]
        sent = {"Host": "127.0.0.1:8000", **headers}
        for path in ("/", "/ws", "/download/x", "/static/js/textual.js"):
            assert (await client.get(path, headers=sent)).status == 403
        with pytest.raises(WSServerHandshakeError):
            await client.ws_connect("/ws", headers=sent)


@pytest.mark.parametrize("name", ["127.0.0.1:8000", "localhost:8000"])
async def test_its_own_page_is_served(name: str) -> None:
    server = loopback.LoopbackServer("true", 8000)
    async with TestClient(TestServer(await server._make_app())) as client:  # pyright: ignore[reportPrivateUsage]
        page = await client.get("/", headers={"Host": name})
        assert page.status == 200
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "googleapis" not in policy
        sent = {"Host": "127.0.0.1:8000", "Origin": f"http://{name}"}
        assert (await client.get("/", headers=sent)).status == 200
