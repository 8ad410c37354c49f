"""Bounds are said, name the variable that raises them, and raising them works (issue 7, Trust)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rollout_loaders import bounds
from rollout_loaders.collection import open_paths
from rollout_loaders.jsondecode import decode
from rollout_loaders.model import Diagnostic, Rollout
from tests.hostile.large_inputs import export_messages, pi_chain, pi_turns
from tests.hostile.test_databases import make_database
from tests.hostile.test_defects import message, row

LONG = {"type": "output_text", "text": "x" * 5000}
SHORT = {"type": "output_text", "text": "4"}


def read(path: Path) -> tuple[list[Rollout], tuple[Diagnostic, ...]]:
    with open_paths([str(path)]) as collection:
        return list(collection.rollouts()), collection.diagnostics


def listed(path: Path) -> tuple[int, tuple[Diagnostic, ...]]:
    with open_paths([str(path)]) as collection:
        return len(list(collection.summaries())), collection.diagnostics


def said(diagnostics: tuple[Diagnostic, ...], variable: str) -> bool:
    return any(variable in diagnostic.message for diagnostic in diagnostics)


def test_a_line_beyond_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_text(json.dumps(row(message(SHORT))) + "\n" + json.dumps(row(message(LONG))) + "\n", "utf-8")
    monkeypatch.setenv(bounds.LINE.variable, "4000")
    _, diagnostics = read(path)
    assert said(diagnostics, bounds.LINE.variable)
    monkeypatch.setenv(bounds.LINE.variable, "1_000_000")
    rollouts, diagnostics = read(path)
    assert len(rollouts) == 2
    assert not said(diagnostics, bounds.LINE.variable)


def test_a_line_beyond_the_bound_in_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list is read in blocks of a megabyte, and a longer line grows no buffer without end."""
    path = tmp_path / "rollouts.jsonl"
    path.write_text(json.dumps(row(message({"type": "output_text", "text": "x" * 3_000_000}))) + "\n", "utf-8")
    monkeypatch.setenv(bounds.LINE.variable, "1000000")
    assert said(listed(path)[1], bounds.LINE.variable)
    monkeypatch.delenv(bounds.LINE.variable)
    assert listed(path)[0] == 1


def test_a_document_beyond_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = export_messages(tmp_path, 50)
    monkeypatch.setenv(bounds.FILE.variable, "1000")
    rollouts, diagnostics = read(path)
    assert rollouts == []
    assert said(diagnostics, bounds.FILE.variable)
    monkeypatch.setenv(bounds.FILE.variable, "1000000")
    assert len(read(path)[0]) == 1


def test_a_database_beyond_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "opencode.db"
    make_database(path, parts=30).close()
    for bound, low, enough in ((bounds.FILE, "1000", "1000000"), (bounds.PARTS, "20", "100")):
        monkeypatch.setenv(bound.variable, low)
        rollouts, diagnostics = read(path)
        assert rollouts == []
        assert said(diagnostics, bound.variable)
        monkeypatch.setenv(bound.variable, enough)
        assert len(read(path)[0]) == 1


@pytest.mark.parametrize("maker", [pi_turns, pi_chain])
def test_a_log_beyond_the_bound(maker: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = pi_turns(tmp_path, 100) if maker is pi_turns else pi_chain(tmp_path, 100)
    monkeypatch.setenv(bounds.PARTS.variable, "50")
    _, diagnostics = read(path)
    assert said(diagnostics, bounds.PARTS.variable)
    monkeypatch.delenv(bounds.PARTS.variable)
    assert not said(read(path)[1], bounds.PARTS.variable)


def test_deeper_values_are_kept_as_their_text() -> None:
    raw = b"[" * 500 + b'"kept"' + b"]" * 500
    decoded = decode(raw)
    assert ("deep-nesting") in [code for code, _ in decoded.problems]
    value = decoded.value
    while isinstance(value, list):
        (value,) = value
    assert isinstance(value, str)
    assert '"kept"' in value


@pytest.mark.parametrize(
    ("given", "value"), [("7", 16), ("1_000", 1000), ("", 200), ("x", 200), ("-1", 200), ("0", 200)]
)
def test_a_variable_counts_where_it_is_a_positive_number(
    given: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(bounds.NESTING.variable, given)
    assert bounds.NESTING.value == min(value, 240)


def test_nesting_stays_below_what_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(bounds.NESTING.variable, "100000")
    assert bounds.NESTING.value == 240
