"""Foreign text: nothing that a terminal obeys or an eye misses survives, and nothing else is touched."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.views.hostile import TEXTS, unsafe_in

from rollout_views.foreign import visible, visible_line

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=60)


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_text_holds_nothing_unsafe_afterwards(name: str) -> None:
    assert unsafe_in(visible(TEXTS[name])) == set()


@given(ANY_TEXT)
def test_any_text_holds_nothing_unsafe_afterwards(text: str) -> None:
    assert unsafe_in(visible(text)) == set()


def test_every_control_has_its_own_form() -> None:
    controls = [chr(code) for code in range(0x20) if chr(code) not in "\n\t"] + [
        chr(code) for code in range(0x7F, 0xA0)
    ]
    shown = [visible(char) for char in controls]
    assert len(set(shown)) == len(controls)
    assert shown[controls.index("\x1b")] == "⟨ESC⟩"
    assert shown[controls.index("\x9b")] == "⟨U+009B⟩"
    assert shown[controls.index("\x7f")] == "⟨DEL⟩"


def test_newline_and_tab_stay() -> None:
    assert visible("a\n\tb") == "a\n\tb"


def test_a_text_that_looks_like_a_form_is_told_from_the_character() -> None:
    assert visible("⟨ESC⟩") == "⟨U+27E8⟩ESC⟩"
    assert visible("\x1b") == "⟨ESC⟩"


@given(ANY_TEXT, ANY_TEXT)
def test_two_texts_never_look_the_same(one: str, other: str) -> None:
    assert (visible(one) == visible(other)) == (one == other)


def test_plain_brackets_stay() -> None:
    assert visible("⟨x, y⟩ is an inner product") == "⟨x, y⟩ is an inner product"


@pytest.mark.parametrize(
    "text", ["👨\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3", "🏳\ufe0f\u200d🌈", "می\u200cخواهم", "क\u094d\u200dष"]
)
def test_joiners_that_draw_something_stay(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("text", ["pass\u200dword", "a\u200c", "x\ufe0f", "\u200d", "❤\ufe0f\ufe0f"])
def test_joiners_that_only_hide_are_shown(text: str) -> None:
    assert "⟨U+" in visible(text)


def test_wide_and_combining_characters_stay() -> None:
    text = "日本語 e\u0301 Ω 🎉 \u00a0"
    assert visible(text) == text


def test_one_line_shows_newline_and_tab_without_mistaking_them() -> None:
    assert visible_line("a\nb\tc") == "a⏎b⇥c"
    assert visible_line("a⏎b") == "a⟨U+23CE⟩b"


def test_text_without_anything_to_show_is_returned_itself() -> None:
    for text in ("plain " * 10, "größe " * 10):
        assert visible(text) is text


def test_every_code_point_is_handled() -> None:
    whole = "".join(map(chr, range(sys.maxunicode + 1)))
    assert unsafe_in(visible(whole)) == set()


def test_megabytes_take_no_time() -> None:
    text = "a line of ordinary tool output, ünïcode too\n" * 50_000
    start = time.process_time()
    visible(text)
    assert time.process_time() - start < 1.0
