"""Every place of every sample leads back: what is printed as a place is accepted as one (CONTRACT 2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rollout_loaders.collection import open_paths
from rollout_loaders.locator import format_place, locate, parse
from rollout_loaders.model import Place, Rollout
from tests.paths import SAMPLES

FOLDERS = sorted(path.parent for path in SAMPLES.rglob("expect.json"))


def places(rollout: Rollout) -> Iterator[Place]:
    for reason in (*rollout.grading.because, *rollout.outcome.because, *rollout.attribution.because):
        if reason.where is not None:
            yield reason.where
    yield from (finding.where for finding in rollout.findings if finding.where is not None)
    yield rollout.scored.origin
    for items in (rollout.scored.items, *(invocation.items for invocation in rollout.invocations)):
        yield from (item.place for item in items)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_every_place_leads_back(folder: Path) -> None:
    with open_paths([str(folder)]) as collection:
        for rollout in collection.rollouts():
            root = rollout.root.id if rollout.root is not None else None
            for place in places(rollout):
                read = parse(format_place(rollout, place))
                assert (read.path, read.rollout) == (rollout.source.path, rollout.id)
                if read.place is not None:
                    found = locate(rollout, read.place)
                    assert found.invocation == (place.invocation or found.invocation)
                else:
                    assert place in (Place(), Place(root))
