"""Redaction: the published forms of secrets, one row each, and counts by kind. The secrets below are made up."""

from __future__ import annotations

import time

import pytest
from tests.factories import rollout, tool_call, turn

from rollout_views.redaction import RULES, redact, redact_rollout, report

FOUND = [
    ("api key", "AKIA" + "ABCDEFGH12345678"),
    ("api key", "sk-" + "proj-abcdefghijklmnopqrstuv"),
    ("api key", "AIza" + "a1B2" * 8 + "xyz"),
    ("api key", "nvapi-" + "abcdefghij0123456789_-"),
    ("api key", "sk_" + "live_abcdefghij012345"),
    ("api key", "SG." + "a" * 22 + "." + "b" * 43),
    ("token", "hf_" + "aBcDeFgHiJ" * 3 + "klmn"),
    ("token", "ghp_" + "a1B2c3D4" * 4 + "wxyz"),
    ("token", "github_pat_" + "A" * 22),
    ("token", "glpat-" + "x1" * 10),
    ("token", "xoxb-" + "123456789012-abc"),
    ("token", "pypi-" + "AgEIcHlwaS5vcmc" * 3),
    ("token", "npm_" + "a" * 36),
    ("token", "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0In0" + "." + "c2lnbmF0dXJl"),
    ("e-mail", "jane.doe+x@mail.example.org"),
    ("private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc=\n-----END RSA PRIVATE KEY-----"),
]


@pytest.mark.parametrize(("kind", "secret"), FOUND)
def test_each_form_is_found_whole(kind: str, secret: str) -> None:
    shown = redact(f"before {secret} after")
    assert shown.text == f"before [redacted {kind}] after"
    assert shown.counts == {kind: 1}


@pytest.mark.parametrize(
    ("text", "shown", "kind"),
    [
        ("cd /home/jane/work", "cd /home/[redacted home path]/work", "home path"),
        ("/Users/jane doe", "/Users/[redacted home path] doe", "home path"),
        (r"C:\Users\jane\x", r"C:\Users\[redacted home path]\x", "home path"),
        ("Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer [redacted token]", "token"),
        ("https://bob:hunter22@host/x", "https://bob:[redacted token]@host/x", "token"),
        ('"api_key": "zzzz1111yyyy2222"', '"api_key": "[redacted token]"', "token"),
        ("PASSWORD=correct4horse9", "PASSWORD=[redacted token]", "token"),
    ],
)
def test_what_names_a_secret_stays_readable(text: str, shown: str, kind: str) -> None:
    assert redact(text) == (shown, {kind: 1})


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=4096", "token = tokenizer.decode(ids)", "task-skip-this-one", "a@b", "@app.route", "user@localhost",
        "the secret: nobody knows", "/homeless/x", "git@", "sk-learn", "std::string", "key: value",
        "password: required",
    ],
)  # fmt: skip
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert redact(text) == (text, {})


def test_every_rule_has_a_case_that_fails_without_it() -> None:
    texts = [secret for _, secret in FOUND] + [
        "/home/jane/", r"C:\Users\jane\x", "Bearer abcdef0123456789", "https://b:hunter22@h", "PASSWORD=correct4horse9",
    ]  # fmt: skip
    for rule in RULES:
        assert any(rule.pattern.search(text) for text in texts), rule.name


def test_needles_stand_in_all_that_their_pattern_finds() -> None:
    for rule in RULES:
        for _, secret in FOUND:
            if rule.pattern.search(secret):
                assert any(needle in secret for needle in rule.needles), rule.name


def test_a_rollout_is_redacted_everywhere_and_each_secret_counts_once() -> None:
    mail = "jane@example.org"
    sent = turn(1, user=mail, tools=(tool_call("mail", {"to": [mail]}, mail),))
    r = rollout(sent, turn(2, answer=f"wrote to {mail}"))
    clean, counts = redact_rollout(r)
    assert mail not in repr(clean)
    assert counts == {"e-mail": 1}
    assert clean.scored.final_text == "wrote to [redacted e-mail]"
    assert clean.final_answer.stands


def test_a_rollout_without_secrets_is_the_same_object() -> None:
    r = rollout(turn(1, answer="nothing here"))
    assert redact_rollout(r)[0] is r


def test_the_report_is_by_kind() -> None:
    assert report({"api key": 2, "e-mail": 1}) == "redacted: 2 api keys, 1 e-mail"
    assert report({}) == "redacted: nothing was found"


@pytest.mark.parametrize(
    "text", ["aGVsbG8x" * 200_000, "x@" * 400_000, "eyJ" * 300_000, "://a:" * 200_000, "sk-" * 300_000]
)
def test_no_text_makes_it_slow(text: str) -> None:
    start = time.process_time()
    redact(text)
    assert time.process_time() - start < 5


def test_names_that_are_the_same_without_their_secrets_lose_no_value() -> None:
    data = {"a@b.cc": 1, "x": 2, "c@d.ee": 3, "[redacted e-mail] (2)": 4, "f@g.hh": None}
    made, counts = redact_rollout(rollout(turn(1, answer="x"), extra={"data": data}))
    kept = made.extra["data"]
    assert isinstance(kept, dict)
    assert list(kept.values()) == [1, 2, 3, 4, None]
    assert not any("@" in name for name in kept)
    assert counts["e-mail"] == 3


def test_many_names_that_are_the_same_without_their_secrets_are_numbered_one_by_one() -> None:
    data = {f"a{number}@b.cc": number for number in range(4_000)}
    made, _ = redact_rollout(rollout(turn(1, answer="x"), extra=data))
    assert list(made.extra.values()) == list(range(4_000))
    assert list(made.extra)[-1] == "[redacted e-mail] (4000)"


def test_what_stands_in_a_rollout_twice_is_gone_through_once() -> None:
    shared = {"to": "a@b.cc"}
    made, counts = redact_rollout(rollout(turn(1, answer="x"), extra={"one": shared, "two": shared}))
    assert made.extra["one"] is made.extra["two"]
    assert counts["e-mail"] == 1
