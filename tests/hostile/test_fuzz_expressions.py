"""What a user types or keeps beside the rollouts: places, filters, patterns, `expect.json`, policies, `--turn`."""

from __future__ import annotations

import contextlib
import json
import operator
import re
import shutil
import time
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollout_inspector.policyfile import read_policy
from rollout_loaders import locator
from rollout_loaders.collection import open_paths
from rollout_loaders.errors import RolloutError
from rollout_loaders.fixtures import run_fixture
from rollout_loaders.model import Place, Rollout, RolloutSummary
from rollout_loaders.summary import summarise
from rollout_views.filtering import FIELDS, FilterError, compile_filter, suggestions
from rollout_views.pattern import compile_pattern
from rollout_views.searching import search_rollout
from tests.hostile.json_mutation import STRINGS, Texts, mutate
from tests.hostile.small_inputs import Small
from tests.paths import SAMPLES
from tests.views.hostile import TEXTS, hostile_rollout

WORDS = [
    "#",
    "@",
    "/",
    "turn:",
    "item:",
    "invocation:",
    "3-1",
    "-a2",
    "L17",
    "ses_1",
    "%",
    "%00",
    "%zz",
    "-",
    "*",
    "[",
    "?",
]
MORE_WORDS = ["\0", "\n", "\ud800", "..", "~", "", " ", "9" * 30, "²", "a" * 300, "opencode.db", "rollouts.jsonl"]
TERMS = [
    *FIELDS,
    *("<", ">", "<=", "!=", ":", "=", ",", '"', "\\", "-", " ", "1", "1k", "nan", "inf", "1e999", "-0", "*"),
]
MORE_TERMS = ["[", "[a-", "completed", "(", "\x1b", "\ud800", "٣", "1_0", "9" * 400, "none", "empty", ".*", "ﬁ", "İ"]
TEXT = st.text(st.characters(codec=None, categories=None), max_size=30)


def joined(words: list[str]) -> st.SearchStrategy[str]:
    """Texts out of words of the language, with anything between them."""
    return st.lists(st.sampled_from(words) | TEXT, max_size=8).map("".join)


@cache
def rollouts() -> tuple[Rollout, ...]:
    return tuple(hostile_rollout(text) for text in TEXTS.values())


@cache
def summaries() -> tuple[RolloutSummary, ...]:
    return tuple(map(summarise, rollouts()))


@given(joined([*WORDS, *MORE_WORDS]))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_locator_or_a_path(text: str) -> None:
    for there in (None, text[:3]):
        found = locator.parse(text, exists=partial(operator.eq, there))
        assert found.path in text
        assert isinstance(found.rollout, str | None)


@given(joined([*WORDS, *MORE_WORDS]))
@settings(max_examples=200, deadline=None)
def test_any_path_is_read_or_refused_in_one_line(text: str) -> None:
    path = re.split("[#@]", text)[0]
    if set(text) & set("*?[") or (path or text).strip("./") == "" or text.startswith(("-", "/", "~")):
        return  # these name something that is there, as `..##` does
    with open_paths([text]) as collection:
        assert list(collection.rollouts()) == []
        assert len(collection.diagnostics) == 1
        assert not re.search(r"Error\(|Traceback", collection.diagnostics[0].message)


@given(st.sampled_from(range(len(TEXTS))), TEXT, st.none() | st.integers(1, 10**9 - 1), st.none() | TEXT.filter(bool))
@settings(max_examples=200, deadline=None)
def test_a_place_that_is_printed_is_parsed_as_it_was(
    which: int, invocation: str, turn: int | None, item: str | None
) -> None:
    given_place = Place(invocation or None, turn, item)
    rollout = rollouts()[which]
    if len(rollout.source.path) > locator.LONGEST_PATH:
        return  # no file has such a path
    text = locator.format_place(rollout, given_place)
    found = locator.parse(text, exists=lambda path: path == rollout.source.path)
    assert found.path == rollout.source.path
    assert found.rollout == rollout.id
    root = rollout.root
    if given_place == Place() or (root is not None and given_place == Place(root.id)):
        assert found.place is None
    elif root is not None and invocation == root.id:
        assert found.place == Place(None, turn, item)
    else:
        assert found.place == given_place


@given(joined([*TERMS, *MORE_TERMS]))
@settings(max_examples=500, deadline=None)
def test_any_text_is_a_filter_or_says_where_it_is_none(query: str) -> None:
    start = time.process_time()
    suggestions(query)
    try:
        wanted = compile_filter(query, load=lambda _summary: rollouts()[0])
    except FilterError as error:
        assert 1 <= error.column <= len(query) + 1
        assert "\n" not in str(error).replace(query, "")
        return
    for summary in summaries():
        assert wanted(summary) in (True, False)
    assert time.process_time() - start < 2


@given(joined(["(", ")", "a+", "*", "|", "[", "\\", "<think>", "{2}", "$", "^", "(?i)", "\\b"]), st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_pattern_is_searched_for_or_refused(pattern: str, regex: bool) -> None:
    with contextlib.suppress(ValueError, re.error):
        compiled = compile_pattern(pattern, regex=regex)
        for match in search_rollout(rollouts()[0], compiled):
            assert match.place is not None


@pytest.mark.parametrize("number", range(8))
def test_any_expectation_gives_a_result(number: int, tmp_path: Path) -> None:
    folder = tmp_path / "fixture"
    shutil.copytree(SAMPLES / "split-reply", folder)
    whole = json.loads((folder / "expect.json").read_text("utf-8"))
    for step in range(12):
        rng, texts = Random(f"{number}/{step}"), Texts()
        changed = mutate(rng, json.loads(json.dumps(whole)), texts, rng.randint(1, 5), [{"$regex": "("}, {"$len": -1}])
        (folder / "expect.json").write_bytes(texts.dump(changed))
        result = run_fixture(folder)
        assert result.error is None or "\n" not in result.error


POLICIES = [
    *(
        "",
        "{",
        "[]",
        "null",
        "a: b",
        "429: retry\ndefault: verify",
        "agent_outcome_policy: {http_status: {429: retry}}",
    ),
    *(
        "429: [retry]",
        "? [a]\n: retry",
        "&a [*a]",
        "a: &a {b: *a}",
        "!!python/object/apply:os.system ['true']",
        "\0",
        "- -",
    ),
    *(
        "{" * 5000,
        "kind: {kind: {kind: retry}}",
        "1e999: retry",
        ".nan: retry",
        "2026-01-01: retry",
        "\xff: retry",
        "<<: 3",
    ),
    "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]",
]


@pytest.mark.parametrize("text", POLICIES)
def test_any_policy_is_read_or_refused_in_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_bytes(text.encode("latin-1"))
    try:
        stated = read_policy(str(path))
    except RolloutError as error:
        assert "\n" not in str(error)
        return
    assert all(isinstance(key, str) for key in stated.actions)


def test_any_mutated_policy_is_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    for number in range(150):
        rng, texts = Random(number), Texts(True)
        value: Any = {
            "http_status": {"429": "retry"},
            "failure_kind": {"unknown": rng.choice(STRINGS)},
            "default": "fail",
        }
        path.write_bytes(texts.dump(mutate(rng, value, texts, rng.randint(1, 4))))
        with contextlib.suppress(RolloutError):
            read_policy(str(path))


def test_small_inputs_go_through_everything_that_takes_a_text() -> None:
    judge = Small()
    for number in range(1500):
        problems = judge.run(Random(f"small/{number}"))
        assert [problem for problem in problems if "more than a second" not in problem] == [], number
