"""A store and a web server for each test, and nothing of the user's own: no credentials, no cache, no state."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")

from tests.remote.servers import Store, Web, s3_server, web_server


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


@pytest.fixture
def web() -> Generator[Web]:
    with web_server() as server:
        yield server


@pytest.fixture(scope="session")
def one_store() -> Generator[Store]:
    pytest.importorskip("s3fs")
    pytest.importorskip("moto.server")
    with s3_server() as server:
        yield server


@pytest.fixture
def store(one_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty bucket `runs`."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", one_store.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    one_store.behave = None
    client = one_store.client()
    for page in client.get_paginator("list_objects_v2").paginate(Bucket="runs"):
        for found in page.get("Contents", ()):
            client.delete_object(Bucket="runs", Key=found["Key"])
    one_store.clear()
    return one_store
