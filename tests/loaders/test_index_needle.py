"""Which lines may hold a text: never one too few, however a writer escaped it, wherever blocks and ranges are cut."""

from __future__ import annotations

import json
import random
import re
import string
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.gym_files import dumped, write
from tests.samples.gym_rows import message, row

from rollout_loaders.collection import open_paths
from rollout_loaders.index import folder, needle, needle_helpers, needle_scan, opened
from rollout_loaders.index.needle import Needle, needle_of


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(folder.SWITCH, "off")


def numbers(path: Path, word: str, ignore_case: bool = False, workers: int = 1) -> list[int]:
    return [line.number for line in Needle((word,), ignore_case).lines(path, workers)]


@pytest.mark.parametrize(
    ("pattern", "flags", "expected"),
    [
        ("overflow", 0, ("overflow", False)),
        ("OverFlow", re.IGNORECASE, ("OverFlow", True)),
        (re.escape("a b/long_word-x"), 0, ("long_word", False)),
        (r"x(?:abc)+yz", 0, ("abc", False)),
        (r"x(abcd)?yz", 0, ("yz", False)),
        (r"x(?i:abcd)yz", 0, ("yz", False)),
        (r"(?i)abcd", re.IGNORECASE, ("abcd", True)),
        (r"abc|defg", 0, ("abc|defg", False)),
        (r"x(?:long_one|other)yz", 0, ("long_one|other", False)),
        (r"x(?:long_one|o)yz", 0, ("yz", False)),
        (r"(?:ab|cd)(?:efg|hij)", 0, ("efg|hij", False)),
        (r"(?:abc|(?i:def))", 0, None),
        ("|".join(letter * 2 for letter in "abcdefghi"), 0, None),  # nine looks cost more than they save
        (r"[abc]+", 0, None),
        (r"abc*", 0, ("ab", False)),
        (r"a.bc(?=defgh)ij", 0, ("bc", False)),
        (r"a.bc(?!defgh)ij", 0, ("bc", False)),
        (r"ab{0,3}cd", 0, ("cd", False)),
        (r"(?:ab\d)+x", 0, ("ab", False)),
        (r"\bword\b", 0, ("word", False)),
        (r"a\x62c", 0, ("abc", False)),
        ("123456", 0, None),  # 1e5 and 100000.0 are one number
        ("日本語", 0, ("日本語", False)),
        ("日", 0, ("日", False)),
        ("über-größe", 0, ("größe", False)),
        ("слово слов", re.IGNORECASE, ("слово", True)),
        ("a→b", 0, None),
        ("𐐀ab", re.IGNORECASE, ("ab", True)),  # which has a case beyond U+FFFF
        ("x" * 40, 0, ("x" * 32, False)),
        ("日本語", re.IGNORECASE, ("日本語", True)),
        ("😀🦊", re.IGNORECASE, ("😀🦊", True)),
        ("Ünder", re.IGNORECASE, ("Ünder", True)),
        ("É", re.IGNORECASE, ("É", True)),
        ("\udce9", 0, None),  # may stand for a byte that is no UTF-8
        ("…", 0, None),  # this program's own, where it leaves text out
        ("", 0, None),
    ],
)
def test_the_word_that_every_match_holds(pattern: str, flags: int, expected: tuple[str, bool] | None) -> None:
    found = needle_of(re.compile(pattern, flags))
    assert (None if found is None else ("|".join(found.words), found.ignore_case)) == expected


ESCAPED = {
    "plain": (b'{"t": "see needle_1 here"}', "needle_1"),
    "letter": (b'{"t": "see n\\u0065edle_1"}', "needle_1"),
    "capital hex": (b'{"t": "see \\u006Eeedle_1"}', "needle_1"),
    "digit": (b'{"t": "needle_\\u0031"}', "needle_1"),
    "underscore": (b'{"t": "needle\\u005f1"}', "needle_1"),
    "all": ("".join(f"\\u{ord(char):04x}" for char in "needle_1").join(('{"t": "', '"}')).encode(), "needle_1"),
    "twice": (json.dumps({"arguments": '{"a": "n\\u0065edle_1"}'}).encode(), "needle_1"),
    "twice, the backslash escaped": (b'{"t": "{\\"a\\": \\"n\\u005cu0065edle_1\\"}"}', "needle_1"),
    "after newline": (b'{"t": "\\nneedle_1\\n"}', "needle_1"),
}


