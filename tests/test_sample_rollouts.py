"""Every fixture of `sample_rollouts/` is read as its `expect.json` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollout_loaders.fixtures import find_fixtures, run_fixture
from tests.paths import SAMPLES

FIXTURES = find_fixtures(SAMPLES)


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_a_sample_is_read_as_it_expects(folder: Path) -> None:
    result = run_fixture(folder)
    assert result.error is None
    assert [f"{d.rollout} {d.pointer}: {d.message} (is {d.actual!r:.200})" for d in result.differences] == []


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_a_sample_says_what_it_shows_and_why(folder: Path) -> None:
    expectation = run_fixture(folder).expectation
    assert expectation is not None
    assert expectation.title
    assert expectation.why
    name = folder.relative_to(SAMPLES).as_posix()
    assert f"`{name}`" in (SAMPLES / "README.md").read_text(encoding="utf-8")


def test_there_are_at_least_sixteen() -> None:
    assert len(FIXTURES) >= 16
