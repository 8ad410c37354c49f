"""Which session artifacts of a folder have to be compared, so that a folder of a thousand sessions still streams."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders import source
from rollout_loaders.errors import ReadError
from rollout_loaders.formats.pi_header import session_id

from .contents import Found


def grouped(found: Sequence[Found]) -> list[list[Found]]:
    """Artifacts that may hold the same session stay together; the groups come in the order of their first artifact.

    OpenCode artifacts stay together: a database names sessions that an export is a child of. Pi artifacts are told
    apart by the header of each, unless one has none.
    """
    groups: dict[str, list[Found]] = {}
    names = {id(one): _pi_session(one) for one in found if one.reader.name.startswith("pi-")}
    apart = all(name is not None for name in names.values())
    for one in found:
        name = names.get(id(one))
        family = one.reader.name.partition("-")[0]
        groups.setdefault(f"{family} {name}" if apart and name is not None else family, []).append(one)
    return list(groups.values())


def _pi_session(found: Found) -> str | None:
    try:
        return session_id(source.head(found.entry.path))
    except ReadError:
        return None
