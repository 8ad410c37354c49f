"""A paste that holds escape sequences is text: none of it is taken for keys."""

from __future__ import annotations

import pytest
from textual import events
from textual.drivers import linux_driver, linux_inline_driver

from rollout_inspector.pasting import PasteParser, keep_pastes_whole

START, END = "\x1b[200~", "\x1b[201~"
FOREIGN = [
    "a\x1bq",
    "a\x1b[Ab",
    "\x1b[31mred\x1b[0m",
    "a\x1b[Ib",  # else the terminal got the focus
    "a\x1b[48;24;80;1;1tb",  # else it has another size
    "a\x1b[200~b",
    "a\x1b" + "b" * 60,
    "a\x1b",
    "\x1b[201",
    "",
]


def parsed(*chunks: str) -> list[events.Event]:
    parser = PasteParser()
    return [event for chunk in chunks for event in parser.feed(chunk) if isinstance(event, events.Event)]


@pytest.mark.parametrize("text", FOREIGN)
def test_a_paste_that_holds_escape_sequences_is_not_taken_for_keys(text: str) -> None:
    paste, key = parsed(f"{START}{text}{END}Z") if text else (events.Paste(""), *parsed(f"{START}{END}Z")[-1:])
    assert isinstance(paste, events.Paste)
    assert paste.text == text
    assert isinstance(key, events.Key) and key.key == "Z"


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_nor_where_it_arrives_in_pieces(size: int) -> None:
    text = "one\x1b[A two\x1bq \x1b[20"
    rest = f"{text}{END}Z"
    paste, key = parsed(START, *(rest[at : at + size] for at in range(0, len(rest), size)))
    assert isinstance(paste, events.Paste)
    assert paste.text == text
    assert isinstance(key, events.Key) and key.key == "Z"


def test_keys_before_and_after_pastes_stay_keys() -> None:
    found = parsed(f"q{START}one{END}\x1b[A{START}two{END}j\x1b[B")
    assert [event.text if isinstance(event, events.Paste) else getattr(event, "key", None) for event in found] == [
        "q", "one", "up", "two", "j", "down",
    ]  # fmt: skip


def test_the_drivers_use_it() -> None:
    keep_pastes_whole()
    assert [vars(driver)["XTermParser"] for driver in (linux_driver, linux_inline_driver)] == [PasteParser] * 2
