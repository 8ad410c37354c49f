"""`expect.json`: subsets, matchers, and errors that name file and pointer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rollout_loaders.errors import ReadError
from rollout_loaders.fixtures import differences, read_expectation


def found(expected: Any, actual: Any) -> list[str]:
    return [f"{difference.pointer}: {difference.message}" for difference in differences(expected, actual)]


def test_an_object_is_a_subset() -> None:
    assert found({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}) == []
    assert found({"a": {"b": 2}}, {"a": {"b": 1}}) == ["/a/b: differs"]
    assert found({"x": 1}, {}) == ["/x: is not there"]


def test_null_is_there_and_is_not_zero() -> None:
    assert found({"a": None}, {"a": None}) == []
    assert found({"a": 0}, {"a": None}) == ["/a: differs"]
    assert found({"a": None}, {}) == ["/a: is not there"]


def test_true_is_not_one() -> None:
    assert found({"a": 1}, {"a": True}) == ["/a: differs"]
    assert found({"a": 1}, {"a": 1.0}) == []


def test_arrays_match_by_position_and_length() -> None:
    assert found([1, {"a": 1}], [1, {"a": 1, "b": 2}]) == []
    assert found([1], [1, 2]) == [": has 2 elements, not 1"]
    assert found([2, 1], [1, 2]) == ["/0: differs", "/1: differs"]


@pytest.mark.parametrize(
    ("matcher", "value", "holds"),
    [
        ({"$re": "^a"}, "abc", True),
        ({"$re": "^b"}, "abc", False),
        ({"$re": "1"}, 1, False),
        ({"$absent": True}, None, True),
        ({"$absent": True}, 0, False),
        ({"$absent": False}, 0, True),
        ({"$len": 2}, [1, 2], True),
        ({"$len": 2}, "ab", True),
        ({"$len": 2}, [1], False),
        ({"$contains": [{"a": 1}]}, [{"a": 2}, {"a": 1, "b": 1}], True),
        ({"$contains": [{"a": 3}]}, [{"a": 2}], False),
        ({"$contains": ["b"]}, "abc", True),
        ({"$re": "^a", "$len": 2}, "abc", False),
    ],
)
def test_matchers(matcher: Any, value: Any, holds: bool) -> None:
    assert (not found({"k": matcher}, {"k": value})) is holds


def test_absent_holds_for_a_missing_member() -> None:
    assert found({"k": {"$absent": True}}, {}) == []


def test_pointers_escape_slashes_and_tildes() -> None:
    assert found({"a/b": {"~": 1}}, {"a/b": {"~": 2}}) == ["/a~1b/~0: differs"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "an expectation is a JSON object"),
        ('{"a": {"$rex": "x"}}', "at '/a': unknown matcher $rex"),
        ('{"a": {"$re": "("}}', "at '/a/$re': no regular expression"),
        ('{"a": {"$len": -1}}', "at '/a/$len'"),
        ('{"a": {"$re": "x", "b": 1}}', "at '/a': mixes matchers and members"),
        ('{"title": 3}', "at '/title'"),
        ('{"rollouts": {"1-0": 3}}', "at '/rollouts/1-0'"),
        ('{"rollouts": {}, "outcome": {}}', "at '/outcome'"),
        ('{"options": {"nope": 1}}', "at '/options/nope'"),
        ("{", "no JSON"),
    ],
)
def test_a_bad_expectation_names_file_pointer_and_fault(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "expect.json"
    path.write_text(content)
    with pytest.raises(ReadError) as error:
        read_expectation(path)
    assert str(path) in str(error.value)
    assert said in str(error.value)


def test_a_description_is_no_part_of_what_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "expect.json"
    path.write_text(json.dumps({"title": "t", "why": "w", "link": "l", "outcome": {"status": "completed"}}))
    expectation = read_expectation(path)
    assert (expectation.title, expectation.why, expectation.link) == ("t", "w", "l")
    assert expectation.single == {"outcome": {"status": "completed"}}
