"""verifiers' results: a scan lists them and says what the full reading says; they are kept, followed, searched."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.loaders.kept_listings import noted_scans, own_cache
from tests.loaders.test_verifiers_results import METADATA, TOOL_CALL, row
from tests.loaders.wider_files import write_document, write_lines

from rollout_loaders.collection import Collection, open_paths
from rollout_loaders.collection.following import Follower
from rollout_loaders.formats import gym_scan, verifiers_scan
from rollout_loaders.index import folder
from rollout_loaders.index.needle import Needle
from rollout_loaders.model import RolloutSummary
from rollout_loaders.summary import summarise

Data = dict[str, Any]
REPLY: Data = {"role": "assistant", "content": "The answer is 4"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_cache(tmp_path, monkeypatch)


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Byte ranges that were scanned from now on."""
    return noted_scans(monkeypatch)


def listed(path: Path) -> tuple[list[RolloutSummary], set[str]]:
    with open_paths([str(path)], reader="verifiers-results") as collection:
        return list(collection.summaries()), _said(collection)


def in_full(path: Path) -> tuple[list[RolloutSummary], set[str]]:
    with open_paths([str(path)], reader="verifiers-results") as collection:
        return [replace(summarise(rollout), findings=None) for rollout in collection.rollouts()], _said(collection)


def _said(collection: Collection) -> set[str]:
    return {str(diagnostic) for diagnostic in collection.diagnostics}


_CONTENTS: list[Any] = (
    [
        "4", "", "  ", None, [], [{"type": "text", "text": "a"}, {"text": "b"}],
        [{"type": "image_url", "image_url": {}}], ["bare"], {"type": "text", "text": "one"}, 7, "<think>x</think>4",
        [{"type": "thinking", "thinking": "t"}],
    ]
)  # fmt: skip
_CALLS: list[Any] = [None, [], [TOOL_CALL], [json.dumps(TOOL_CALL), "no call"], "text"]
_MESSAGE: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["assistant", "assistant", "user", "tool", "system", None]),
        "content": st.sampled_from(_CONTENTS),
    },
    optional={
        "tool_calls": st.sampled_from(_CALLS),
        "function_call": st.sampled_from([None, {}]),
        "refusal": st.sampled_from(["no", ""]),
    },
)
_WHOLE: list[Any] = ["text", "", None, {}]
_TALK: st.SearchStrategy[Any] = st.lists(_MESSAGE | st.sampled_from([None, "bare"]), max_size=4) | st.sampled_from(
    _WHOLE
)
_TIMINGS: list[Any] = (
    [
        None, {}, {"start_time": 5.0, "generation": {"start": 6.0, "end": 8.5}},
        {"generation": {"start": 6, "end": 0}}, {"start_time": "2026-01-01T00:00:00Z", "generation": {"end": "soon"}},
        {"start_time": True}, {"start_time": 10**25},
    ]
)  # fmt: skip
_REWARDS: list[Any] = [1.0, 0.0, 1, None, True, "0.5", float("nan"), 10**25]
_ERRORS: list[Any] = [None, None, "boom", {"error_chain_str": "E"}, ""]
_USAGES: list[Any] = [None, {}, {"input_tokens": 2.0, "output_tokens": True}, {"input_tokens": 2.5}]
_ROW: st.SearchStrategy[Data] = st.fixed_dictionaries(
    {
        "prompt": _TALK,
        "completion": _TALK,
        "reward": st.sampled_from(_REWARDS),
        "error": st.sampled_from(_ERRORS),
        "is_truncated": st.sampled_from([False, True, None]),
        "stop_condition": st.sampled_from(["no_tools_called", "max_turns_reached", "own", None, 5]),
        "timing": st.sampled_from(_TIMINGS),
        "token_usage": st.sampled_from(_USAGES),
    },
    optional={
        "example_id": st.sampled_from([0, 3, "t", None, True, 2.5, 10**25]),
        "id": st.sampled_from([4, "i"]),
        "verifier_error": st.sampled_from(["judge down", ""]),
    },
)
_DAMAGED = st.sampled_from(
    ["no json", "", "[NaN]", '{"a": NaN}', '{"completion": "cut', "\ufeff", '{"completion": "\\ud800"}', "null"]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_ROW | _DAMAGED, min_size=1, max_size=6), st.sampled_from(["\n", ""]), st.booleans())
