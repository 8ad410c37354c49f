"""Pi replies that never ended, retries and compactions."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from tests.loaders.pi_logs import (
    TWO_TURNS,
    Event,
    answers,
    assistant,
    delta,
    end,
    event,
    header,
    lines_of,
    only_call,
    read_log,
    run,
    start,
    text,
    user,
)

from rollout_loaders.model import Rollout
from rollout_views.context import context_at
from rollout_views.transcript import blocks


def test_a_killed_reply_is_a_partial_turn_with_the_text_of_its_deltas(tmp_path: Path) -> None:
    """CONTRACT 4.7; formats trap 15: the snapshot runs ahead and is not believed."""
    ahead = {"partial": {"content": [text("a long partial answer")]}}
    rollout = read_log(
        tmp_path,
        [
            *run(*TWO_TURNS[:4])[:-1],
            start(assistant(stop="pending")),
            delta("thinking", 0, "so "),
            delta("text", 1, "a lo", **ahead),
            delta("thinking", 0, "far"),
            delta("text", 1, "ng parti", **ahead),
        ],
    )
    assert rollout.root is not None
    turn = rollout.root.turns[-1]
    assert (turn.partial, turn.finish, turn.reasoning_text, turn.answer_text) == (True, None, "so far", "a long parti")
    assert turn.answer[0].interrupted
    assert turn.usage == {}
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("a long parti", False)
    assert rollout.scored.final_text == "Looking."
    assert "a long parti" in json.dumps([dict(part.data) for part in rollout.root.parts])


def test_a_reply_killed_while_it_was_written_is_not_said_to_be_out_of_context(tmp_path: Path) -> None:
    """Nothing dropped it, and nothing says that the model's context held it."""
    killed = [start(assistant(stop="pending")), delta("text", 0, "a long parti")]
    rollout = read_log(tmp_path, [*run(*TWO_TURNS[:4])[:-1], *killed])
    assert rollout.root is not None
    assert [(turn.partial, turn.in_context_at_end) for turn in rollout.root.turns] == [(False, True), (True, None)]
    shown = list(blocks(rollout, "observed"))
    assert not [block for block in shown if block.out_of_context or "out of context" in block.title]


def test_a_killed_call_keeps_what_came_of_its_arguments(tmp_path: Path) -> None:
    name = event(
        "message_update",
        assistantMessageEvent={"type": "toolcall_start", "contentIndex": 0, "id": "c9", "toolName": "bash"},
    )
    rollout = read_log(tmp_path, [*run()[:-1], start(assistant()), name, delta("toolcall", 0, '{"command": "ech')])
    tool = only_call(rollout)
    assert (tool.call_id, tool.name, tool.arguments, tool.status) == ("c9", "bash", '{"command": "ech', "incomplete")


def test_a_reply_whose_end_was_damaged_is_taken_from_its_deltas(tmp_path: Path) -> None:
    before = lines_of([*run()[:-1], start(assistant()), delta("text", 0, "The answer "), delta("text", 0, "is 4.")])
    after = lines_of([event("turn_end", message={}), event("agent_end", messages=[])])
    rollout = read_log(tmp_path, before + b'{"type":"message_end","message":{"role":"assis\n' + after)
    assert (rollout.final_answer.text, rollout.final_answer.stands) == ("The answer is 4.", False)
    assert [(d.code, d.locator) for d in rollout.diagnostics] == [("record-unreadable", "L8")]


def test_a_long_update_line_is_read_again_only_when_it_is_needed(tmp_path: Path) -> None:
    snapshot = {"partial": {"content": [text("x" * 70_000)]}}
    cut = [*run()[:-1], start(assistant()), delta("text", 0, "one ", **snapshot), delta("text", 0, "two")]
    assert answers(read_log(tmp_path, cut)) == ["one two"]
    assert answers(read_log(tmp_path, [*cut, end(assistant(text("whole")))])) == ["whole"]


def test_an_input_whose_end_is_missing_is_kept_from_its_start(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, [header(), event("agent_start"), start(user("What is 2+2?"))])
    assert rollout.root is not None
    assert [message.text for message in rollout.root.trailing_input] == ["What is 2+2?"]


