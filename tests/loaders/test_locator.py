"""Places: what is printed is accepted, and a path that exists as written wins (CONTRACT 2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollout_loaders.errors import LocatorError
from rollout_loaders.locator import Locator, format_place, locate, parse, parse_identity, parse_place
from rollout_loaders.model import Invocation, Place, Rollout, SourceRef, TextPiece, Turn


def only(*paths: str) -> Callable[[str], bool]:
    return lambda path: path in paths


def a_rollout(path: str = "run.jsonl", name: str = "3-1") -> Rollout:
    turns = (Turn(1, "msg_1", answer=(TextPiece("prt_1", "a"),)), Turn(2, "msg_2"))
    child = Invocation("ses_child", "ses_root", turns=(Turn(1, "msg_c"),))
    return Rollout(name, SourceRef(path, "gym-rollouts"), invocations=(Invocation("ses_root", turns=turns), child))


@pytest.mark.parametrize(
    ("text", "rollout", "place"),
    [
        ("run.jsonl#3-1", "3-1", None),
        ("run.jsonl#3-1-a2", "3-1-a2", None),
        ("run.jsonl#L17", "L17", None),
        ("run.jsonl#3-1@turn:7", "3-1", Place(turn=7)),
        ("run.jsonl#3-1@ses_x/turn:7", "3-1", Place("ses_x", 7)),
        ("run.jsonl#3-1@item:prt_1", "3-1", Place(item_id="prt_1")),
        ("run.jsonl@turn:7", None, Place(turn=7)),
        ("run.jsonl@ses_x/item:prt_1", None, Place("ses_x", None, "prt_1")),
        ("run.jsonl@turn:2/item:msg-3", None, Place(None, 2, "msg-3")),
        ("run.jsonl@invocation:ses_x", None, Place("ses_x")),
        ("run.jsonl", None, None),
    ],
)
def test_every_form_of_a_locator_is_taken_apart(text: str, rollout: str | None, place: Place | None) -> None:
    assert parse(text, exists=only("run.jsonl")) == Locator("run.jsonl", rollout, place)


@pytest.mark.parametrize("name", ["a#3-1", "a@turn:7", "a#b@item:c", "x*y[1]#2"])
def test_a_path_that_exists_as_written_wins(name: str) -> None:
    assert parse(name, exists=only(name, "a", "x*y[1]")) == Locator(name)


def test_the_longest_existing_path_wins_over_a_shorter_one() -> None:
    assert parse("a#b.jsonl#3-1", exists=only("a", "a#b.jsonl")) == Locator("a#b.jsonl", "3-1")


def test_of_a_missing_path_the_locator_is_taken_off_at_the_last_mark() -> None:
    assert parse("missing.jsonl#3-1@turn:2", exists=only()) == Locator("missing.jsonl", "3-1", Place(turn=2))


def test_standard_input_takes_a_locator() -> None:
    assert parse("-#3-1", exists=only()) == Locator("-", "3-1")
    assert parse("-", exists=only()) == Locator("-")


@pytest.mark.parametrize("text", ["", "turn:", "turn:x", "item:", "7", "a/b/turn:1", "turn:-1", "ses_x"])
def test_what_is_no_place_is_none(text: str) -> None:
    assert parse_place(text) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [("3-1", (3, 1, None)), ("3-1-a2", (3, 1, 2)), ("L17", None), ("ses_x", None), ("3-1-a", None)],
)
def test_identities(name: str, expected: tuple[int, int, int | None] | None) -> None:
    assert parse_identity(name) == expected


IDS = st.text(min_size=1, max_size=12).filter(lambda s: not any(0xD800 <= ord(c) < 0xE000 for c in s))


@given(IDS, st.none() | IDS, st.none() | st.integers(1, 10**6), st.none() | IDS)
def test_what_is_printed_is_accepted(name: str, invocation: str | None, turn: int | None, item: str | None) -> None:
    rollout = Rollout(name, SourceRef("run.jsonl", "gym-rollouts"))
    place = Place(invocation, turn, item)
    printed = format_place(rollout, place)
    assert parse(printed, exists=only("run.jsonl")) == Locator("run.jsonl", name, None if place == Place() else place)


def test_a_printed_place_survives_a_file_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    (tmp_path / "run#3-1").touch()
    path = str(tmp_path / "run")
    assert parse(format_place(a_rollout(path))) == Locator(path, "3-1")


def test_the_root_is_not_named_and_a_subagent_is() -> None:
    rollout = a_rollout()
    assert format_place(rollout, Place("ses_root", 2)) == "run.jsonl#3-1@turn:2"
    assert format_place(rollout, Place("ses_child", 1)) == "run.jsonl#3-1@ses_child/turn:1"
    assert format_place(rollout, Place("ses_root")) == "run.jsonl#3-1"


def test_locating_fills_in_invocation_and_turn() -> None:
    rollout = a_rollout()
    assert locate(rollout, Place(turn=2)) == Place("ses_root", 2)
    assert locate(rollout, Place("ses_child", 1)) == Place("ses_child", 1)
    assert locate(rollout, Place(item_id="prt_1")) == Place("ses_root", 1, "prt_1")


@pytest.mark.parametrize("place", [Place(turn=9), Place("ses_none"), Place(item_id="nothing")])
def test_a_place_that_is_not_there_is_said(place: Place) -> None:
    with pytest.raises(LocatorError, match=r"has no (turn 9; it has 2 turns|invocation ses_none|item nothing)"):
        locate(a_rollout(), place)
