"""The reader of rollouts files: which lines are rollouts, what they are called, what a row's own fields give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.loaders.gym_files import Json, codes, dumped, one, opened, write
from tests.samples.gym_rows import call, failure_older, message, output, reasoning, response, row

from rollout_loaders.document import document
from rollout_loaders.evidence import complete
from rollout_loaders.formats import gym_failures, gym_rollouts
from rollout_loaders.jsondecode import encode
from rollout_loaders.model import Usage
from rollout_loaders.reader import Confidence, ReadOptions


def named(task: int, rollout: int, text: str = "4", **fields: Any) -> Json:
    return row(task, rollout, [message(text)], **fields)


def test_one_rollout_a_row_and_a_diagnostic_for_every_other_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rollouts.jsonl", named(0, 0), "<PLACEHOLDER ROW>", "", '{"no": "response"}', "[1]", named(0, 1)
    )
    file = opened(path)
    rollouts = list(file.rollouts())
    assert [(r.id, r.source.locator) for r in rollouts] == [("0-0", "L1"), ("0-1", "L6")]
    said = [(d.code, d.message.split(": ")[0], d.locator) for d in file.diagnostics()]
    assert said == [("record-unreadable", f"rollouts.jsonl:{line}", f"L{line}") for line in (2, 4, 5)]
    assert all(file.diagnostics()[0] in rollout.diagnostics for rollout in rollouts)


def test_after_a_hundred_unreadable_lines_a_rollout_gives_their_count(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", named(0, 0), *["nonsense"] * 250)
    file = opened(path)
    (rollout,) = file.rollouts()
    assert len(rollout.diagnostics) == 101
    assert "150 more" in rollout.diagnostics[-1].message
    assert len(file.diagnostics()) == 250


def test_a_missing_identity_gives_the_line_as_id(tmp_path: Path) -> None:
    bare = {key: value for key, value in named(0, 0).items() if not key.startswith("_ng")}
    rollout = one(tmp_path, bare)
    assert (rollout.id, codes(rollout)) == ("L1", ["identity-missing"])


def test_rows_that_repeat_an_identity_stay_two_documents_named_by_line(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", named(3, 1), named(3, 1, "5"), named(3, 2))
    rollouts = list(opened(path).rollouts())
    assert [(r.id, codes(r)) for r in rollouts] == [
        ("L1", ["identity-repeated"]),
        ("L2", ["identity-repeated"]),
        ("3-2", []),
    ]
    assert [r.scored.final_text for r in rollouts] == ["4", "5", "4"]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"_ng_task_index": 3, "_ng_rollout_index": 1}, "3-1"),
        ({"_ng_task_index": 3, "_ng_rollout_index": 1, "_ng_attempt_index": 0}, "3-1"),
        ({"_ng_task_index": 3, "_ng_rollout_index": 1, "_ng_attempt_index": 2}, "3-1-a2"),
        ({"_ng_rollout_id": "run.x_1"}, "run.x_1"),
        ({"_ng_task_index": 3, "_ng_rollout_index": 1, "_ng_rollout_id": "own", "_ng_attempt_index": 1}, "own-a1"),
        ({"_ng_task_index": 3}, "L1"),
        ({"_ng_task_index": "3", "_ng_rollout_index": 1}, "L1"),
    ],
)
def test_ids(tmp_path: Path, fields: Json, name: str) -> None:
    bare = {key: value for key, value in named(0, 0).items() if not key.startswith("_ng")}
    assert one(tmp_path, {**bare, **fields}).id == name


def test_attempts_of_one_rollout_are_no_repetition(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", named(0, 0), {**named(0, 0), "_ng_attempt_index": 1})
    assert [r.id for r in opened(path).rollouts()] == ["0-0", "0-0-a1"]


def test_a_complete_last_line_without_its_newline_is_read_and_said(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", named(0, 0), named(0, 1), end=b"")
    assert [codes(r) for r in opened(path).rollouts()] == [[], ["no-final-newline"]]


def test_a_torn_last_line_is_said_and_not_read(tmp_path: Path) -> None:
    torn = dumped(named(0, 1))[:-40]
    file = opened(write(tmp_path / "rollouts.jsonl", named(0, 0), torn, end=b""))
    assert [r.id for r in file.rollouts()] == ["0-0"]
    assert [d.code for d in file.diagnostics()] == ["torn-line"]


def test_damaged_first_lines_do_not_hide_the_rows_after_them(tmp_path: Path) -> None:
    path = write(tmp_path / "x.jsonl", *(b"junk %d" % number for number in range(200)), named(0, 0))
    assert gym_rollouts.READER.sniff(path, path.read_bytes()) is Confidence.CERTAIN
    assert [r.id for r in opened(path).rollouts()] == ["0-0"]


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"reward": 1.0, "policy_response": "4"}, "a grade without the rollout it is of"),
        ({"responses_create_params": {"input": "2+2?"}, "rubric": []}, "a task, not a rollout of it"),
        ({"a": 1}, "without `response`"),
    ],
)
def test_an_object_that_is_no_rollout_is_said_to_be_what_it_is(tmp_path: Path, record: Json, said: str) -> None:
    """A row is an object with a `response`; shared rows of `bbq` and `multichallenge` have none."""
    file = opened(write(tmp_path / "rollouts.jsonl", record, named(0, 0)))
    assert [r.id for r in file.rollouts()] == ["0-0"]
    (diagnostic,) = file.diagnostics()
    assert diagnostic.code == "record-unreadable"
    assert said in diagnostic.message


def test_line_separators_inside_strings_split_nothing(tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\u0085d\x0be"
    assert one(tmp_path, named(0, 0, text)).scored.final_text == text


def test_a_reward_that_is_no_number_is_kept_as_written(tmp_path: Path) -> None:
    raw = dumped(named(0, 0)).replace(b'"reward": 0.0', b'"reward": NaN')
    (rollout,) = opened(write(tmp_path / "rollouts.jsonl", raw)).rollouts()
    record = rollout.evidence.row
    assert record is not None
    assert (record.reward, record.reward_literal, record.has_reward) == (None, "NaN", True)
    assert codes(rollout) == ["non-finite-number"]


@pytest.mark.parametrize(
    ("given", "reward", "literal"),
    [(1, 1.0, None), (-0.5, -0.5, None), (True, None, "true"), ("0.5", None, '"0.5"'), (None, None, None)],
)
def test_rewards(tmp_path: Path, given: object, reward: float | None, literal: str | None) -> None:
    record = one(tmp_path, named(0, 0, reward=given)).evidence.row
    assert record is not None
    assert (record.reward, record.reward_literal) == (reward, literal)


def test_final_text_is_the_last_assistant_message_not_stripped(tmp_path: Path) -> None:
    blocks = [{"type": "output_text", "text": " a"}, {"type": "output_text", "text": "b\n"}]
    last = {"type": "message", "role": "assistant", "id": "m2", "content": blocks}
    rollout = one(tmp_path, row(0, 0, [message("4"), last, reasoning("r")]))
    assert rollout.scored.final_text == " a\nb\n"
    assert (rollout.scored.final_item_id, rollout.scored.final_index) == ("m2", 1)
    assert (rollout.scored.origin.invocation, rollout.scored.origin.turn) == ("root", 2)


def test_an_empty_last_message_is_never_replaced_by_an_earlier_one(tmp_path: Path) -> None:
    rollout = one(tmp_path, row(0, 0, [message("4"), message("", "m2")]))
    assert (rollout.scored.final_text, rollout.final_answer.text) == ("", "")


def test_without_an_assistant_message_there_is_no_final_text(tmp_path: Path) -> None:
    rollout = one(tmp_path, row(0, 0, [reasoning("r"), call("bash", {}, "c"), output("c", "x")]))
    assert rollout.scored.final_text is None
    assert rollout.final_answer.text == ""


def test_a_bare_string_is_shown_and_never_scored(tmp_path: Path) -> None:
    made = row(0, 0, [])
    made["response"]["output"] = ["bare text"]
    rollout = one(tmp_path, made)
    assert rollout.scored.final_text is None
    assert rollout.final_answer.text == "bare text"


def test_assistant_messages_of_the_input_are_never_answers(tmp_path: Path) -> None:
    made = row(0, 0, [])
    made["responses_create_params"]["input"] = [{"role": "user", "content": "q"}, message("an old answer")]
    rollout = one(tmp_path, made)
    assert (rollout.scored.final_text, rollout.final_answer.text) == (None, None)
    assert rollout.root is not None
    assert [m.text for m in rollout.root.trailing_input] == ["q", "an old answer"]


def test_the_prompt_is_the_last_user_text_or_the_whole_string(tmp_path: Path) -> None:
    made = row(0, 0, [message("4")])
    made["responses_create_params"] = {"input": "What is 2+2?", "instructions": "Be brief."}
    rollout = one(tmp_path, made)
    assert rollout.task.prompt == "What is 2+2?"
    assert rollout.root is not None
    assert [(m.role, m.text) for m in rollout.root.turns[0].input] == [
        ("system", "Be brief."),
        ("user", "What is 2+2?"),
    ]
    made["responses_create_params"] = {"input": [{"role": "user", "content": "1"}, {"role": "user", "content": "2"}]}
    assert one(tmp_path, made).task.prompt == "2"


def test_transitions_keep_their_last_list_as_conversation_and_the_others_in_the_stored_lens(tmp_path: Path) -> None:
    made = row(0, 0, [[message("early", "a")], [message("late", "b")]])  # type: ignore[list-item]
    rollout = one(tmp_path, made)
    assert rollout.scored.final_text == "late"
    assert rollout.root is not None
    assert {part.id: part.data.get("id") for part in rollout.root.parts if part.type == "message"} == {
        "input[0]": None,
        "output[0][0]": "a",
        "output[1][0]": "b",
    }


def test_nothing_of_a_row_is_out_of_reach_of_the_stored_lens(tmp_path: Path) -> None:
    made = row(0, 0, [message("4"), "bare", 7], question_id="q", judge_evaluations=[], odd={"deep": ["x"]})  # type: ignore[list-item]
    rollout = one(tmp_path, made)
    assert rollout.root is not None
    parts = {part.id: part for part in rollout.root.parts}
    assert [parts[f"output[{n}]"].data for n in range(3)] == [message("4"), {"value": "bare"}, {"value": 7}]
    assert parts["input[0]"].data == made["responses_create_params"]["input"][0]
    for key, value in made.items():
        kept = parts[key].data[key]
        if key == "response":
            assert kept == {name: inner for name, inner in value.items() if name != "output"}
        elif key == "responses_create_params":
            assert kept == {}
        else:
            assert kept == value


def test_unknown_fields_are_extras_and_table_fields_are_not(tmp_path: Path) -> None:
    record = one(tmp_path, named(0, 0, expected_answer="4", odd=[1], turns_used=1)).evidence.row
    assert record is not None
    assert record.extras == {"expected_answer": "4", "odd": [1]}


def test_usage_details_that_are_null_are_unknown(tmp_path: Path) -> None:
    assert one(tmp_path, named(0, 0)).usage == Usage(210, 40, None, None, None, "response.usage")
    made = named(0, 0)
    made["response"]["usage"] = None
    assert one(tmp_path, made).usage == Usage()


def test_harness_and_task_fields(tmp_path: Path) -> None:
    made: Json = {**named(0, 0), "problem_id": 17, "instance_id": "i"}
    made["response"]["metadata"] = {"pi_version": "0.80.2"}
    rollout = one(tmp_path, made)
    assert (rollout.harness.name, rollout.harness.version) == ("pi", "0.80.2")
    assert (rollout.harness.agent, rollout.harness.model) == ("opencode_agent", "lab-model")
    assert rollout.task.task_id == "17"
    made["_ng_task_id"] = {"taskset": "t", "task_id": "native"}
    assert one(tmp_path, made).task.task_id == "native"


@pytest.mark.parametrize(
    ("fields", "because"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "cut off"),
        ({"status": "incomplete", "incomplete_details": {"reason": "odd"}}, "cut off"),
        ({"status": "incomplete"}, "cut off"),
        ({"status": "failed", "error": {"code": "server_error", "message": "503"}}, "failed"),
        ({"metadata": {"agent_timed_out": "true"}}, "deadline"),
    ],
)
def test_an_answer_that_the_response_calls_unfinished_does_not_stand(
    tmp_path: Path, fields: Json, because: str
) -> None:
    made = row(0, 0, [message("4")])
    made["response"] = {**response([message("4")]), **fields}
    answer = one(tmp_path, made).final_answer
    assert (answer.text, answer.stands) == ("4", False)
    assert because in (answer.because or "")


@pytest.mark.parametrize(
    "broken", [None, 7, "text", [], {"output": None}, {"output": "4"}, {"output": {"role": "user"}}]
)
def test_a_response_of_any_shape_is_a_rollout(tmp_path: Path, broken: object) -> None:
    rollout = one(tmp_path, {**named(0, 0), "response": broken})
    assert rollout.id == "0-0"
    assert rollout.scored.final_text is None


def test_find_by_line_by_name_and_not_at_all(tmp_path: Path) -> None:
    file = opened(
        write(tmp_path / "rollouts.jsonl", "nonsense", named(3, 1), {**named(3, 1, "5"), "_ng_attempt_index": 2})
    )
    for locator, text in [("L2", "4"), ("3-1", "4"), ("L3", "5"), ("3-1-a2", "5")]:
        found = file.find(locator)
        assert found is not None
        assert found.scored.final_text == text
    assert [file.find(locator) for locator in ("L1", "L9", "9-9", "Lx", "")] == [None] * 5


def test_a_large_file_is_searched_without_reading_every_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollout_loaders.formats.gym_file.INDEXED_AT_ONCE", 0)
    path = write(tmp_path / "rollouts.jsonl", named(13, 1), named(1, 1), {**named(3, 1, "5"), "_ng_rollout_id": "own"})
    for locator, name in [("L2", "1-1"), ("1-1", "1-1"), ("own", "own"), ("13-1", "13-1")]:
        found = opened(path).find(locator)
        assert found is not None
        assert found.id == name
    assert opened(path).find("1-2") is None


def test_a_name_beside_another_rows_task_index_is_found_in_a_large_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollout_loaders.formats.gym_file.INDEXED_AT_ONCE", 0)
    own = {**named(9, 9, "5"), "_ng_rollout_id": "3-1"}  # called 3-1, though its indices say 9 and 9
    quoting = {**named(4, 2), "note": '"_ng_task_index": 77'}  # the last mention in the line is not the identity
    path = write(tmp_path / "rollouts.jsonl", named(1, 1), own, quoting)
    for locator, line in (("3-1", "L2"), ("4-2", "L3")):
        found = opened(path).find(locator)
        assert found is not None
        assert (found.id, found.source.locator) == (locator, line)


def test_sniffing_goes_by_content_and_by_name_only_for_what_cannot_be_read(tmp_path: Path) -> None:
    def judged(name: str, *lines: Json | str) -> tuple[Confidence, Confidence]:
        path = write(tmp_path / name, *lines)
        head = path.read_bytes()[:65536]
        return gym_rollouts.READER.sniff(path, head), gym_failures.READER.sniff(path, head)

    no, maybe, certain = Confidence.NO, Confidence.MAYBE, Confidence.CERTAIN
    assert judged("x.txt", named(0, 0)) == (certain, no)
    assert judged("x.jsonl", failure_older(0, 0, "transient", "503", False)) == (no, certain)
    assert judged("long.jsonl", named(0, 0, "x" * 200_000)) == (certain, no)
    assert judged("example_rollouts.jsonl", "<PLACEHOLDER ROW>") == (maybe, no)
    assert judged("rollouts_failures.jsonl", "torn") == (no, maybe)
    assert judged("rollouts_materialized_inputs.jsonl", {"responses_create_params": {}}) == (no, no)
    assert judged("other.jsonl", {"responses_create_params": {}}) == (no, no)
    assert judged("events.jsonl", {"type": "response", "command": "x"}) == (no, no)


def test_a_file_that_changed_since_it_was_listed_gives_nothing_under_an_old_name(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", named(0, 0), named(0, 1))
    file = opened(path)
    assert len(list(file.summaries())) == 2
    for changed in (b"x" * path.stat().st_size, b"".join(dumped(named(5, each)) + b"\n" for each in range(2))):
        path.write_bytes(changed)
        assert file.find("0-1") is None
        assert file.diagnostics()[-1].code == "file-changed"


def test_a_forced_gate_changes_nothing_in_a_row_and_the_route_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", named(0, 0, "<think>r</think>4"))
    (rollout,) = gym_rollouts.READER.open(path, "x", ReadOptions(gym_reasoning=True)).rollouts()
    assert (rollout.scored.final_text, rollout.route.gym_reasoning) == ("<think>r</think>4", False)
    assert "forced gate changes nothing" in rollout.route.because


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_bytes_cost_no_more_than_their_line(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(b"\n".join(dumped(named(task, 0, "4" * task)) for task in range(3)) + b"\n")
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.sampled_from(b'"{}[]:,\\\n\x00\xff0'))
    path = tmp_path / "rollouts.jsonl"
    path.write_bytes(raw)
    file = opened(path)
    rollouts = [complete(rollout) for rollout in file.rollouts()]
    lines = [line for line in bytes(raw).split(b"\n") if line.strip()]
    assert len(rollouts) + len(file.diagnostics()) == len(lines)
    assert all(encode(document(rollout, items=True, parts=True)) for rollout in rollouts)
