"""A sample of the fuzz campaign, the same inputs on every run: mutated artifacts are read, judged and drawn."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.hostile.cases import write_case
from tests.hostile.judging import Judge
from tests.hostile.seeds import of_samples

EXECUTIONS = 60
"""For each kind of artifact; `tests/benchmarks/fuzz_campaign.py` runs as many as its time allows."""


@pytest.mark.parametrize("kind", ["lines", "document", "store", "database"])
def test_mutated_artifacts_break_nothing(kind: str, tmp_path: Path) -> None:
    choices = of_samples(kind)
    assert choices
    for number in range(EXECUTIONS):
        folder = tmp_path / str(number)
        folder.mkdir()
        rng = Random(f"{kind}/{number}")
        problems = Judge(write_case(rng, choices, folder), rng).run()
        # A machine that is busy with other things must not fail the suite.
        assert [problem for problem in problems if "more than a second" not in problem] == [], f"{kind}/{number}"
