"""`walk --accept`: what a reviewer agreed to is written, and then the fixture passes."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.paths import SAMPLES

from rollout_loaders.fixtures import FILE_NAME, run_fixture
from rollout_loaders.fixtures.accepting import accept


def test_an_accepted_difference_is_no_difference_any_more(tmp_path: Path) -> None:
    folder = tmp_path / "split-reply"
    shutil.copytree(SAMPLES / "split-reply", folder)
    path = folder / FILE_NAME
    changed = path.read_text().replace('"text": "4"', '"text": "5"').replace('"completed"', '"failed"')
    path.write_text(changed)
    result = run_fixture(folder)
    assert len(result.differences) == 3
    assert accept(path, result.differences) == 3
    assert run_fixture(folder).passed


def test_a_rollout_that_is_not_there_cannot_be_accepted(tmp_path: Path) -> None:
    folder = tmp_path / "after"
    shutil.copytree(SAMPLES / "split" / "after", folder)
    path = folder / FILE_NAME
    path.write_text(path.read_text().replace('"4-0"', '"9-9"'))
    result = run_fixture(folder)
    assert accept(path, result.differences) == 0
    assert not run_fixture(folder).passed
