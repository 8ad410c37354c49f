"""gs:// by gcsfs, which takes credentials from Google's and fsspec's environment (extra `gcs`)."""

from __future__ import annotations

import importlib
from typing import Any

from rollout_loaders.bounds import TIMEOUT

from .address import bucket_and_key
from .backend import Child, State


class GoogleStorage:
    """One client for all buckets."""

    def __init__(self) -> None:
        gcsfs: Any = importlib.import_module("gcsfs.core")  # the one over REST, not the one over gRPC
        self._files: Any = gcsfs.GCSFileSystem(
            timeout=TIMEOUT.value, use_listings_cache=False, skip_instance_cache=True, version_aware=False
        )

    async def state(self, url: str) -> State:
        """By the object's metadata; its generation never comes back for other bytes."""
        bucket, key = bucket_and_key(url)
        found = await self._files._info(f"{bucket}/{key}")
        if found.get("type") != "file":
            raise FileNotFoundError(key)
        size, generation = int(found["size"]), str(found["generation"])
        return State(size, f"{generation} {size}", generation)

    async def get(self, url: str, start: int, end: int, state: State) -> bytes:
        """By a range of this generation."""
        bucket, key = bucket_and_key(url)
        data: bytes = await self._files._cat_file(f"{bucket}/{key}", start=start, end=end, generation=state.tag)
        if len(data) != end - start:
            raise ConnectionResetError
        return data

    async def page(self, url: str, token: str | None) -> tuple[list[Child], str | None]:  # noqa: ARG002 - gcsfs gives all at once
        """All names."""
        bucket, prefix = bucket_and_key(url)
        folder = f"{bucket}/{prefix}".rstrip("/") + "/"
        try:
            found = await self._files._ls(folder.rstrip("/"), detail=True)
        except FileNotFoundError:
            return [], None
        names = [(str(one["name"]), one.get("type") == "directory") for one in found]
        return [
            Child(name[len(folder) :].removesuffix("/") if is_folder else name[len(folder) :], is_folder)
            for name, is_folder in names
            if name.startswith(folder) and name.rstrip("/") != folder.rstrip("/")
        ], None


BACKEND = GoogleStorage
