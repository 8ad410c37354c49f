"""The fast listing says what the full reading says, and knows what it cannot read fast."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.loaders.gym_evidence import (
    bundle,
    call_part,
    compaction,
    invocation,
    text_part,
    tool_call,
    tool_round,
    trajectory,
    turn,
)
from tests.loaders.gym_files import dumped, opened, write
from tests.samples.gym_rows import call, message, output, reasoning, response, row

from rollout_loaders import cores
from rollout_loaders.evidence import complete
from rollout_loaders.formats import gym_pieces, gym_summary
from rollout_loaders.model import RolloutSummary
from rollout_loaders.summary import summarise

Json = dict[str, Any]


def listed(path: Path) -> list[RolloutSummary]:
    return list(opened(path).summaries())


def in_full(path: Path) -> list[RolloutSummary]:
    return [replace(summarise(complete(rollout)), findings=None) for rollout in opened(path).rollouts()]


def plain(path: Path) -> list[bool]:
    return [fields is not None for part in gym_summary.scan_file(path) for _, _, _, fields in part.rows()]


_USAGE = st.sampled_from(
    [None, {}, {"input_tokens": 5}, response([])["usage"], {"input_tokens": 5.0}, {"input_tokens": 10**25}]
)
_BLOCKS = st.lists(
    st.sampled_from(
        [
            {"type": "output_text", "text": "a"}, {"type": "output_text", "text": " "},
            {"type": "refusal", "refusal": "no"}, {"type": "input_image"}, {"text": "untyped"}, "bare",
            {"type": "output_text", "text": None},
        ]
    ),
    max_size=3,
)  # fmt: skip


def _message(role: str, content: Any, status: str | None) -> Json:
    return {"type": "message", "role": role, "content": content, "status": status}


_MESSAGE = st.builds(
    _message,
    st.sampled_from(["assistant", "user", "developer", "critic"]),
    _BLOCKS | st.sampled_from(["text", "", None]),
    st.sampled_from(["completed", "incomplete", None]),
)
_OTHERS: list[Any] = (
    [
        message("4"), reasoning("r"), call("bash", {}, "c1"), output("c1", "x"),
        {"role": "assistant", "content": "easy"}, "bare", 7, [message("nested")],
        {"type": "web_search_call", "id": "w"}, {"type": "odd"},
    ]
)  # fmt: skip
_ITEM: st.SearchStrategy[Any] = _MESSAGE | st.sampled_from(_OTHERS)
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "reward": st.sampled_from([0.0, 1.0, 1, None, True, "0.5", float("nan"), 10**400]),
    "mask_sample": st.sampled_from([True, False, None, "yes"]),
    "failure_kind": st.sampled_from(["judge_failed", "provider_unavailable", "own:kind", None]),
    "failure_reason": st.sampled_from(["empty_final_answer", None]),
    "verifier_error": st.sampled_from(["it crashed", "", None]),
    "agent_timed_out": st.sampled_from([True, False, "true"]),
    "instance_config": st.sampled_from([{"mask_sample": True}, {}, None]),
    "_ng_token_capture": st.sampled_from([{"error": "nothing recorded"}, {"chains": 2, "roots": 2}, None]),
    "_ng_attempt_index": st.sampled_from([0, 2, None, "1"]),
    "_ng_rollout_id": st.sampled_from(["own-id", "", None, 7]),
    "_ng_task_index": st.sampled_from([0, 1, None, 2.0, "1"]),
    "task_id": st.sampled_from(["t", 7, {"a": 1}, None]),
    "agent_ref": st.sampled_from([{"name": "pi"}, {"name": 7}, None, "x"]),
    "ng_agent_observations": st.sampled_from([None, {}, bundle(invocation("s", [message("4")]))]),
    "ng_trajectory": st.sampled_from([None, {"turns": []}]),
    "_ng_failure_class": st.just("transient"),
}
_ENVELOPE: dict[str, st.SearchStrategy[Any]] = {
    "status": st.sampled_from(["completed", "incomplete", "failed", "in_progress", None, 7]),
    "error": st.sampled_from([None, {}, {"code": "x", "message": "y"}, "text", 7, ["x"]]),
    "incomplete_details": st.sampled_from(
        [None, {}, {"reason": "max_output_tokens"}, {"reason": None}, {"reason": "odd"}]
    ),
    "metadata": st.sampled_from(
        [
            None,
            {},
            {"pi_version": "1"},
            {"agent_timed_out": "true"},
            {"ng_agent_outcome": '{"failure_kind": "unknown"}'},
        ]
    ),
    "usage": _USAGE,
    "model": st.sampled_from(["m", "", None, 7]),
    "output": st.sampled_from([None, "text", {}, [[message("a")], [message("b")]]]),
}
_INPUTS: list[Any] = [
    None,
    "question",
    [],
    [{"role": "user", "content": "q"}],
    [{"role": "user", "content": [{"type": "input_image"}]}],
    ["x"],
    7,
]
_INPUT: st.SearchStrategy[Any] = st.sampled_from(_INPUTS)


@st.composite
def rows(draw: st.DrawFn) -> Json:
    """A row with a few odd fields among plain ones."""
    made = row(draw(st.integers(0, 2)), draw(st.integers(0, 1)), draw(st.lists(_ITEM, max_size=7)))
    for fields, target in ((_FIELDS, made), (_ENVELOPE, made["response"])):
        for key in draw(st.lists(st.sampled_from(sorted(fields)), max_size=2)):
            target[key] = draw(fields[key])
    odd: list[Any] = [None, {}, 7]
    made["responses_create_params"] = draw(_INPUT.map(_asked) | st.sampled_from(odd))
    return made


def _asked(given: Any) -> Json:
    return {"input": given, "model": "requested"}


_TALK: list[Json] = [
    message("look", "prt_1"), message("4", "prt_2"), message("", "prt_3"), reasoning("r", "prt_1-reasoning"),
    reasoning("s", "prt_4"), *tool_round("c1", "x"), *tool_round("c2", "y"), {"role": "user", "content": "more"},
    message("same", "prt_1"), {"type": "message", "role": "developer", "content": "d", "id": "prt_2"},
]  # fmt: skip
_ENTRIES: list[tuple[list[Json], list[Json]]] = [
    ([text_part("prt_1", "look")], []),
    ([], [call_part("x", "c1")]),
    ([text_part("prt_2", "4")], []),
]
_ENTRY = st.sampled_from(_ENTRIES)


@st.composite
def observed_rows(draw: st.DrawFn) -> Json:
    """A row with observations, with a trajectory, or both; turns that fit the conversation or do not."""
    made = row(draw(st.integers(0, 2)), 0, [message("4")])
    talk = st.lists(st.sampled_from(_TALK), max_size=8)
    names = draw(st.lists(st.sampled_from(["s", "t", "u"]), max_size=3))
    records = [
        invocation(name, draw(talk), parent_invocation_id=draw(st.sampled_from([None, None, "s", "gone"])))
        for name in names
    ]
    others: list[Json] = [
        tool_call("s", "c1", status="failed"), tool_call("lost", "c1"), compaction("s"), {"kind": "sandbox"},
        compaction("s", outcome="failed"), compaction("s", outcome="failed", trigger="threshold", observed_at=10.5),
        {"invocation_id": "s"},
    ]  # fmt: skip
    records += draw(st.lists(st.sampled_from(others), max_size=2))
    if draw(st.booleans()):
        made["ng_agent_observations"] = bundle(*records, source=draw(st.sampled_from(["opencode", ""])))
    if draw(st.booleans()):
        turns = [
            turn(draw(st.sampled_from(["s", "s", "t"])), number, f"m{number}", *entry, timestamp=stamp)
            for number, (entry, stamp) in enumerate(
                draw(st.lists(st.tuples(_ENTRY, st.sampled_from([9.5, 12, None, "2026"])), max_size=4)), 1
            )
        ]
        more = [invocation(name, draw(talk)) for name in draw(st.lists(st.sampled_from(["s", "v"]), max_size=2))]
        made["ng_trajectory"] = trajectory(turns=turns, invocations=more)
    return made


def written(made: Json) -> bytes:
    return json.dumps(made).encode()


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(made=st.lists(rows(), min_size=1, max_size=4))
def test_a_fast_line_equals_the_full_reading(made: list[Json], tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", *[written(each) for each in made])
    assert listed(path) == in_full(path)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(made=st.lists(observed_rows(), min_size=1, max_size=3))
def test_a_fast_line_of_an_observed_row_equals_the_full_reading(made: list[Json], tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", *[written(each) for each in made])
    assert listed(path) == in_full(path)


def test_ordinary_observed_rows_are_read_fast(tmp_path: Path) -> None:
    talk = [message("look", "prt_1"), *tool_round("c1", "x"), message("4", "prt_2")]
    turns = [
        turn("s", 1, "m1", [text_part("prt_1", "look")], [call_part("x", "c1")]),
        turn("s", 2, "m2", [text_part("prt_2", "4")], []),
    ]
    seen = bundle(invocation("s", talk), tool_call("s", "c1"), compaction("s"))
    made = {**row(0, 0, [message("4")]), "ng_agent_observations": seen}
    path = write(tmp_path / "rollouts.jsonl", made, {**made, "ng_trajectory": trajectory(turns=turns)})
    assert plain(path) == [True, True]
    assert listed(path) == in_full(path)
    assert listed(path)[1].started_at == "1970-01-01T00:00:10.000Z"


def test_ordinary_rows_are_read_fast(tmp_path: Path) -> None:
    talk = [reasoning("r"), message("look"), call("bash", {}, "c"), output("c", "x"), message("4", "m2")]
    failed = row(0, 1, [message("4")])
    failed["response"] |= {"status": "failed", "error": {"code": "x"}}
    assert all(plain(write(tmp_path / "rollouts.jsonl", row(0, 0, talk), failed, row(0, 2, []))))


def test_lines_that_are_no_rollouts_are_the_same_diagnostics(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rollouts.jsonl",
        "nonsense",
        row(0, 0, [message("4")]),
        "",
        " ",
        "{}",
        "[]",
        b"\xff",
        row(0, 1, []),
        end=b"",
    )
    fast, full = opened(path), opened(path)
    assert [s.source.locator for s in fast.summaries()] == ["L2", "L8"]
    assert len(list(full.rollouts())) == 2
    assert fast.diagnostics() == full.diagnostics()
    assert [d.locator for d in fast.diagnostics()] == ["L1", "L5", "L6", "L7"]


def many(tmp_path: Path, count: int = 300) -> Path:
    lines: list[Json | str] = [row(n, 0, [message("x" * (n * 7 % 500))]) for n in range(count)]
    lines[17], lines[200] = "nonsense", ""
    return write(tmp_path / "rollouts.jsonl", *lines)


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_ranges_read_by_helpers_join_without_a_seam(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    path = many(tmp_path)
    expected = in_full(path)
    monkeypatch.setattr(gym_pieces, "ALONE", 10_000)
    monkeypatch.setattr(cores, "usable_cores", lambda: workers)
    assert listed(path) == expected


def test_a_helper_that_cannot_start_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = many(tmp_path)
    expected = in_full(path)
    monkeypatch.setattr(gym_pieces, "ALONE", 10_000)
    monkeypatch.setattr(cores, "usable_cores", lambda: 4)
    for executable in ("/nonexistent/python", "/bin/false"):
        monkeypatch.setattr(sys, "executable", executable)
        assert listed(path) == expected


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 20])
def test_blocks_of_any_size_give_the_same_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    path = write(tmp_path / "rollouts.jsonl", row(0, 0, []), "", row(0, 1, [message("a")]), "x", row(0, 2, []), end=b"")
    monkeypatch.setattr("rollout_loaders.formats.gym_blocks.BLOCK", block)
    assert listed(path) == in_full(path)


def test_a_listed_file_finds_a_rollout_by_its_place(tmp_path: Path) -> None:
    file = opened(many(tmp_path))
    summaries = list(file.summaries())
    found = file.find(summaries[250].source.locator or "")
    assert found is not None
    assert found.id == summaries[250].id


def test_a_file_that_repeats_an_identity_is_listed_by_line(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", row(0, 0, []), row(1, 0, []), row(0, 0, []))
    assert [summary.id for summary in listed(path)] == ["L1", "1-0", "L3"]


def test_text_that_only_the_tolerant_path_reads_is_listed_too(tmp_path: Path) -> None:
    lone = dumped(row(0, 0, [message("4")])).replace(b'"4"', b'"\\ud800"')
    assert listed(write(tmp_path / "rollouts.jsonl", lone)) == in_full(tmp_path / "rollouts.jsonl")
