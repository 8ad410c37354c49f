"""The published schema and the reader agree on what an expectation is."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.paths import SAMPLES

from rollout_loaders.errors import ReadError
from rollout_loaders.fixtures import FILE_NAME, find_fixtures, read_expectation

SCHEMA: Any = json.loads((files("rollout_loaders.fixtures") / "expect.schema.json").read_text("utf-8"))
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("folder", find_fixtures(SAMPLES), ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_every_sample_is_valid(folder: Path) -> None:
    VALIDATOR.validate(json.loads((folder / FILE_NAME).read_text("utf-8")))


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"title": 3},
        {"a": {"$rex": "x"}},
        {"a": {"$re": "x", "b": 1}},
        {"a": {"$len": -1}},
        {"a": {"$absent": "yes"}},
        {"a": {"$contains": "x"}},
        {"rollouts": {"1-0": 3}},
        {"rollouts": {}, "outcome": {}},
        {"options": {"nope": 1}},
        {"options": {"gym_reasoning": 1}},
    ],
    ids=str,
)
def test_what_the_schema_refuses_the_reader_refuses_too(value: Any, tmp_path: Path) -> None:
    assert not VALIDATOR.is_valid(value)
    path = tmp_path / FILE_NAME
    path.write_text(json.dumps(value))
    with pytest.raises(ReadError):
        read_expectation(path)
