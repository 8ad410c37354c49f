"""Each rule of the conversion core and of the outcome tables, switched off: some fixture must fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rollout_loaders import terminal_status
from rollout_loaders.convert import (
    compactions,
    final_answer,
    host_response,
    observed,
    reply,
    route,
    session_rollout,
    think,
    turns,
)
from rollout_loaders.convert.stored import PartOrder
from rollout_loaders.evidence import outcome_opencode, outcome_pi, outcome_row
from rollout_loaders.fixtures import find_fixtures, run_fixture
from rollout_loaders.formats import pi_log, pi_partial, pi_rollout
from rollout_loaders.model import FinalAnswer, Invocation, Route
from tests.paths import SAMPLES

Patch = pytest.MonkeyPatch
FIXTURES = find_fixtures(SAMPLES)
OUTCOMES = tuple(folder for folder in FIXTURES if folder.parent.name == "outcome")


def failing(fixtures: tuple[Path, ...]) -> Iterator[str]:
    for folder in fixtures:
        try:
            passed = run_fixture(folder).passed
        except Exception:
            passed = False
        if not passed:
            yield folder.name


def a_fixture_fails(fixtures: tuple[Path, ...]) -> bool:
    return any(True for _ in failing(fixtures))


def test_unchanged_every_fixture_passes() -> None:
    assert list(failing(FIXTURES)) == []


def _split_nowhere(text: str) -> think.Split:
    return think.Split(None, "", text)


def _split_every_block(text: str) -> think.Split:
    first = REAL_SPLIT(text)
    return replace(first, answer=REAL_SPLIT(first.answer).answer) if first.has_block else first


def _split_after_white_space(text: str) -> think.Split:
    return REAL_SPLIT(text.lstrip())


def _split_and_keep_white_space(text: str) -> think.Split:
    found = REAL_SPLIT(text)
    return replace(found, removed="", answer=found.removed + found.answer)


REAL_SPLIT = think.split
REAL_PIECES = reply.pieces


def _pieces(change: Callable[[list[reply.Piece]], list[reply.Piece]]) -> Callable[..., list[reply.Piece]]:
    return lambda *arguments: change(REAL_PIECES(*arguments))


def _no_empty_answer(found: list[reply.Piece]) -> list[reply.Piece]:
    return [replace(piece, empty_answer=False) for piece in found]


def _always_an_empty_answer(found: list[reply.Piece]) -> list[reply.Piece]:
    return [replace(piece, empty_answer=piece.split.has_block and not piece.split.answer.strip()) for piece in found]


def _with_pieces(change: Callable[[list[reply.Piece]], list[reply.Piece]]) -> Callable[[Patch], None]:
    def patch(patch: Patch) -> None:
        patch.setattr(reply, "pieces", _pieces(change))
        patch.setattr(turns, "pieces", _pieces(change))

    return patch


def _gate(on: bool) -> Callable[[Patch], None]:
    def detected(_found: tuple[str, ...]) -> Route:
        return Route(on, False, "mutated")

    return lambda patch: patch.setattr(route, "detected", detected)


def _raw_boundary_ids(patch: Patch) -> None:
    real = compactions.compactions

    def mutated(session: Any, first_items: Any) -> Any:
        return real(session, {key: item.removesuffix("-reasoning") for key, item in first_items.items()})

    patch.setattr(session_rollout, "compactions", mutated)


def _root_only(patch: Patch) -> None:
    real = host_response.host_response

    def mutated(sessions: Any, **more: Any) -> Any:
        return real(sessions[:1], **more)

    patch.setattr(session_rollout, "host_response", mutated)


def _ids_order(patch: Patch) -> None:
    real = reply.walk

    def mutated(sessions: Any, _order: PartOrder, gate: bool) -> Any:
        return real(sessions, PartOrder.PART_ID, gate)

    for module in (reply, host_response, observed):
        patch.setattr(module, "walk", mutated)


def _nothing(*_given: Any) -> None:
    """Stands for a rule that is switched off."""


def _deltas_dropped(patch: Patch) -> None:
    patch.setattr(pi_partial.PartialMessage, "update", _nothing)


def _never_a_partial_turn(patch: Patch) -> None:
    patch.setattr(pi_log.PiLogFold, "_close_reply", _nothing)


def _outcome_lines_unheard(patch: Patch) -> None:
    patch.setattr(pi_log.PiLogFold, "_outcome", _nothing)


def _pi_split(patch: Patch) -> None:
    real = final_answer.final_answer_of

    def split(root: Invocation | None) -> FinalAnswer:
        found = real(root)
        return replace(found, text=think.split(found.text).answer) if found.text else found

    patch.setattr(pi_rollout, "final_answer_of", split)


RULES: dict[str, Callable[[Patch], None]] = {
    "4.1 a leading block is split": lambda patch: patch.setattr(think, "split", _split_nowhere),
    "4.1 the first block only": lambda patch: patch.setattr(think, "split", _split_every_block),
    "4.1 at offset 0 only": lambda patch: patch.setattr(think, "split", _split_after_white_space),
    "4.1 white space before the answer goes": lambda patch: patch.setattr(think, "split", _split_and_keep_white_space),
    "4.2 the gate is on for nemo": _gate(False),
    "4.2 the gate is off for others": _gate(True),
    "4.3 split reasoning has an id of its own": lambda patch: patch.setattr(
        reply.Piece, "reasoning_id", property(lambda piece: piece.part.id)
    ),
    "4.4 an empty answer stays": _with_pieces(_no_empty_answer),
    "4.4 only where nothing else answers": _with_pieces(_always_an_empty_answer),
    "4.5 the boundary is the item that was emitted": _raw_boundary_ids,
    "4.6 the host response holds subagents": _root_only,
    "4.2 Pi's tags are literal": _pi_split,
    "4.7 a reply without its end is a partial turn": _never_a_partial_turn,
    "4.7 whose text comes from the deltas": _deltas_dropped,
    "4.7 outcome lines are heard": _outcome_lines_unheard,
    "4.8 the host response goes by row time": _ids_order,
}


@pytest.mark.parametrize("rule", RULES)
def test_a_fixture_fails_without_this_rule_of_the_core(rule: str, monkeypatch: Patch) -> None:
    RULES[rule](monkeypatch)
    assert a_fixture_fails(FIXTURES), rule


@pytest.mark.parametrize("index", range(len(final_answer.STAND_RULES)))
def test_a_fixture_fails_without_this_reason_not_to_stand(index: int, monkeypatch: Patch) -> None:
    rules = final_answer.STAND_RULES
    monkeypatch.setattr(final_answer, "STAND_RULES", rules[:index] + rules[index + 1 :])
    assert a_fixture_fails(FIXTURES), rules[index].__name__


TABLES: list[tuple[Any, str]] = [
    (outcome_pi, "ROWS"),
    (outcome_opencode, "RUN_RULES"),
    (terminal_status, "TERMINAL_RULES"),
    (outcome_row, "ROW_RULES"),
]
ROWS = [(module, name, row.id) for module, name in TABLES for row in getattr(module, name)]


@pytest.mark.parametrize(("module", "name", "row"), ROWS, ids=[row for _, _, row in ROWS])
def test_a_fixture_fails_without_this_row_of_an_outcome_table(
    module: Any, name: str, row: str, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(module, name, tuple(kept for kept in getattr(module, name) if kept.id != row))
    assert a_fixture_fails(OUTCOMES), row
