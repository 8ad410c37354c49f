"""What a server did not give, as errors. Apart from all that asks one, for most command lines name no URL."""

from __future__ import annotations

from rollout_loaders.errors import ReadError


class RemoteError(ReadError):
    """What a server was asked for did not come."""


class NotThereError(RemoteError):
    """There is no such object, folder or bucket."""


class ChangedError(RemoteError):
    """The object is another now than when its reading began."""

    def __init__(self, shown: str) -> None:
        super().__init__(shown, "changed while it was read", "read it again")
