"""Turns of a stored session: CONTRACT 3 and 4, formats 1.4 to 1.6."""

from __future__ import annotations

from tests.loaders.stored_sessions import call, compact, mark, message, reply, session

from rollout_loaders.convert.compactions import compactions
from rollout_loaders.convert.observed import observed
from rollout_loaders.convert.session_usage import session_usage
from rollout_loaders.convert.spawning import spawned
from rollout_loaders.convert.turns import Turns, turns
from rollout_loaders.model import TurnError

COUNTS = {"total": 120, "input": 100, "output": 20, "reasoning": 0, "cache_read": 0, "cache_write": 0, "cost": 0.5}
ZEROS = {"total": None, "input": 0, "output": 0, "reasoning": 0, "cache_read": 0, "cache_write": 0, "cost": 0}


def test_every_assistant_message_but_summaries_is_a_turn_also_one_that_never_ended() -> None:
    stored = session(
        message("user", reply("q")),
        message("assistant", mark("step-start")),
        message("assistant", reply("S"), summary=True),
        message("assistant", time_completed=None, finish=None),
    )
    found = turns(stored, gate=True).turns
    assert [(turn.number, turn.message_id, turn.partial) for turn in found] == [
        (1, "msg_01", False),
        (2, "msg_03", True),
    ]


def test_what_came_in_goes_to_the_next_turn_and_the_rest_is_trailing() -> None:
    stored = session(
        message("user", reply("q"), reply("s", synthetic=True), reply("i", ignored=True), system="rules"),
        message("assistant", reply("4")),
        message("user", reply("unanswered")),
    )
    found = turns(stored, gate=True)
    assert [(m.role, m.text, m.synthetic, m.ignored) for m in found.turns[0].input] == [
        ("system", "rules", False, False),
        ("user", "q", False, False),
        ("user", "s", True, False),
        ("user", "i", False, True),
    ]
    assert [m.text for m in found.trailing_input] == ["unanswered"]


def test_text_that_the_harness_wrote_into_a_reply_is_no_answer_and_not_hidden() -> None:
    """gym-semantics 4.5 leaves synthetic and ignored text out of a turn's answer; here it stands among the inputs."""
    (turn,) = turns(session(message("assistant", reply("note", synthetic=True), reply("4"))), gate=True).turns
    assert turn.answer_text == "4"
    assert [(m.role, m.text, m.synthetic) for m in turn.input] == [("assistant", "note", True)]


def test_a_blank_text_part_is_no_answer_piece() -> None:
    (turn,) = turns(session(message("assistant", reply(""), reply(" \n"), reply("4"))), gate=True).turns
    assert [piece.text for piece in turn.answer] == ["4"]


def test_a_kept_empty_answer_is_a_piece_with_no_text() -> None:
    (turn,) = turns(session(message("assistant", reply("<think>r</think>"))), gate=True).turns
    assert [(piece.id, piece.text) for piece in turn.answer] == [("prt_00_0", "")]
    assert turn.answer_text == ""


def test_order_follows_the_record() -> None:
    parts = [reply("t", kind="reasoning"), reply("one"), call("c1"), reply("two"), call("c2")]
    (turn,) = turns(session(message("assistant", *parts)), gate=True).turns
    assert turn.order == tuple(f"prt_00_{position}" for position in range(5))


def test_two_step_starts_are_a_retry_and_what_stands_before_the_second_is_broken_off() -> None:
    """formats 1.6, 06g2."""
    stored = session(
        message(
            "assistant",
            mark("step-start"),
            reply("first thought", kind="reasoning"),
            call("c1", status="error"),
            mark("step-start"),
            reply("4"),
            mark("step-finish"),
        )
    )
    (turn,) = turns(stored, gate=True).turns
    assert len(turn.retries) == 1
    assert [piece.interrupted for piece in turn.reasoning] == [True]
    assert [one.interrupted for one in turn.tool_calls] == [True]
    assert [(piece.text, piece.interrupted) for piece in turn.answer] == [("4", False)]


def test_two_whole_steps_in_one_message_are_no_retry() -> None:
    parts = [mark("step-start"), reply("a"), mark("step-finish"), mark("step-start"), reply("b"), mark("step-finish")]
    (turn,) = turns(session(message("assistant", *parts)), gate=True).turns
    assert turn.retries == ()
    assert [piece.interrupted for piece in turn.answer] == [False, False]


def test_reverted_messages_stay_and_are_marked() -> None:
    """formats trap 14: everything from the named message on is hidden from the model and still stored."""
    stored = session(
        message("user", reply("one")),
        message("assistant", reply("1")),
        message("user", reply("two")),
        message("assistant", reply("2")),
        revert_message_id="msg_02",
    )
    found = turns(stored, gate=True).turns
    assert [turn.reverted for turn in found] == [False, True]
    assert [m.reverted for m in found[1].input] == [True]


def test_parts_without_a_field_of_their_own_are_kept() -> None:
    (turn,) = turns(session(message("assistant", mark("patch"), mark("hologram"), reply("4"))), gate=True).turns
    kept = turn.extra["parts"]
    assert isinstance(kept, tuple)
    assert [part["type"] for part in kept if isinstance(part, dict)] == ["patch", "hologram"]


def test_a_completed_message_without_finish_says_that_it_never_came_to_its_end() -> None:
    """The step that an overflow refused (formats 1.6), a shell message."""
    (turn,) = turns(session(message("assistant", finish=None)), gate=True).turns
    assert (turn.partial, turn.unfinished is not None) == (False, True)


