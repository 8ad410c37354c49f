"""`diff A B`: totals first, n of N, places that the command line accepts."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.paths import SAMPLES
from tests.samples.gym_rows import message, row
from tests.samples.recording import write_lines

from rollout_inspector.cli import run

BEFORE, AFTER = str(SAMPLES / "split" / "before"), str(SAMPLES / "split" / "after")


def output(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(["diff", *arguments]) == code
    return capsys.readouterr().out


def test_the_split_in_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split() for line in output(capsys, BEFORE, AFTER).splitlines()]
    assert ["final", "answers", "with", "<think>", "or", "</think>", "5", "of", "5", "0", "of", "5"] in lines
    assert ["judge", "requests", "with", "one", "4", "of", "4", "0", "of", "4"] in lines
    assert ["reasoning", "items", "per", "rollout", "0", "1"] in lines
    assert ["moved", "up", "2", "of", "5"] in lines


def test_json_gives_the_totals_and_then_each_pair(capsys: pytest.CaptureFixture[str]) -> None:
    totals, *pairs = map(json.loads, output(capsys, BEFORE, AFTER, "--json").splitlines())
    assert totals["reward"] == {"up": 2, "down": 0, "same": 3, "not_comparable": 0, "sign_test_p": 0.5}
    assert totals["a"]["answers_that_begin_with_think"] == {"n": 5, "of": 5}
    assert [pair["reward_moved"] for pair in pairs].count("up") == 2
    assert {pair["reasoning_moved"] for pair in pairs} == {"out of the answer"}


def test_a_thing_against_itself_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert "0 changed" in output(capsys, AFTER, AFTER, "--exit-code")


def test_an_ungraded_rollout_against_itself_is_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    sample = str(SAMPLES / "killed-run")
    said = output(capsys, sample, sample, "--exit-code")
    assert "1 pair · 0 changed" in said
    assert "Changed rollouts" not in said


def test_exit_code_says_that_something_differs(capsys: pytest.CaptureFixture[str]) -> None:
    output(capsys, BEFORE, AFTER, "--exit-code", code=1)


def test_a_side_without_rollouts_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", str(tmp_path), AFTER]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_comment_stays_under_its_limit_and_counts_what_it_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(tmp_path / "a.jsonl", [row(k, 0, [message(f"answer {k}")], reward=0.0) for k in range(900)])
    write_lines(tmp_path / "b.jsonl", [row(k, 0, [message(f"other {k}")], reward=1.0) for k in range(900)])
    comment = output(capsys, str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), "--output", "markdown")
    assert len(comment.encode()) <= 60_000
    shown = comment.count("turn 1&#58; the answer differs")
    assert 0 < shown < 900
    assert f"… {900 - shown} more rows" in comment


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]


@pytest.mark.parametrize("form", ["markdown", "html", "text"])
def test_nothing_of_a_rollout_is_live_in_a_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    evil = "<script>alert(1)</script> | [x](javascript:1) @team \x1b[2J \u202e ![i](http://example.org/x.png)"
    one = row(0, 0, [message("a")], reward=0.0, failure_reason=evil)
    two = row(0, 0, [message("b")], reward=0.0)
    one["_ng_rollout_id"] = two["_ng_rollout_id"] = evil
    write_lines(tmp_path / "a.jsonl", [one])
    write_lines(tmp_path / "b.jsonl", [two])
    text = output(capsys, str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), "--output", form)
    assert "\x1b" not in text
    assert "\u202e" not in text
    if form == "markdown":
        assert "<script" not in text
        assert "](javascript" not in text
        assert "@team" not in text
    if form == "html":
        tags = Tags()
        tags.feed(text)
        assert "script" not in tags.seen
        assert "img" not in tags.seen
