"""What is said on one line of 80 columns is said whole: what is longer wraps."""

from __future__ import annotations

from tests.factories import compaction, rollout, turn
from tests.inspector.tui import app_over, browse, named, opened, press, running, screen_text, write

from rollout_loaders.model import Place

NARROW = (80, 24)


def words_of(text: str) -> str:
    """The text of a screen, wherever its lines were broken."""
    return " ".join(text.split())


async def test_a_filter_error_longer_than_80_columns_is_not_cut() -> None:
    made = [named(rollout(turn(1, answer="4")), task, 0) for task in range(2)]
    async with running(app_over(*made), size=NARROW) as pilot:
        await press(pilot, "f")
        await write(pilot, "finding:nonsense")
        screen = browse(pilot)
        problem = screen.arrangement.problem
        assert problem is not None
        assert len(problem) > 80
        assert words_of(problem) in words_of(screen_text(pilot))
        await press(pilot, "enter")
        assert words_of(screen_text(pilot)).count(words_of(problem)) == 2  # below the filter, and as the refusal
        screen.prompt.hush()
        await press(pilot, "escape")
        assert words_of(problem) not in words_of(screen_text(pilot))
        assert screen.filter_line.size.height == 1


async def test_the_sentence_about_the_context_is_not_cut() -> None:
    made = rollout(*(turn(n, answer="a") for n in range(1, 5)), compactions=(compaction(3, summary="s"),))
    sentence = (
        "unknown what the compaction kept of turns 1 to 3; nothing is hidden that the model may have had at turn 4"
    )
    async with running(app_over(made, place=Place(turn=4)), size=NARROW) as pilot:
        await press(pilot, "b")
        assert sentence in words_of(screen_text(pilot))
        opened(pilot).prompt.hush()
        await press(pilot, "escape")
        assert sentence not in words_of(screen_text(pilot))


async def test_a_message_longer_than_the_screen_takes_half_of_it_and_says_that_it_was_cut() -> None:
    async with running(app_over(rollout(turn(1, answer="a")), place=Place(turn=1)), size=NARROW) as pilot:
        opened(pilot).prompt.say("first " + "word\x1b[2J " * 100_000 + "last", problem=True)
        await pilot.pause()
        text = screen_text(pilot)
        assert opened(pilot).prompt.size.height == NARROW[1] // 2
        assert "first word" in text
        assert text.rstrip().endswith("…")
        assert "\x1b" not in text