def test_usage_of_a_turn_is_unknown_where_nothing_was_counted() -> None:
    """formats 1.4: zeros and no `total` in killed and failed rows."""
    stored = session(message("assistant", tokens=COUNTS), message("assistant", tokens=ZEROS))
    first, second = turns(stored, gate=True).turns
    assert dict(first.usage) == {"input": 100, "output": 20, "reasoning": 0, "cached": 0, "cost": 0.5}
    assert set(second.usage.values()) == {None}


def test_session_usage_adds_cache_to_input_and_reasoning_to_output() -> None:
    """gym-semantics 4.4: input + cache.read + cache.write; output + reasoning; all sessions, summaries too."""
    counts = {"total": 100, "input": 50, "output": 20, "reasoning": 7, "cache_read": 20, "cache_write": 3, "cost": 1}
    root = session(message("assistant", tokens=counts), message("assistant", tokens=counts, summary=True))
    child = session(message("assistant", tokens=counts), session_id="ses_2")
    usage = session_usage([root, child])
    assert (usage.input, usage.output, usage.reasoning, usage.cached, usage.cost) == (219, 81, 21, 60, 3.0)


def test_usage_is_unknown_and_not_zero() -> None:
    usage = session_usage([session(message("assistant", tokens=ZEROS), message("assistant"))])
    assert (usage.input, usage.output, usage.cost, usage.counted_by) == (None, None, None, None)


def test_details_that_every_message_gives_as_zero_are_unknown_and_the_total_says_why() -> None:
    usage = session_usage([session(message("assistant", tokens=COUNTS), message("assistant", tokens=COUNTS))])
    assert (usage.reasoning, usage.cached) == (None, None)
    assert "reasoning and cached unknown: no message counts more than 0" in (usage.counted_by or "")
    some = session_usage([session(message("assistant", tokens={**COUNTS, "reasoning": 5}))])
    assert some.reasoning == 5
    assert "; cached unknown: no message" in (some.counted_by or "")


def test_details_are_unknown_when_a_message_has_no_tokens_at_all() -> None:
    counts = {**COUNTS, "reasoning": 5, "cache_read": 5}
    usage = session_usage([session(message("assistant", tokens=counts), message("assistant"))])
    assert (usage.reasoning, usage.cached) == (None, None)
    assert "1 of 2 messages hold no counts" in (usage.counted_by or "")


def test_reasoning_that_an_old_release_counts_in_output_is_said() -> None:
    """formats 1.10: up to 1.3.2 `output` includes the reasoning, `total` shows it (230 = 200 + 30)."""
    counts = {"total": 230, "input": 200, "output": 30, "reasoning": 12, "cache_read": 0, "cache_write": 0}
    usage = session_usage([session(message("assistant", tokens=counts))])
    assert usage.output == 42
    assert "twice" in (usage.counted_by or "")


def test_subagent_calls_lead_to_their_child_and_the_first_one_started_it() -> None:
    """formats trap 8: two task calls, one child; a child that is not in the artifact gives no link."""
    root = session(
        message("assistant", call("t1", name="task", child_session_id="ses_2")),
        message("assistant", call("t2", name="task", child_session_id="ses_2")),
        message("assistant", call("t3", name="task", child_session_id="ses_elsewhere")),
    )
    child = session(message("assistant", reply("4")), session_id="ses_2", parent_id="ses_1")
    found = turns(root, gate=True, sessions={"ses_1", "ses_2"}).turns
    assert [turn.tool_calls[0].child for turn in found] == ["ses_2", "ses_2", None]
    assert found[2].tool_calls[0].extra["child_not_in_this_artifact"] == "ses_elsewhere"
    links = spawned([root, child])
    assert links.by_child["ses_2"].call_id == "t1"
    assert [(gap.code, gap.invocation_id) for gap in links.gaps] == [("subagent_spawn_ambiguous", "ses_2")]


def context(tail: str | None, outcome_error: TurnError | None = None) -> Turns:
    stored = session(
        message("user", reply("one")),
        message("assistant", reply("1")),
        message("user", reply("two")),
        message("assistant", reply("2")),
        message("user", compact(tail=tail), id="msg_04"),
        message("assistant", reply("S"), summary=True, parent_id="msg_04", error=outcome_error),
        message("user", reply("go on", synthetic=True)),
        message("assistant", reply("3")),
    )
    found = compactions(stored, observed(stored, gate=True).first_items)
    return turns(stored, gate=True, kept_from=found.kept_from)


def held(found: Turns) -> list[tuple[bool | None, list[bool | None]]]:
    return [(turn.in_context_at_end, [m.in_context_at_end for m in turn.input]) for turn in found.turns]


def test_context_after_a_compaction_without_tail() -> None:
    assert held(context(None)) == [(False, [False]), (False, [False]), (True, [True])]


def test_context_after_a_compaction_with_a_user_tail() -> None:
    assert held(context("msg_02")) == [(False, [False]), (True, [True]), (True, [True])]


def test_context_after_a_compaction_with_an_assistant_tail() -> None:
    assert held(context("msg_03")) == [(False, [False]), (True, [False]), (True, [True])]


def test_a_compaction_that_was_never_closed_leaves_open_what_an_earlier_one_kept() -> None:
    stored = session(
        message("assistant", reply("1")),
        message("user", compact(), id="msg_01"),
        message("assistant", reply("S"), summary=True, parent_id="msg_01"),
        message("assistant", reply("2")),
        message("user", compact(), id="msg_04"),
        message("assistant", reply(""), summary=True, parent_id="msg_04", time_completed=None, finish=None),
    )
    found = compactions(stored, observed(stored, gate=True).first_items)
    taken = turns(stored, gate=True, kept_from=found.kept_from, open_before=found.open_before)
    assert [turn.in_context_at_end for turn in taken.turns] == [False, None]


def test_a_failed_compaction_takes_nothing_away() -> None:
    assert held(context(None, TurnError("APIError", "503"))) == [(None, [None])] * 3