def test_the_list_says_what_the_full_reading_says(
    tmp_path: Path, rows: list[Data | str], end: str, has_metadata: bool
) -> None:
    (tmp_path / "metadata.json").unlink(missing_ok=True)
    if has_metadata:
        write_document(tmp_path / "metadata.json", METADATA)
    path = write_lines(tmp_path / "results.jsonl", rows, end)
    full = in_full(path)
    assert listed(path) == full  # the index is made
    assert listed(path) == full  # and read


def test_rows_as_verifiers_writes_them_are_plain() -> None:
    for written in (row(), row(error={"error": "E"}, is_truncated=True), row(completion="text", prompt="text")):
        verifiers_scan.plain_fields(json.loads(json.dumps(written)))


def test_a_second_listing_scans_nothing(tmp_path: Path, scanned: list[tuple[int, int]]) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(n) for n in range(30)])
    first = listed(path)
    assert scanned
    scanned.clear()
    assert listed(path) == first
    assert scanned == []


def test_the_first_row_is_there_before_the_rest_is_read(
    tmp_path: Path, scanned: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gym_scan, "STEP", 2_000)
    path = write_lines(tmp_path / "results.jsonl", [row(n) for n in range(30)])
    early = open_paths([str(path)]).early()
    assert next(early).id == "L1"
    assert len(scanned) == 1
    assert [one.id for one in early] == [f"L{number}" for number in range(2, 31)]


def test_rows_of_one_example_stay_called_by_their_lines(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(0), row(0), row(0)])
    with open_paths([str(path)]) as collection:
        assert [(one.id, one.task.task_id) for one in collection.early()] == [("L1", "0"), ("L2", "0"), ("L3", "0")]
        assert not collection.renamed and not collection.diagnostics


def test_a_grown_file_keeps_what_was_scanned(tmp_path: Path, scanned: list[tuple[int, int]]) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(n) for n in range(3)])
    listed(path)
    before = path.stat().st_size
    scanned.clear()
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row(3, reward=0.0)) + "\n")
    rows, _ = listed(path)
    assert [(one.id, one.reward) for one in rows] == [("L1", 1.0), ("L2", 1.0), ("L3", 1.0), ("L4", 0.0)]
    assert [start for start, _ in scanned] == [before]


def test_new_lines_of_a_followed_file_are_new_rows(tmp_path: Path, scanned: list[tuple[int, int]]) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(0)])
    follower = Follower(open_paths([str(path)]))
    assert [one.id for one in follower.summaries()] == ["L1"]
    before = path.stat().st_size
    scanned.clear()
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row(1)) + "\n" + json.dumps(row(2))[:40])
    change = follower.poll()
    assert change is not None and [one.id for one in change.rows] == ["L2"] and not change.replaced
    assert [start for start, _ in scanned] == [before]
    assert follower.load(change.rows[0]).task.task_index == 1


def test_metadata_that_comes_later_is_in_the_next_list(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(), row(reward=float("nan"))])
    assert [one.harness.agent for one in listed(path)[0]] == [None, None]
    write_document(tmp_path / "metadata.json", METADATA)
    assert [one.harness.agent for one in listed(path)[0]] == ["gsm8k", "gsm8k"]
    assert all(one.source.artifacts for one in listed(path)[0])


@pytest.mark.parametrize("switch", ["", "off"])
def test_a_file_that_is_rewritten_gives_no_other_row_for_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, switch: str
) -> None:
    monkeypatch.setenv(folder.SWITCH, switch)
    path = write_lines(tmp_path / "results.jsonl", [row(n) for n in range(4)])
    with open_paths([str(path)]) as collection:
        third = list(collection.summaries())[2]
        # One row more in front, all of one length: at the place of line 3 begins what is line 3 no longer.
        other = write_lines(tmp_path / "other", [row(9), *(row(n) for n in range(4))])
        other.replace(path)
        assert collection.load(third).task.task_index == 1
        write_lines(path, [row(7)])
        with pytest.raises(Exception, match="no longer there"):
            collection.load(third)


