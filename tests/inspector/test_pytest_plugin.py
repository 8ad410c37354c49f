"""The plug-in collects fixtures, and shows an adapter's reading beside ours."""

from __future__ import annotations

import shutil

import pytest
from tests.paths import SAMPLES

pytest_plugins = ["pytester"]
ADAPTER = """
def pytest_rollout_adapter(config):
    def read(folder):
        return {"ses_dd3076bfbffeHJhJ5HzLgqUQIc": {"final_answer": {"text": %r, "turn": 3, "stands": True}}}
    return read
"""


def _session(pytester: pytest.Pytester, *names: str) -> None:
    for name in names:
        shutil.copytree(SAMPLES / name, pytester.path / "fixtures" / name)


def test_every_expectation_is_a_test(pytester: pytest.Pytester) -> None:
    _session(pytester, "split-reply", "literal-tags")
    result = pytester.runpytest_subprocess("--rollout-fixtures", "fixtures", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)


def test_without_the_option_nothing_is_collected(pytester: pytest.Pytester) -> None:
    _session(pytester, "split-reply")
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes()


def test_a_difference_is_shown_with_its_pointer(pytester: pytest.Pytester) -> None:
    _session(pytester, "split-reply")
    path = pytester.path / "fixtures" / "split-reply" / "expect.json"
    path.write_text(path.read_text().replace('"text": "4"', '"text": "5"'))
    result = pytester.runpytest_subprocess("--rollout-fixtures", "fixtures", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*/final_answer/text differs: expected "5", actual "4"*'])


def test_an_adapter_that_promotes_an_earlier_answer_fails_beside_ours(pytester: pytest.Pytester) -> None:
    _session(pytester, "empty-final-answer")
    pytester.makeconftest(ADAPTER % "4")
    result = pytester.runpytest_subprocess("--rollout-fixtures", "fixtures", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(['*/final_answer/text differs: expected "", adapter "4", ours ""*'])


def test_an_adapter_that_agrees_passes(pytester: pytest.Pytester) -> None:
    _session(pytester, "empty-final-answer")
    pytester.makeconftest(ADAPTER % "")
    result = pytester.runpytest_subprocess("--rollout-fixtures", "fixtures", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)
