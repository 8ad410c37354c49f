"""Quantities, clipping, natural order, cells, plots: unknown is never zero, nothing is left out unsaid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollout_loaders.natural_order import natural_key
from rollout_views.cells import cell_width, fit_cells, wrap_cells
from rollout_views.formatting import clip, count, duration, exact, quantity, reward_number, size
from rollout_views.sparkline import bar, histogram, sparkline


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (None, "·"), (0, "0"), (999, "999"), (1000, "1k"), (4100, "4.1k"), (12_400, "12.4k"), (98_200, "98.2k"),
        (218_573, "219k"), (999_999, "1M"), (1_234_567, "1.2M"), (-4100, "-4.1k"), (0.5, "0.5"),
    ],
)  # fmt: skip
def test_count(number: float | None, shown: str) -> None:
    assert count(number) == shown


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (None, "·"),
        (0, "0ms"),
        (40, "40ms"),
        (1200, "1.2s"),
        (63_000, "1m 03s"),
        (552_000, "9m 12s"),
        (7_500_000, "2h 05m"),
    ],
)
def test_duration(milliseconds: int | None, shown: str) -> None:
    assert duration(milliseconds) == shown


def test_other_quantities() -> None:
    assert (exact(218_573), exact(None)) == ("218,573", "·")
    assert (size(512), size(1_234_567), size(None)) == ("512 B", "1.2 MB", "·")
    assert (quantity(1, "line"), quantity(1_204, "character")) == ("1 line", "1,204 characters")
    assert [reward_number(value) for value in (1.0, 0.0, 0.25, -1.0, None)] == ["1", "0", "0.25", "-1", "·"]
    assert [reward_number(value) for value in (0.9999999, 1e-9)] == ["0.9999999", "1e-09"]


def test_clip_says_what_it_leaves_out() -> None:
    assert clip("a\nb\nc\nd", 2) == ("a\nb", 2, 4)
    assert clip("a\nb\nc\nd", 2).note == "… 2 more lines"
    assert clip("abc", None, 2).note == "… 1 more character"
    assert clip("a\nb", 2) == ("a\nb", 0, 0)
    assert clip("a\nb", 2).note == ""


@given(st.text(alphabet="ab\n", max_size=40), st.integers(1, 5), st.integers(1, 20))
def test_clip_counts_everything(text: str, lines: int, characters: int) -> None:
    shown = clip(text, lines, characters)
    assert len(shown.text) + shown.more_chars == len(text)
    assert shown.text.count("\n") + shown.more_lines == text.count("\n")


def test_natural_order() -> None:
    assert sorted(["s10", "s2", "s1", "a", "10", "9"], key=natural_key) == ["9", "10", "a", "s1", "s2", "s10"]


def test_natural_order_of_a_million_digits_is_no_attack() -> None:
    assert natural_key("9" * 1_000_000) > natural_key("8" * 1_000_000)


@given(st.lists(st.text(max_size=8), max_size=8))
def test_natural_order_is_an_order_on_any_text(texts: list[str]) -> None:
    other_way = list(reversed(texts))
    assert sorted(other_way, key=natural_key) == sorted(texts, key=natural_key)


def test_cells() -> None:
    assert cell_width("abc") == 3
    assert cell_width("日本") == 4
    assert cell_width("e\u0301") == 1
    assert fit_cells("日本語", 4) == "日…"
    assert fit_cells("abc", 3) == "abc"


@given(st.text(st.characters(blacklist_characters="\n", blacklist_categories=["Cs"]), max_size=80), st.integers(2, 12))
def test_wrapping_leaves_nothing_out_but_the_space_it_breaks_at(text: str, width: int) -> None:
    pieces = list(wrap_cells(text, width))
    assert all(cell_width(piece) <= width for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


def test_sparkline_marks_the_unknown() -> None:
    assert sparkline([0, None, 7]) == "▁·█"
    assert sparkline([]) == ""
    assert sparkline([None]) == "·"
    assert len(sparkline(list(range(1000)), 60)) == 60


def test_histogram_and_bar() -> None:
    assert histogram([0.0, 0.0, 1.0], 4) == "█▁▁▅"
    assert bar(0.5, 1.0, 4) == "  ██"
    assert bar(0.0, 0.0, 4) == "█   "