def test_quadratic_snapshots_do_not_stay_in_memory(tmp_path: Path) -> None:
    said = ""
    lines = [*run()[:-1], start(assistant())]
    for index in range(1500):
        said += f"word {index} "
        lines.append(delta("text", 0, f"word {index} ", partial={"content": [text(said)]}))
    raw = lines_of([*lines, end(assistant(text(said)))])
    tracemalloc.start()
    rollout = read_log(tmp_path, raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rollout.final_answer.text == said
    assert len(raw) > 10_000_000
    assert peak < len(raw) / 4


def test_a_retry_belongs_to_the_reply_that_failed(tmp_path: Path) -> None:
    rollout = read_log(
        tmp_path,
        [
            *run(end(assistant(error="429 Rate limit exceeded"))),
            event("auto_retry_start", attempt=1, maxAttempts=3, delayMs=200, errorMessage="429 Rate limit exceeded"),
            event("agent_start"),
            end(assistant(text("4"))),
            event("auto_retry_end", success=True, attempt=1),
            event("agent_end", messages=[assistant(text("4"))]),
        ],
    )
    assert rollout.root is not None
    failed, good = rollout.root.turns
    assert [(retry.attempt, retry.reason) for retry in failed.retries] == [(1, "429 Rate limit exceeded")]
    assert failed.error is not None
    assert (failed.error.status_code, failed.in_context_at_end) == (429, False)
    assert good.retries == ()
    assert rollout.root.status == "completed"
    assert rollout.final_answer.stands


def test_text_of_a_broken_stream_is_kept(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, run(end(assistant(text("partial answer that is c"), error="terminated"))))
    assert rollout.root is not None
    assert rollout.root.turns[0].answer[0].interrupted
    assert rollout.scored.final_text == "partial answer that is c"
    assert not rollout.final_answer.stands


RESULT = {"summary": "SUM", "firstKeptEntryId": "ab12cd34", "tokensBefore": 164, "estimatedTokensAfter": 20}


def compactions(rollout: Rollout) -> list[tuple[str | None, str, int | None, bool]]:
    assert rollout.root is not None
    return [(one.trigger, one.outcome, one.after_turn, one.lone_end) for one in rollout.root.compactions]


def test_a_compaction_that_worked(tmp_path: Path) -> None:
    events = [
        event("compaction_start", reason="overflow"),
        event("compaction_end", reason="overflow", result=RESULT, aborted=False),
    ]
    rollout = read_log(
        tmp_path,
        [
            *run(end(assistant(error="400 maximum context length"))),
            *events,
            event("agent_start"),
            end(assistant(text("4"))),
        ],
    )
    assert compactions(rollout) == [("overflow", "completed", 1, False)]
    assert rollout.root is not None
    (found,) = rollout.root.compactions
    assert (found.summary, found.tokens_before, found.tokens_after) == ("SUM", 164, 20)
    assert (found.first_kept_item_id, found.extra["first_kept_entry_id"]) == (None, "ab12cd34")
    assert [gap.code for gap in rollout.gaps] == ["compaction_first_kept_item_unavailable"]


def test_which_turns_a_compaction_kept_is_not_guessed(tmp_path: Path) -> None:
    events = [event("compaction_start", reason="threshold"), event("compaction_end", reason="threshold", result=RESULT)]
    rollout = read_log(tmp_path, run(end(assistant(text("a"))), *events, end(assistant(text("b")))))
    assert rollout.root is not None
    assert [turn.in_context_at_end for turn in rollout.root.turns] == [None, True]


def test_an_overflow_compaction_whose_kept_entry_is_not_known_hides_no_turn_that_it_may_have_kept(
    tmp_path: Path,
) -> None:
    """Recorded: the request after such a compaction still held the turn before the refused one (pi 0.80.2, `07b`)."""
    events = [event("compaction_start", reason="overflow"), event("compaction_end", reason="overflow", result=RESULT)]
    replies = [end(assistant(text("step 1"))), end(assistant(text("step 2"))), end(assistant(error="400 too long"))]
    rollout = read_log(tmp_path, run(*replies, *events, end(assistant(text("4")))))
    assert rollout.root is not None
    # The refused reply is taken out by Pi itself (formats 2.5).
    assert [turn.in_context_at_end for turn in rollout.root.turns] == [None, None, False, True]
    found = context_at(rollout, None, 4)
    assert [found.holds(number) for number in (1, 2)] == [True, True]
    assert found.sentence.startswith("unknown what the compaction kept of turns 1 to 3")
    (consequence,) = [block.title for block in blocks(rollout, "observed") if block.label == "context"]
    assert consequence == "which of the turns above the model kept beside the summary is not recorded"


def test_a_start_that_nothing_closes_is_unknown(tmp_path: Path) -> None:
    rollout = read_log(tmp_path, [*run(end(assistant(text("4")))), event("compaction_start", reason="overflow")])
    assert compactions(rollout) == [("overflow", "unknown", 1, False)]
    assert not rollout.final_answer.stands


def test_a_lone_end_is_flagged(tmp_path: Path) -> None:
    lone = event(
        "compaction_end", reason="overflow", aborted=False, errorMessage="Context overflow recovery failed after one …"
    )
    assert compactions(read_log(tmp_path, [*run(end(assistant(error="400 x"))), lone])) == [
        ("overflow", "failed", 1, True)
    ]


def test_two_starts_then_two_ends(tmp_path: Path) -> None:
    """Formats trap 9 (`pi-0.73.1/07f`)."""
    starts = [event("compaction_start", reason="threshold")] * 2
    ends = [
        event("compaction_end", reason="threshold", errorMessage="Cannot read properties of undefined", aborted=False),
        event("compaction_end", reason="threshold", result=RESULT, aborted=False),
    ]
    rollout = read_log(tmp_path, run(end(assistant(text("4"))), *starts, *ends))
    assert [(outcome, lone) for _, outcome, _, lone in compactions(rollout)] == [
        ("failed", False),
        ("completed", False),
    ]


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"aborted": True, "result": RESULT}, "aborted"),
        ({"result": RESULT, "errorMessage": "x"}, "completed"),
        ({"errorMessage": "x"}, "failed"),
        ({"result": None}, "unknown"),
    ],
)
def test_the_outcome_of_a_compaction_follows_gyms_order(fields: Event, outcome: str, tmp_path: Path) -> None:
    """gym-semantics 5.2."""
    events = [event("compaction_start", reason="manual"), event("compaction_end", **fields)]
    assert compactions(read_log(tmp_path, run(end(assistant(text("4"))), *events))) == [("manual", outcome, 1, False)]


def test_summary_retries_are_kept_with_their_compaction(tmp_path: Path) -> None:
    events = [
        event("compaction_start", reason="overflow"),
        event("summarization_retry_scheduled", attempt=1, maxAttempts=3, errorMessage="503 overloaded"),
        event("compaction_end", reason="overflow", errorMessage="Context overflow recovery failed: 503 overloaded"),
    ]
    rollout = read_log(tmp_path, run(end(assistant(error="400 x")), *events))
    assert rollout.root is not None
    assert rollout.root.compactions[0].extra["summary_retries"] == [{"attempt": 1, "error": "503 overloaded"}]
