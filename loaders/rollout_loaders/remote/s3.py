"""s3:// by s3fs, which takes credentials, region and endpoint from boto's and fsspec's environment."""

from __future__ import annotations

import importlib
from typing import Any

from rollout_loaders.bounds import TIMEOUT

from .address import bucket_and_key
from .backend import Changed, Child, Refused, State

_PRECONDITION_FAILED = ("412", "PreconditionFailed")


class S3:
    """One client for all buckets."""

    def __init__(self) -> None:
        s3fs: Any = importlib.import_module("s3fs")
        wait = TIMEOUT.value
        times = {"connect_timeout": min(wait, 20), "read_timeout": wait, "retries": {"max_attempts": 1}}
        self._files: Any = s3fs.S3FileSystem(config_kwargs=times, use_listings_cache=False, skip_instance_cache=True)
        self._files.retries = 2

    async def state(self, url: str) -> State:
        """By HEAD."""
        bucket, key = bucket_and_key(url)
        found = await self._call("head_object", Bucket=bucket, Key=key)
        size, tag = int(found["ContentLength"]), str(found["ETag"])
        return State(size, f"{tag} {size}", tag)

    async def get(self, url: str, start: int, end: int, state: State) -> bytes:
        """By a range that holds for this ETag only."""
        bucket, key = bucket_and_key(url)
        ranged = {"Range": f"bytes={start}-{end - 1}", "IfMatch": state.tag}
        found = await self._call("get_object", Bucket=bucket, Key=key, **ranged)
        async with found["Body"] as body:
            if found.get("ETag") != state.tag:
                raise Changed
            if found.get("ContentRange") != f"bytes {start}-{end - 1}/{state.size}":
                raise Refused("its server does not answer range requests", "copy the object and name the copy")
            pieces: list[bytes] = []
            left = end - start
            while left > 0 and (piece := await body.read(left)):
                pieces.append(piece)
                left -= len(piece)
        if left:
            raise ConnectionResetError
        return b"".join(pieces)

    async def page(self, url: str, token: str | None) -> tuple[list[Child], str | None]:
        """At most a thousand names."""
        bucket, prefix = bucket_and_key(url)
        prefix = f"{prefix.rstrip('/')}/" if prefix else ""
        more = {} if token is None else {"ContinuationToken": token}
        found = await self._call("list_objects_v2", Bucket=bucket, Prefix=prefix, Delimiter="/", **more)
        keys = [(str(one["Prefix"]), True) for one in found.get("CommonPrefixes", ())]
        keys += [(str(one["Key"]), False) for one in found.get("Contents", ())]
        children = [
            Child(key[len(prefix) :].removesuffix("/") if is_folder else key[len(prefix) :], is_folder)
            for key, is_folder in keys
            if key.startswith(prefix) and key != prefix
        ]
        following = found.get("NextContinuationToken") if found.get("IsTruncated") else None
        return children, None if following is None else str(following)

    async def _call(self, method: str, **arguments: Any) -> Any:
        try:
            return await self._files._call_s3(method, **arguments)
        except OSError as error:
            reply: Any = getattr(error.__cause__, "response", None)
            if reply is not None and str(reply.get("Error", {}).get("Code")) in _PRECONDITION_FAILED:
                raise Changed from error
            raise


BACKEND = S3
