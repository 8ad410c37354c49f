"""Rows with their sidecar, verdicts, captures and native sessions (CONTRACT 2, gym-semantics 1.3, 7, 8.1, 10)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.loaders.session_folders import SESSION, write_database, write_result
from tests.samples.gym_rows import failure_newer, failure_older, message, reasoning, row, token_entry

from rollout_loaders.collection import open_paths
from rollout_loaders.model import Rollout
from rollout_loaders.summary import summarise


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def read(*paths: Path) -> dict[str, Rollout]:
    return {rollout.id: rollout for rollout in open_paths([str(path) for path in paths]).rollouts()}


def answered(task: int, rollout: int, text: str = "4", **fields: Any) -> dict[str, Any]:
    return row(task, rollout, [message(text)], reward=1.0, **fields)


def test_a_failed_attempt_is_history_of_its_row_in_a_folder_and_beside_a_named_file(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "run.jsonl", answered(2, 0, _ng_attempt_index=1), answered(3, 0))
    write_rows(tmp_path / "run_failures.jsonl", failure_newer(2, 0, 0, "provider_unavailable", "agent", "503"))
    for found in (read(tmp_path), read(rows)):
        assert list(found) == ["2-0-a1", "3-0"]
        history = found["2-0-a1"].attempts
        assert [(a.attempt, a.kind, a.decides) for a in history] == [(0, "failure", False), (1, "row", True)]
        assert history[0].failure_kind == "provider_unavailable"
        assert history[0].stage == "agent"
        assert found["2-0-a1"].source.artifacts == (str(tmp_path / "run_failures.jsonl"),)
        assert found["2-0-a1"].outcome.status == "completed"
        assert found["3-0"].attempts == ()


def test_the_latest_reserved_attempt_decides_with_newer_collectors(tmp_path: Path) -> None:
    write_rows(tmp_path / "run.jsonl", answered(2, 0, _ng_attempt_index=0))
    write_rows(tmp_path / "run_failures.jsonl", failure_newer(2, 0, 1, "unknown", "agent", "lost"))
    found = read(tmp_path)
    (rollout,) = found.values()
    assert [(a.attempt, a.decides) for a in rollout.attempts] == [(0, False), (1, True)]
    assert rollout.evidence.failures[0].message == "lost"


def test_with_older_collectors_the_main_row_decides(tmp_path: Path) -> None:
    write_rows(tmp_path / "run.jsonl", answered(2, 0))
    write_rows(tmp_path / "run_failures.jsonl", failure_older(2, 0, "transient", "once", False))
    (rollout,) = read(tmp_path).values()
    assert [(a.kind, a.decides) for a in rollout.attempts] == [("failure", False), ("row", True)]
    assert rollout.evidence.failures == ()


def test_a_failure_without_a_row_is_a_rollout_of_its_own_in_a_folder_only(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "run.jsonl", answered(1, 0))
    sidecar = write_rows(
        tmp_path / "run_failures.jsonl",
        failure_newer(7, 0, 0, "unknown", "agent", "first"),
        failure_newer(7, 0, 1, "unknown", "agent", "second"),
        failure_newer(1, 0, 0, "unknown", "agent", "of a row"),
    )
    found = read(tmp_path)
    assert list(found) == ["1-0", "7-0", "7-0-a1"]
    assert found["7-0"].source.path == str(sidecar)
    assert [(a.attempt, a.decides) for a in found["7-0"].attempts] == [(0, False), (1, True)]
    assert list(read(rows)) == ["1-0"]
    assert list(read(sidecar)) == ["7-0", "7-0-a1", "1-0"]


def test_every_row_is_a_document_even_when_its_identity_repeats(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "run.jsonl", answered(1, 0, "a"), answered(1, 0, "b"))
    rollouts = list(open_paths([str(path)]).rollouts())
    assert [r.scored.final_text for r in rollouts] == ["a", "b"]
    assert [r.id for r in rollouts] == ["L1", "L2"]


def test_two_rollouts_files_of_one_folder_do_not_share_rows(tmp_path: Path) -> None:
    write_rows(tmp_path / "a.jsonl", answered(1, 0, "a"))
    write_rows(tmp_path / "b.jsonl", answered(1, 0, "b"))
    rollouts = list(open_paths([str(tmp_path)]).rollouts())
    assert [(r.source.path, r.scored.final_text) for r in rollouts] == [
        (str(tmp_path / "a.jsonl"), "a"),
        (str(tmp_path / "b.jsonl"), "b"),
    ]


def test_verdicts_captures_and_tokens_are_joined_by_rollout(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rollouts.jsonl", answered(1, 0), answered(2, 0, _ng_attempt_index=1))
    verdict = {"_ng_task_index": 1, "_ng_rollout_index": 0, "rollout_id": "1-0", "verdict": "unhealthy"}
    write_rows(tmp_path / "rollout_verdicts.jsonl", {**verdict, "findings": [], "unobserved": []})
    write_rows(tmp_path / "2-0-a1.capture.jsonl", {"model_call_id": "c1", "dialect": "chat", "status_code": 200})
    write_rows(tmp_path / "1-0.tokens.jsonl", token_entry("1-0", "c0", "4", 1.0))
    (tmp_path / "1-0.tokens.incomplete").touch()
    for found in (read(tmp_path), read(rows)):
        first, second = found["1-0"], found["2-0-a1"]
        assert first.evidence.recorded_health is not None
        assert first.evidence.recorded_health.verdict == "unhealthy"
        assert [entry.call_id for entry in first.evidence.token_entries] == ["c0"]
        assert any(d.code == "capture-incomplete" for d in first.diagnostics)
        assert set(first.source.artifacts) == {
            str(tmp_path / name) for name in ("rollout_verdicts.jsonl", "1-0.tokens.jsonl", "1-0.tokens.incomplete")
        }
        assert [call.call_id for call in second.evidence.model_calls] == ["c1"]
        assert second.evidence.recorded_health is None


def test_a_native_session_in_a_folder_of_the_rollouts_id_gives_the_stored_lens(tmp_path: Path) -> None:
    text = "<think>\nfour\n</think>\n\n4"
    split = row(1, 0, [reasoning("four"), message("4")], reward=1.0)
    write_rows(tmp_path / "rollouts.jsonl", split, answered(2, 0))
    (tmp_path / "1-0").mkdir()
    database = write_database(tmp_path / "1-0" / "observations.db", (SESSION, None, (text,)))
    write_result(tmp_path / "1-0" / "result.json")
    for found in (read(tmp_path), read(tmp_path / "rollouts.jsonl")):
        assert list(found) == ["1-0", "2-0"]
        joined = found["1-0"]
        assert joined.source.format == "gym-rollouts"
        assert joined.scored.reading == "row"
        assert joined.scored.final_text == "4"
        assert str(database) in joined.source.artifacts
        assert joined.root is not None
        assert any(part.data.get("text") == text for part in joined.root.parts)
        assert joined.evidence.run_result is not None


def test_verdicts_beside_two_files_of_other_names_belong_to_neither(tmp_path: Path) -> None:
    verdict: dict[str, Any] = {
        "_ng_task_index": 1,
        "_ng_rollout_index": 0,
        "verdict": "unhealthy",
        "findings": [],
        "unobserved": [],
    }
    write_rows(tmp_path / "rollout_verdicts.jsonl", verdict)
    write_rows(tmp_path / "a.jsonl", answered(1, 0))
    assert read(tmp_path / "a.jsonl")["1-0"].evidence.recorded_health is not None
    write_rows(tmp_path / "b.jsonl", answered(1, 0))
    for path in (tmp_path, tmp_path / "a.jsonl"):
        assert all(r.evidence.recorded_health is None for r in open_paths([str(path)]).rollouts())


THINK = "<think>\nfour\n</think>\n\n4"


def joined(folder: Path, output: list[dict[str, Any]], stored: str, **fields: Any) -> Rollout:
    """One row with these scored items beside a native session that stored this text."""
    write_rows(folder / "rollouts.jsonl", row(1, 0, output, reward=1.0, **fields))
    (folder / "1-0").mkdir()
    write_database(folder / "1-0" / "opencode.db", (SESSION, None, (stored,)))
    (rollout,) = read(folder).values()
    return rollout


def test_a_row_scored_before_the_split_decides_that_the_gate_was_off(tmp_path: Path) -> None:
    rollout = joined(tmp_path, [message(THINK)], THINK)
    assert rollout.route.gym_reasoning is False
    assert rollout.route.because.startswith("the joined row decides, the split was off")
    assert rollout.root is not None
    assert rollout.root.turns[0].answer_text == THINK
    assert rollout.scored.final_text == THINK
    assert rollout.scored.others == ()
    assert (rollout.scored.origin.invocation, rollout.scored.origin.turn) == (SESSION, 1)


def test_a_row_scored_after_the_split_decides_that_the_gate_was_on(tmp_path: Path) -> None:
    rollout = joined(tmp_path, [message("4")], THINK)
    assert rollout.route.gym_reasoning is True
    assert rollout.route.forced is False
    assert rollout.root is not None
    assert rollout.root.turns[0].reasoning_text == "\nfour\n"
    assert rollout.final_answer.text == "4"
    assert rollout.scored.others == ()


def test_a_row_that_scored_another_text_than_its_session_says_so(tmp_path: Path) -> None:
    rollout = joined(tmp_path, [message("7")], "4")
    assert rollout.scored.final_text == "7"
    assert [(other.reading, other.final_text) for other in rollout.scored.others] == [("store:host-response", "4")]
    assert any(finding.code == "scored-differs-from-store" for finding in rollout.findings)


def test_a_native_folder_is_not_a_rollout_of_its_own_once_it_is_joined(tmp_path: Path) -> None:
    write_rows(tmp_path / "rollouts.jsonl", answered(1, 0))
    for name in ("1-0", "9-9"):
        (tmp_path / "native" / name).mkdir(parents=True)
        write_database(tmp_path / "native" / name / "opencode.db", (SESSION, None, ("4",)))
    rollouts = list(open_paths([str(tmp_path)]).rollouts())
    assert [(r.id, r.source.path) for r in rollouts] == [
        ("1-0", str(tmp_path / "rollouts.jsonl")),
        (SESSION, str(tmp_path / "native" / "9-9" / "opencode.db")),
    ]


def test_summaries_say_what_the_whole_rollouts_say(tmp_path: Path) -> None:
    write_rows(tmp_path / "run.jsonl", answered(2, 0), answered(3, 0, "", failure_reason="empty_final_answer"))
    write_rows(
        tmp_path / "run_failures.jsonl",
        failure_newer(2, 0, 1, "unknown", "agent", "lost"),
        failure_newer(8, 0, 0, "unknown", "seed", "never ran"),
    )
    collection = open_paths([str(tmp_path)])
    whole = [summarise(rollout) for rollout in collection.rollouts()]
    fast = list(collection.summaries())
    assert [s.id for s in fast] == ["2-0", "3-0", "8-0"]
    for one, other in zip(fast, whole, strict=True):
        assert (one.state, one.reward, one.status, one.answer_chars) == (
            other.state,
            other.reward,
            other.status,
            other.answer_chars,
        )
    for summary, rollout in zip(fast, collection.rollouts(), strict=True):
        assert collection.load(summary) == rollout


def test_one_row_is_found_by_every_locator(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "run.jsonl", answered(1, 0, "a"), answered(3, 1, "b", _ng_attempt_index=2))
    for name, text in (("1-0", "a"), ("L1", "a"), ("3-1-a2", "b"), ("L2", "b"), ("3-1", "b")):
        (rollout,) = open_paths([f"{path}#{name}"]).rollouts()
        assert rollout.scored.final_text == text, name


def test_attempts_beyond_two_hundred_are_cut_with_a_word_on_where_the_rest_is(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "run.jsonl", answered(2, 0, _ng_attempt_index=250))
    failures = [failure_newer(2, 0, number, "unknown", "agent", "lost") for number in range(250)]
    sidecar = write_rows(tmp_path / "run_failures.jsonl", *failures)
    (rollout,) = read(rows).values()
    (said,) = [one.message for one in rollout.diagnostics if one.code == "attempts-bounded"]
    assert said.startswith(f"251 records share this task and rollout; {len(rollout.attempts)} of them stand here")
    assert "name the failures file itself" in said
    assert len(read(sidecar)) == 250  # and that is so