@pytest.mark.parametrize("case", ESCAPED)
@pytest.mark.parametrize("ignore_case", [False, True])
def test_an_escaped_word_is_not_missed(tmp_path: Path, case: str, ignore_case: bool) -> None:
    line, word = ESCAPED[case]
    path = tmp_path / "f"
    path.write_bytes(b'{"t": "\\u00e9 \\u001b[0m \\u003cthink"}\n' + line + b"\nnothing\n")
    assert numbers(path, word, ignore_case) == [2]


@pytest.mark.parametrize("text", ["task", "TASK", "taſk", "tasK", "ta\\u017fk", "tas\\u212A", "tas\\u212a"])
def test_case_is_ignored_as_re_does(tmp_path: Path, text: str) -> None:
    decoded = json.loads(f'"{text}"')
    assert re.search("task", decoded, re.IGNORECASE)
    path = tmp_path / "f"
    path.write_text(f'nothing é \\u01ff \\u2100\n{{"t": "{text}"}}\n', "utf-8")
    assert numbers(path, "task", True) == [2]


@pytest.mark.parametrize("word", ["\u017f\u212a", "a\u017fk", "\u0131\u0131", "\u212aelvin", "\u212a"])
def test_a_word_beyond_ascii_may_be_one_in_ascii(tmp_path: Path, word: str) -> None:
    path = tmp_path / "f"
    path.write_text("nothing\nSK ASK II KELVIN\n")
    assert re.search(word, path.read_text(), re.IGNORECASE)
    assert numbers(path, word, True) == [2]


@pytest.mark.parametrize("text", ["İ", "ı", "i", "\\u0130", "\\u0131"])
def test_every_i(tmp_path: Path, text: str) -> None:
    assert re.search("di", "d" + json.loads(f'"{text}"'), re.IGNORECASE)
    path = tmp_path / "f"
    path.write_text(f'{{"t": "d{text}"}}\n', "utf-8")
    assert numbers(path, "di", True) == [1]


@pytest.mark.parametrize("block", [1, 7, 64])
@pytest.mark.parametrize("workers", [1, 3])
def test_blocks_and_ranges_cut_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, workers: int
) -> None:
    monkeypatch.setattr(needle_scan, "BLOCK", block)
    monkeypatch.setattr(needle, "_BACK", block)
    monkeypatch.setattr(needle_helpers, "ALONE", 40)
    monkeypatch.setattr(needle_helpers, "PART", 40)
    chance = random.Random(block * workers)
    words = ["needle", "need", "le", "x\\u0065", "ne\\u0065dle", "", "\\u00e9", "nneedle", "needneedle"]
    lines = [" ".join(chance.choices(words, k=chance.randrange(6))) for _ in range(20 if workers > 1 else 60)]
    path = tmp_path / "f"
    path.write_text("\n".join(lines))
    escaped = re.compile(r"\\u00(?:65)")
    expected = [number for number, line in enumerate(lines, 1) if "needle" in line or escaped.search(line)]
    assert numbers(path, "needle", workers=workers) == expected


@pytest.mark.parametrize("word", ["日本語", "é", "😀🦊", "한국어한국어한국어한국어", "Größe", "日x1本"])
@pytest.mark.parametrize("nested", range(1, 7))
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("capital", [True, False])
@pytest.mark.parametrize("from_size", [0, 1 << 60])
def test_a_word_beyond_ascii_is_found_however_it_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    nested: int,
    ascii_only: bool,
    capital: bool,
    from_size: int,
) -> None:
    monkeypatch.setattr(needle, "GREPPED", from_size)
    said: Any = f"a {word} b"
    for _ in range(nested):
        said = json.dumps({"t": said}, ensure_ascii=ascii_only)
    if capital:
        said = re.sub(r"u[0-9a-f]{4}", lambda found: "u" + found[0][1:].upper(), said)
    path = tmp_path / "f"
    path.write_text(f'{{"t": "日 本 \\u65e5 \\u00fc x"}}\n{said}\n{{"t": "nothing"}}\n', "utf-8")
    assert numbers(path, word) == [2]


