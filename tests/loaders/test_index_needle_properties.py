"""Whatever matches is found by looking through bytes: as literal or expression, however its text was escaped."""

from __future__ import annotations

import io
import json
import re
from unittest import mock

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.samples.gym_rows import call, message, row

from rollout_loaders.collection import open_paths
from rollout_loaders.index import folder, gym_rows, needle, needle_scan
from rollout_loaders.index.needle import needle_of
from rollout_loaders.index.needle_scan import WordScan
from rollout_loaders.index.needle_words import expression, sought
from rollout_views.pattern import compile_pattern
from rollout_views.searching import search_rollout

LETTERS = "abeiksnABKS019_ßſKİıéйЙжςσΣ日本ǅ" + '\n"\\/<- .u'
"""Few, so that they meet: folds of ASCII, letters with three cases, what JSON must escape, what looks escaped."""
SAME = {char: [other for other in LETTERS if re.fullmatch(re.escape(char), other, re.IGNORECASE)] for char in LETTERS}
TEXTS = st.text(LETTERS, max_size=14)
PIECES = st.text(LETTERS, min_size=1, max_size=5).map(re.escape)


def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions over others."""
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda some: f"(?:{'|'.join(some)})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "{2}", "{0,1}", "+?", "*+"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
        st.tuples(st.sampled_from(["(?=", "(?!", "(", "(?>", "(?i:", "(?-i:", "(?<=a"]), inner).map(
            lambda two: f"{two[0]}{two[1]})"
        ),
    )


PATTERNS = st.recursive(
    st.one_of(PIECES, st.sampled_from(["", ".", r"\w+", r"\b", "[ab]", "^", r"\x61", r"[^a]"])), joined, max_leaves=5
)


@st.composite
def spelled(draw: st.DrawFn, text: str) -> str:
    """A JSON string of the text, each character as a writer may write it."""
    written: list[str] = []
    for char in text:
        escape = "".join(f"\\u{int.from_bytes(two, 'big'):04x}" for two in _units(char))
        ways = [escape, escape.upper().replace("\\U", "\\u")]
        short = json.dumps(char, ensure_ascii=False)[1:-1]
        written.append(draw(st.sampled_from([short, short, *ways, *(["\\/"] if char == "/" else [])])))
    return '"' + "".join(written) + '"'


def _units(char: str) -> list[bytes]:
    units = char.encode("utf-16-be")
    return [units[at : at + 2] for at in range(0, len(units), 2)]


@st.composite
def lines(draw: st.DrawFn, text: str) -> str:
    """A line that holds it, in JSON or in JSON within JSON."""
    line = '{"t": ' + draw(spelled(text)) + "}"
    for _ in range(draw(st.integers(0, 2))):
        line = '{"t": ' + draw(st.one_of(st.just(json.dumps(line)), spelled(line))) + "}"
    return line


def innermost(line: str) -> str:
    value = json.loads(line)["t"]
    while value.startswith('{"t": "') and value.endswith('"}'):
        value = json.loads(value)["t"]
    return str(value)


def is_met(pattern: re.Pattern[str], line: str) -> bool | None:
    """Whether the scan stops at a line, and grep would; None where there is nothing to look for."""
    found = needle_of(pattern)
    if found is None:
        return None
    what = sought(found.words, found.ignore_case)
    scan = WordScan(what.words, found.ignore_case, what.spelled, what.longest_spelled)
    data = f"x\n\n{line}\nx\n".encode()
    hits = list(scan.hits(io.BytesIO(data), 0, len(data)))
    assert scan.lines == 4
    assert all(newlines == 2 for _, newlines in hits) and len(hits) <= 1
    asked = expression(found.words, found.ignore_case)
    return bool(hits) and (asked is None or re.search(asked.encode("ascii"), line.encode()) is not None)


@settings(max_examples=400, deadline=None)
@given(data=st.data(), text=TEXTS, folded=st.booleans(), block=st.sampled_from([3, 16, 1 << 18]))
def test_a_literal_is_met_however_it_was_escaped(data: st.DataObject, text: str, folded: bool, block: int) -> None:
    start = data.draw(st.integers(0, len(text)))
    piece = text[start : data.draw(st.integers(start, len(text)))]
    if folded:
        piece = "".join(data.draw(st.sampled_from(SAME[char])) for char in piece)
    pattern = compile_pattern(piece, match_case=not folded)
    line = data.draw(lines(text))
    assert innermost(line) == text
    assert pattern.search(text)
    with mock.patch.object(needle_scan, "BLOCK", block):
        assert is_met(pattern, line) in (True, None)


@settings(max_examples=600, deadline=None)
@given(data=st.data(), written=PATTERNS, flags=st.sampled_from([0, re.IGNORECASE, re.ASCII | re.IGNORECASE]))
@example(data=None, written="(?:ab|cd)+", flags=0)
def test_an_expression_never_matches_where_none_of_its_words_stands(
    data: st.DataObject | None, written: str, flags: int
) -> None:
    try:
        pattern = re.compile(written, flags | re.MULTILINE)
    except re.error:
        assume(False)
        return
    if data is None:
        assert is_met(pattern, '{"t": "xcd"}') and not is_met(pattern, '{"t": "xc"}')
        return
    text = data.draw(st.one_of(st.from_regex(pattern), TEXTS))
    assume("\ud800" not in text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    assume(pattern.search(text) and len(text) < 60 and not any("\ud800" <= char <= "\udfff" for char in text))
    assert is_met(pattern, data.draw(lines(text))) in (True, None)


@pytest.mark.parametrize("char", "aksiéйЖσςΣßẞſKÅǅıİΩϴ日ꭰᲀ")
def test_a_letter_is_every_letter_that_re_takes_for_it(char: str) -> None:
    pattern = re.compile(f"日{char}", re.IGNORECASE)
    for code in (*range(0xD800), *range(0xE000, 0x10000)):
        if re.fullmatch(char, chr(code), re.IGNORECASE):
            assert is_met(pattern, f'{{"t": "日{chr(code)}"}}'), hex(code)
            assert is_met(pattern, f'{{"t": "\\u65E5\\u{code:04X}"}}'), hex(code)
    assert not is_met(pattern, '{"t": "日x"}') and not is_met(pattern, '{"t": "\\u65e5x"}')


@settings(max_examples=40, deadline=None)
@given(
    said=st.lists(st.tuples(TEXTS, TEXTS, st.booleans()), min_size=1, max_size=6),
    chosen=st.tuples(st.integers(0, 5), st.integers(0, 12), st.integers(1, 6)),
    written=st.one_of(st.none(), PATTERNS),
    exact=st.sampled_from([None, True, False]),
    large=st.booleans(),
)
def test_a_search_finds_what_reading_every_rollout_finds(
    tmp_path_factory: pytest.TempPathFactory,
    said: list[tuple[str, str, bool]],
    chosen: tuple[int, int, int],
    written: str | None,
    exact: bool | None,
    large: bool,
) -> None:
    which, start, length = chosen
    taken = "".join(said[which % len(said)][:2])[start : start + length]
    try:
        pattern = compile_pattern(taken if written is None else written, regex=written is not None, match_case=exact)
    except re.error:
        assume(False)
        return
    path = tmp_path_factory.mktemp("said") / "rollouts.jsonl"
    rows = (
        (row(number, 0, [message(text), call("bash", {"command": inner}, "call_1")]), ascii_only)
        for number, (text, inner, ascii_only) in enumerate(said)
    )
    path.write_text("".join(json.dumps(one, ensure_ascii=ascii_only) + "\n" for one, ascii_only in rows), "utf-8")
    with (
        pytest.MonkeyPatch.context() as patched,
        mock.patch.object(gym_rows, "INDEXED_AT_ONCE", 0 if large else 1 << 30),
        mock.patch.object(needle, "GREPPED", 0 if large else 1 << 60),
    ):
        patched.setenv(folder.SWITCH, "off")
        every = open_paths([str(path)]).rollouts()
        held = open_paths([str(path)]).holding(needle_of(pattern))
        expected = [(one.source.locator, [m.place for m in search_rollout(one, pattern)]) for one in every]
        found = [(one.source.locator, [m.place for m in search_rollout(one, pattern)]) for one in held]

    assert [one for one in found if one[1]] == [one for one in expected if one[1]]
