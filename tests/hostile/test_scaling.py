"""Many records that are alike take time by their number, not by its square (issue 7: no input below 1 MB hangs)."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import pytest

from tests.hostile.judging import Judge
from tests.hostile.large_inputs import MAKERS, Maker

FEW = 700
"""Enough that a quadratic step shows, few enough that the suite stays quick."""
SLOWEST = 6.0
"""Seconds of processor time: what took the square took more at this number."""


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_many_records_do_not_hang(maker: Maker, tmp_path: Path) -> None:
    path = maker(tmp_path, FEW)
    start = time.process_time()
    judge = Judge(path, Random(maker.__name__))
    problems = [problem for problem in judge.run() if "more than a second" not in problem]
    assert problems == []
    assert time.process_time() - start < SLOWEST