def test_a_search_reads_the_lines_that_hold_the_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rollout_loaders.formats.verifiers_rows import VerifiersKind

    rows = [row(n, completion=[REPLY | {"content": "haystack" if n != 11 else "the needle"}]) for n in range(20)]
    path = write_lines(tmp_path / "results.jsonl", rows)
    built: list[str] = []
    real = VerifiersKind.built

    def noted(self: Any, row: Any, rollout_id: str, *given: Any) -> Any:
        built.append(rollout_id)
        return real(self, row, rollout_id, *given)

    monkeypatch.setattr(VerifiersKind, "built", noted)
    with open_paths([str(path)]) as collection:
        assert [rollout.id for rollout in collection.holding(Needle(("needle",), False))] == ["L12"]
        assert collection.has_rollouts
    assert built == ["L12"]


def test_a_line_beyond_its_bound_costs_what_comes_after_it_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(0), row(1), row(2, answer="x" * 3_000_000), row(3)])
    monkeypatch.setenv("ROLLOUT_INSPECT_MAX_LINE", "2000000")
    rows, said = listed(path)
    assert [one.id for one in rows] == ["L1", "L2"]
    assert any("ROLLOUT_INSPECT_MAX_LINE" in one for one in said)
    with open_paths([str(path)]) as collection:
        assert [one.id for one in collection.early()] == ["L1", "L2"]


def test_a_judged_row_names_the_metadata_as_it_is_shown_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(), row(reward=float("nan"))])
    write_document(tmp_path / "metadata.json", METADATA)
    assert [one.source.artifacts for one in listed(path)[0]] == [(str(tmp_path / "metadata.json"),)] * 2
    monkeypatch.chdir(tmp_path)
    assert [one.source.artifacts for one in listed(Path("results.jsonl"))[0]] == [("metadata.json",)] * 2


def test_following_notices_metadata_that_changes(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row()])
    follower = Follower(open_paths([str(path)]))
    assert [one.harness.agent for one in follower.summaries()] == [None]
    write_document(tmp_path / "metadata.json", {"env_id": "e", "model": "m"})
    change = follower.poll()
    assert change is not None and change.replaced == {str(path)}
    assert [one.harness.agent for one in change.rows] == ["e"]


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_at_the_edge_of_all_times_ended_the_reading(tmp_path: Path, time: str) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(timing={"start_time": time}), row()])
    assert listed(path) == in_full(path)
    assert len(listed(path)[0]) == 2


def test_an_example_beyond_64_bits_is_a_name_and_no_number(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(2**63), row(2**63 - 1)])
    (first, second), _ = listed(path)
    assert (first.task.task_index, first.task.task_id) == (None, str(2**63))
    assert second.task.task_index in (None, 2**63 - 1)
    assert listed(path) == in_full(path)


def test_a_file_that_begins_with_a_byte_order_mark_is_known(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(), row()])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    with open_paths([str(path)]) as collection:
        assert [one.source.format for one in collection.summaries()] == ["verifiers-results"] * 2


@pytest.mark.parametrize(
    "odd",
    [{"prompt": "\ud800"}, {"example_id": "\ud800"}, {"example_id": 10**25}, {"timing": {"start_time": "\ud800"}}],
)
def test_one_row_that_json_cannot_store_kept_the_file_from_being_indexed(
    tmp_path: Path, odd: Data, scanned: list[tuple[int, int]]
) -> None:
    path = write_lines(tmp_path / "results.jsonl", [row(), row() | odd | {"reward": float("nan")}, row()])
    before = listed(path)
    assert scanned
    scanned.clear()
    assert listed(path) == before == in_full(path)
    assert scanned == []