def test_words_beyond_ascii_in_blocks_and_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(11)
    pieces = ["日本", "日", "本", "\\u65e5\\u672C", "\\\\u65E5本", "日\\u672c", "x", "\\u65e5 \\u672c"]
    lines = [" ".join(chance.choices(pieces, k=chance.randrange(4))) for _ in range(40)]
    held = re.compile(r"(?:日|\\+u65[eE]5)(?:本|\\+u672[cC])")
    expected = [number for number, line in enumerate(lines, 1) if held.search(line)]
    path = tmp_path / "f"
    path.write_text("\n".join(lines), "utf-8")
    for block, workers in ((1, 1), (7, 1), (64, 3)):
        monkeypatch.setattr(needle_scan, "BLOCK", block)
        monkeypatch.setattr(needle, "_BACK", block)
        monkeypatch.setattr(needle_helpers, "ALONE", 120)
        monkeypatch.setattr(needle_helpers, "PART", 50)
        assert numbers(path, "日本", workers=workers) == expected


DEATHS = {
    "at once": "raise SystemExit(3) # {path!r}",
    "before its first part": "import sys; sys.stdin.buffer.raw.read(1); raise SystemExit(3) # {path!r}",
    "within its first part": (
        "import struct, sys; part = sys.stdin.buffer.raw.read(1)[0]; "
        "sys.stdout.buffer.write(struct.pack('<qqqqq', -1, part, part * 40 + 3, 0, 7)) # {path!r}"
    ),
}


@pytest.mark.parametrize("death", DEATHS)
def test_a_helper_that_dies_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, death: str) -> None:
    monkeypatch.setattr(needle_helpers, "ALONE", 40)
    monkeypatch.setattr(needle_helpers, "PART", 40)
    monkeypatch.setattr(needle_helpers, "_CODE", DEATHS[death])
    path = tmp_path / "f"
    path.write_text("needle\n" * 5 + "x\n" * 40 + "needle\n" + "needle" * 20 + "\nneedle")
    expected = [1, 2, 3, 4, 5, 46, 47, 48]
    found = numbers(path, "needle", workers=3)
    # What the last of these says it found, and did not, is a line too much at most.
    assert found == sorted(set(found)) and set(expected) <= set(found)
    assert death == "within its first part" or found == expected


def test_what_was_begun_ahead_is_taken_up_or_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []

    class Watched(subprocess.Popen[bytes]):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Watched)
    monkeypatch.setattr(needle_helpers, "ALONE", 40)
    monkeypatch.setattr(needle_helpers, "PART", 40)
    path, other = tmp_path / "f.jsonl", tmp_path / "g.jsonl"
    for one in (path, other):
        one.write_text("x\n" * 40 + "needle\n" * 3 + "x\n" * 40)
    sought = Needle(("needle",), False)
    with sought.looked_ahead(["-", str(tmp_path), str(tmp_path / "none.jsonl"), str(path), str(other)], 2):
        assert len(started) == 2
        assert [line.number for line in sought.lines(path, 2)] == [41, 42, 43]
        assert len(started) == 2
    with sought.looked_ahead([str(path)], 2):
        with path.open("a") as file:
            file.write("needle\n")
        assert [line.number for line in sought.lines(path, 2)] == [41, 42, 43, 84]
        assert len(started) == 6
    assert all(process.returncode is not None for process in started)


