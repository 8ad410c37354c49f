"""The transcript and its keys, on the rollout of SCREENS.md."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import compaction, invocation, rollout, think_only, tool_call, turn
from tests.inspector.tui import app_over, opened, press, running, screen_text, settled, transcript, write

from rollout_loaders.model import Place, TextPiece


async def test_the_only_rollout_opens_at_once_on_why() -> None:
    async with running(app_over(think_only())) as pilot:
        assert opened(pilot).pane == "evidence"
        assert opened(pilot).evidence.current == "Why"
        assert "Reward 0: the scored text is empty" in screen_text(pilot).replace("\n", " ")


async def test_nothing_to_explain_opens_the_transcript() -> None:
    plain = rollout(turn(1, user="hi", answer="hello"), reward=None, state="not_graded")
    async with running(app_over(replace(plain, findings=()))) as pilot:
        assert opened(pilot).pane == "transcript"


async def test_the_place_of_the_command_line_is_opened() -> None:
    async with running(app_over(think_only(), place=Place(turn=2))) as pilot:
        assert opened(pilot).pane == "transcript"
        assert transcript(pilot).place.turn == 2
        assert "turn 2/3" in screen_text(pilot)


async def test_turns_forward_and_back_and_to_both_ends() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        await press(pilot, "l")
        assert transcript(pilot).place.turn == 2
        await press(pilot, "right")
        assert transcript(pilot).place.turn == 3
        await press(pilot, "h", "left")
        assert transcript(pilot).place.turn == 1
        await press(pilot, "dollar_sign")
        section = transcript(pilot).section
        assert section is not None and section.index == len(transcript(pilot).source.sections) - 1
        await press(pilot, "0")
        assert transcript(pilot).cursor.section == 0


async def test_lenses_keep_the_place_and_say_which_they_are() -> None:
    async with running(app_over(think_only(), place=Place(turn=2))) as pilot:
        assert "lens: observed (2)" in screen_text(pilot)
        await press(pilot, "3")
        assert "lens: scored (3)" in screen_text(pilot)
        assert transcript(pilot).place.turn == 2
        await press(pilot, "2")
        assert transcript(pilot).place.turn == 2


async def test_a_lens_without_evidence_says_why_and_the_next_one_opens() -> None:
    async with running(app_over(think_only(), place=Place(turn=2))) as pilot:
        await press(pilot, "1")
        assert opened(pilot).state.lens != "stored"
        assert opened(pilot).prompt.message.startswith("lens stored:")


async def test_v_goes_round_the_lenses_that_have_something_to_show() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        await press(pilot, "v")
        assert opened(pilot).state.lens == "scored"
        await press(pilot, "v")
        assert opened(pilot).state.lens == "observed"


async def test_unfolding_in_place_and_folding_again() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        view = transcript(pilot)
        await press(pilot, "x")
        assert "more lines" in view.visible_text()
        assert view.visible_text().count("More thought.") == 0
        await press(pilot, "e")
        assert view.visible_text().count("More thought.") == 9


async def test_enter_folds_the_part_under_the_cursor_and_keeps_its_row() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        view = transcript(pilot)
        await press(pilot, "x")
        while view.block is None or view.block.label != "think":
            await press(pilot, "J")
        row = next(index for index, line in enumerate(view.visible_text().split("\n")) if "think" in line)
        await press(pilot, "enter")
        lines = view.visible_text().split("\n")
        assert "think" in lines[row]
        assert view.visible_text().count("More thought.") == 9
        await press(pilot, "enter")
        assert view.visible_text().count("More thought.") == 0


async def test_parts_of_different_messages_that_share_an_id_fold_each_for_itself() -> None:
    def thought(word: str) -> TextPiece:
        return TextPiece("prt_same", f"{word}\n" * 5)

    made = rollout(
        turn(1, reasoning=[thought("first")], answer="a"), turn(2, reasoning=[thought("second")], answer="b")
    )
    async with running(app_over(made, place=Place(turn=1))) as pilot:
        view = transcript(pilot)
        await press(pilot, "e")
        while view.block is None or view.block.label != "think":
            await press(pilot, "J")
        await press(pilot, "enter")
        assert view.visible_text().count("first") == 1
        assert view.visible_text().count("second") == 5


async def test_r_and_t_fold_one_kind_only() -> None:
    long = "\n".join(f"line {number}" for number in range(20))
    made = rollout(turn(1, user="go", reasoning="thinking\n" * 5, tools=(tool_call(output=long),)))
    async with running(app_over(made, place=Place(turn=1))) as pilot:
        view = transcript(pilot)
        await press(pilot, "x", "r")
        assert view.visible_text().count("thinking") == 5
        assert "line 7" not in view.visible_text()
        await press(pilot, "t")
        assert "line 7" in view.visible_text()


async def test_search_counts_and_reaches_what_is_folded() -> None:
    hidden = "\n".join(["nothing"] * 300 + ["the needle"] + ["nothing"] * 300)
    made = rollout(
        turn(1, user="needle first", answer="no"), turn(2, tools=(tool_call(output=hidden),)), turn(3, answer="done")
    )
    async with running(app_over(made, place=Place(turn=1))) as pilot:
        await press(pilot, "x", "slash")
        await write(pilot, "needle")
        await press(pilot, "enter")
        search = opened(pilot).search
        assert search is not None and search.done
        assert [match.section for match in search.matches] == [0, 1]
        assert "match 1 of 2" in screen_text(pilot)
        await press(pilot, "n")
        assert "match 2 of 2" in screen_text(pilot)
        assert "the needle" in transcript(pilot).visible_text()
        await press(pilot, "N")
        assert "match 1 of 2" in screen_text(pilot)
        await press(pilot, "escape")
        assert opened(pilot).search is None


async def test_findings_are_reached_and_said() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        await press(pilot, "right_curly_bracket")
        assert transcript(pilot).place.turn == 3
        assert "empty-final-answer" in opened(pilot).prompt.message
        await press(pilot, "0", "f")
        assert transcript(pilot).place.turn == 3


async def test_boundaries_and_what_the_model_had() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        view = transcript(pilot)
        await press(pilot, "right_square_bracket")
        assert view.section is not None and view.section.kind == "compaction"
        await press(pilot, "left_square_bracket")
        assert "no compaction" in opened(pilot).prompt.message
        await press(pilot, "dollar_sign", "h")
        await press(pilot, "b")
        turns = [section.turn for section in view.source.sections if section.kind == "turn"]
        assert turns == [2, 3]
        assert "only what the model had" in screen_text(pilot)
        await press(pilot, "b")
        assert 1 in [section.turn for section in view.source.sections]


async def test_a_reverted_compaction_takes_no_turn_from_what_the_model_had() -> None:
    reverted = compaction(3, first_kept_turn=3, reverted=True)
    made = rollout(*(turn(number, answer="a") for number in range(1, 6)), compactions=(reverted,))
    async with running(app_over(made, place=Place(turn=5))) as pilot:
        await press(pilot, "b")
        assert [one.turn for one in transcript(pilot).source.sections if one.kind == "turn"] == [1, 2, 3, 4, 5]
        assert "everything since the start" in opened(pilot).prompt.message


async def test_it_says_that_an_open_compaction_leaves_the_context_unknown() -> None:
    left_open = compaction(3, outcome="unknown")
    made = rollout(*(turn(number, answer="a") for number in range(1, 6)), compactions=(left_open,))
    async with running(app_over(made, place=Place(turn=5))) as pilot:
        await press(pilot, "b")
        assert "unknown whether the compaction after turn 3" in opened(pilot).prompt.message
        assert "only what the model may have had" in screen_text(pilot)


async def test_c_goes_to_the_scored_text() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        await press(pilot, "c")
        block = transcript(pilot).block
        assert block is not None and "scored" in block.badge
        assert transcript(pilot).place.turn == 3


async def test_goto_takes_numbers_places_and_items() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        for text, expected in (("2", 2), ("turn:3", 3), ("item:prt_call_2", 2)):
            await press(pilot, "colon")
            await write(pilot, text.replace("_", "_"))
            await press(pilot, "enter")
            assert transcript(pilot).place.turn == expected, text
        await press(pilot, "colon")
        await write(pilot, "77")
        await press(pilot, "enter")
        assert "turn 77 is not in lens observed" in opened(pilot).prompt.message


async def test_y_copies_a_locator_that_the_command_line_takes() -> None:
    async with running(app_over(think_only(), place=Place(turn=2))) as pilot:
        await press(pilot, "y")
        assert pilot.app.clipboard.startswith("rollouts.jsonl#3-1@turn:2")


async def test_y_markdown_holds_place_verdict_and_text() -> None:
    async with running(app_over(think_only(), place=Place(turn=1))) as pilot:
        view = transcript(pilot)
        while view.block is None or view.block.label != "think":
            await press(pilot, "J")
        await press(pilot, "Y")
        assert "rollouts.jsonl#3-1@turn:1" in pilot.app.clipboard
        assert "More thought." in pilot.app.clipboard
        assert "reward 0" in pilot.app.clipboard


async def test_subagents_are_entered_and_left_where_they_were_called() -> None:
    child = invocation(
        turn(1, user="look", answer="found"), ident="ses_child", parent_id="ses_root", spawned_by="call_9"
    )
    made = rollout(
        turn(
            1, user="go", tools=(tool_call("task", {"prompt": "look"}, "found", call_id="call_9", child="ses_child"),)
        ),
        turn(2, answer="done"),
        children=(child,),
    )
    async with running(app_over(made, place=Place(turn=1))) as pilot:
        screen = opened(pilot)
        await press(pilot, "colon")
        await write(pilot, "ses_child/turn:1")
        await press(pilot, "enter")
        assert screen.invocation is not None and screen.invocation.id == "ses_child"
        assert "ses_child" in screen_text(pilot)
        await press(pilot, "escape")
        assert screen.invocation.id == "ses_root"
        assert transcript(pilot).place.turn == 1


async def test_panes_take_turns_and_narrow_screens_show_one() -> None:
    async with running(app_over(think_only(), place=Place(turn=1)), size=(80, 24)) as pilot:
        assert not opened(pilot).evidence.display
        await press(pilot, "tab")
        assert opened(pilot).evidence.display
        assert not transcript(pilot).display
        await press(pilot, "tab", "tab")
        assert transcript(pilot).display
        assert transcript(pilot).has_focus


async def test_why_links_lead_into_the_transcript() -> None:
    async with running(app_over(think_only())) as pilot:
        view = opened(pilot).evidence.view
        while view.block is None or not view.block.links:
            await press(pilot, "J")
        link = view.block.links[0]
        await press(pilot, "enter")
        assert opened(pilot).pane == "transcript"
        assert transcript(pilot).place.turn == link.place.turn


async def test_resizing_keeps_the_line_at_the_top() -> None:
    turns = tuple(turn(number, user=f"question {number}", answer="word " * 60) for number in range(1, 40))
    async with running(app_over(rollout(*turns), place=Place(turn=20))) as pilot:
        assert "question 20" in transcript(pilot).visible_text().split("\n")[0]
        await pilot.resize_terminal(70, 20)
        await settled(pilot)
        assert "question 20" in "\n".join(transcript(pilot).visible_text().split("\n")[:2])
        await pilot.resize_terminal(20, 5)
        await settled(pilot)
        await press(pilot, "j", "k", "l", "tab", "tab", "question_mark", "escape")
        await pilot.resize_terminal(300, 90)
        await settled(pilot)
        assert "turn" in screen_text(pilot)