def texts(chance: random.Random) -> str:
    return "".join(chance.choices(string.ascii_letters + string.digits + '__ \n"\\/<>éſKİ日\u2028\x1b', k=40))


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("large", [True, False])
def test_holding_gives_every_rollout_with_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ascii_only: bool, large: bool
) -> None:
    from rollout_loaders.index import gym_rows
    from rollout_views.pattern import compile_pattern
    from rollout_views.searching import search_rollout

    monkeypatch.setattr(gym_rows, "INDEXED_AT_ONCE", 0 if large else 1 << 30)
    monkeypatch.setattr(needle, "GREPPED", 0 if large else 1 << 60)
    monkeypatch.setattr(opened, "PAYS", 0)
    chance = random.Random(7)
    said = [texts(chance) for _ in range(24)]
    path = tmp_path / "rollouts.jsonl"
    path.write_text(
        "".join(json.dumps(row(n, 0, [message(text)]), ensure_ascii=ascii_only) + "\n" for n, text in enumerate(said))
    )
    for _ in range(15):
        source = chance.choice(said)
        start = chance.randrange(len(source) - 3)
        pattern = compile_pattern(source[start : start + 3].strip() or "a", match_case=chance.choice([None, True]))
        expected = [n for n, r in enumerate(open_paths([str(path)]).rollouts(), 1) if any(search_rollout(r, pattern))]
        held = list(open_paths([str(path)]).holding(needle_of(pattern)))
        found = [int((r.source.locator or "")[1:]) for r in held if any(search_rollout(r, pattern))]
        assert found == expected
        for rollout in held:
            assert [r.source for r in open_paths([f"{path}#{rollout.id}"]).rollouts()] == [rollout.source]


def failure(task: int, text: str) -> dict[str, Any]:
    return {
        "_ng_task_index": task,
        "_ng_rollout_index": 0,
        "_ng_attempt_index": 0,
        "_ng_failure_class": "agent_error",
        "_ng_failure_message": text,
    }


def test_what_other_files_add_is_searched_too(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", *(row(n, 0, [message(f"word{n}")]) for n in range(4)))
    write(tmp_path / "rollouts_failures.jsonl", failure(2, "beside"), failure(9, "orphan"))
    named = [r.id for r in open_paths([str(path)]).holding(Needle(("word1",), False))]
    assert named == ["1-0", "2-0"]
    searched = [r.task.task_index for r in open_paths([str(tmp_path)]).holding(Needle(("word1",), False))]
    assert searched == [1, 2, 9]


def test_lines_that_are_no_rollout_are_said_where_they_hold_the_word(tmp_path: Path) -> None:
    path = write(tmp_path / "rollouts.jsonl", dumped(row(0, 0, [message("x")])), b"needle no json", b"", b"{")
    collection = open_paths([str(path)])
    assert list(collection.holding(Needle(("needle",), False))) == []
    assert collection.has_rollouts
    assert "rollouts.jsonl#L2" in [str(d.locator).rpartition("/")[2] for d in collection.diagnostics]


def test_a_filter_on_text_reads_only_rollouts_whose_record_may_hold_it(tmp_path: Path) -> None:
    from rollout_views.filtering import compile_filter

    path = write(tmp_path / "rollouts.jsonl", *(row(n, 0, [message(f"word{n} Same")]) for n in range(4)))
    write(tmp_path / "rollouts_failures.jsonl", failure(2, "beside"))
    collection = open_paths([str(path)])
    loaded: list[str] = []

    def load(summary: Any) -> Any:
        loaded.append(summary.id)
        return collection.load(summary)

    def passing(query: str) -> list[str]:
        loaded.clear()
        asked = compile_filter(query, load, collection.may_hold)
        return [summary.id for summary in collection.summaries() if asked(summary)]

    assert passing("text:word1") == ["1-0"] and loaded == ["1-0", "2-0"]
    assert passing("-text:word1") == ["0-0", "2-0", "3-0"] and loaded == ["1-0", "2-0"]
    assert passing("text:word1,word3") == ["1-0", "3-0"]
    assert passing("text!=word1") == ["0-0", "2-0", "3-0"]
    assert passing("text:same") == ["0-0", "1-0", "2-0", "3-0"]
    assert passing("text:??") == [] and len(loaded) == 4
