"""Secrets taken out of a rollout before it leaves the house, and by kind how many there were.

The rules are the published forms of keys and tokens, one row each; no library of the registry does this on plain text
without a network client or a file scanner around it. A rule finds what has a form: a password in a sentence has none,
so redaction lowers a risk and ends none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from operator import is_
from typing import Any, NamedTuple, TypeAlias, cast

from rollout_loaders.fast_dataclass import changed, dataclass
from rollout_loaders.model import Rollout

from .formatting import quantity

_Found: TypeAlias = dict[str, set[str]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One form of secret. `needles`: one of them stands in every text that the pattern can match."""

    kind: str
    name: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    keep: str = ""
    """Name of the group that stays in front of the replacement."""


class Redacted(NamedTuple):
    """A text without its secrets."""

    text: str
    counts: Counter[str]


def _rule(kind: str, name: str, needles: Sequence[str], pattern: str, keep: str = "") -> Rule:
    return Rule(kind, name, tuple(needles), re.compile(pattern), keep)


_PEM = "[A-Z ]{0,30}PRIVATE KEY"
_NAME = r"[^\\/\s\"'<>:;,)]{1,64}"
_TOKEN = r"[A-Za-z0-9_-]"
RULES: tuple[Rule, ...] = (
    _rule("private key", "PEM", ["PRIVATE KEY-----"], rf"-----BEGIN {_PEM}-----[^-]{{1,16000}}-----END {_PEM}-----"),
    _rule("api key", "AWS", ["AKIA", "ASIA"], r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    _rule("api key", "sk-", ["sk-"], rf"\bsk-{_TOKEN}{{20,300}}"),
    _rule("api key", "Google", ["AIza"], rf"\bAIza{_TOKEN}{{35}}"),
    _rule("api key", "NVIDIA", ["nvapi-"], rf"\bnvapi-{_TOKEN}{{20,300}}"),
    _rule("api key", "Stripe", ["k_live_", "k_test_"], r"\b[rsp]k_(?:live|test)_[0-9A-Za-z]{16,300}"),
    _rule("api key", "SendGrid", ["SG."], rf"\bSG\.{_TOKEN}{{16,64}}\.{_TOKEN}{{16,128}}"),
    _rule("token", "Hugging Face", ["hf_"], r"\bhf_[A-Za-z0-9]{30,100}\b"),
    _rule("token", "GitHub", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    _rule("token", "GitHub fine-grained", ["github_pat_"], r"\bgithub_pat_[A-Za-z0-9_]{22,255}\b"),
    _rule("token", "GitLab", ["glpat-"], rf"\bglpat-{_TOKEN}{{20,300}}"),
    _rule("token", "Slack", ["xox"], r"\bxox[abeoprs]-[A-Za-z0-9-]{10,300}"),
    _rule("token", "PyPI", ["pypi-"], rf"\bpypi-{_TOKEN}{{40,400}}"),
    _rule("token", "npm", ["npm_"], r"\bnpm_[A-Za-z0-9]{36}\b"),
    _rule("token", "JWT", ["eyJ"], rf"\beyJ{_TOKEN}{{10,4000}}\.eyJ{_TOKEN}{{10,4000}}\.{_TOKEN}{{10,1000}}"),
    _rule(
        "token", "bearer", ["earer ", "EARER "],
        r"(?P<keep>\b[Bb](?:earer|EARER) )[A-Za-z0-9._~+/-]{16,4000}=*", "keep",
    ),
    _rule("token", "password in a URL", ["://"], r"(?P<keep>://[^\s/:@'\"]{1,64}:)[^\s/@'\"]{1,200}(?=@)", "keep"),
    _rule(
        "token",
        "assignment",
        ["key", "KEY", "Key", "oken", "OKEN", "ecret", "ECRET", "assw", "ASSW"],
        r"(?P<keep>(?i:api[_-]?key|secret|access[_-]?key|auth[_-]?token|access[_-]?token|password|passwd)"
        r"[\"']{0,2}\s{0,3}[:=]\s{0,3}[\"']?)(?=[A-Za-z0-9_+/=.-]{0,200}[0-9])[A-Za-z0-9_+/=.-]{12,200}",
        "keep",
    ),
    _rule(
        "e-mail", "address", ["@"],
        r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b",
    ),
    _rule("home path", "POSIX", ["/home/", "/Users/"], rf"(?P<keep>/(?:home|Users)/){_NAME}", "keep"),
    _rule("home path", "Windows", ["Users\\"], rf"(?P<keep>[A-Za-z]:\\{{1,2}}Users\\{{1,2}}){_NAME}", "keep"),
)  # fmt: skip


_PLAIN = frozenset({int, float, bool, type(None)})
_SHORTEST = len("a@b.cc")
"""No secret has fewer characters."""
_LONG = 200
"""Texts up to this length are remembered with what became of them: most of a long rollout repeat."""
_NEEDLES = tuple(sorted({needle for rule in RULES for needle in rule.needles}))


def redact(text: str) -> Redacted:
    """Return `text` with every secret as `[redacted KIND]`, and how many different ones of each kind there were."""
    found: _Found = {}
    return Redacted(_redacted(text, found), _counts(found))


def redact_rollout(rollout: Rollout) -> tuple[Rollout, Counter[str]]:
    """Return a rollout without the secrets of its texts, arguments, paths and fields, and the counts by kind.

    One secret that stands in several places counts once.
    """
    found: _Found = {}
    return cast(Rollout, _Walk(found).copied(rollout)), _counts(found)


def report(counts: Mapping[str, int]) -> str:
    """Return `redacted: 2 api keys, 1 e-mail`, or that nothing was found."""
    if not any(counts.values()):
        return "redacted: nothing was found"
    words = (quantity(number, kind) for kind, number in sorted(counts.items()) if number)
    return f"redacted: {', '.join(words)}"


def _counts(found: _Found) -> Counter[str]:
    return Counter({kind: len(values) for kind, values in found.items()})


def _redacted(text: str, found: _Found) -> str:
    if not any(map(text.__contains__, _NEEDLES)):
        return text
    for rule in RULES:
        if any(needle in text for needle in rule.needles):
            text = rule.pattern.sub(_replacing(rule, found), text)
    return text


def _replacing(rule: Rule, found: _Found) -> Callable[[re.Match[str]], str]:
    def replaced(match: re.Match[str]) -> str:
        kept = match[rule.keep] if rule.keep else ""
        secret = match[0][len(kept) :]
        if "[redacted" in match[0]:
            return match[0]
        found.setdefault(rule.kind, set()).add(secret)
        return f"{kept}[redacted {rule.kind}]"

    return replaced


class _Walk:
    """One way through a rollout. What stands in it several times is gone through once, and stays one object."""

    def __init__(self, found: _Found) -> None:
        self._found = found
        self._texts: dict[str, str] = {}
        self._done: dict[int, tuple[Any, Any]] = {}
        """By identity, with the value itself, which so keeps its identity."""

    def copied(self, value: object) -> Any:
        """Copy a value with its strings redacted; what holds none is kept as it is."""
        kind = type(value)
        if kind is str:
            return self._text(cast(str, value))
        if kind in _PLAIN:
            return value
        known = self._done.get(id(value))
        if known is None:
            known = self._done[id(value)] = (value, self._copied(value, kind))
        return known[1]

    def _copied(self, value: Any, kind: type[Any]) -> Any:
        if kind is dict or isinstance(value, Mapping):
            return self._mapping(cast("Mapping[str, Any]", value))
        if isinstance(value, (tuple, list)):
            parts = cast("Sequence[Any]", value)
            made = [self.copied(one) for one in parts]
            if all(map(is_, made, parts)):
                return parts
            return tuple(made) if isinstance(value, tuple) else made
        other: dict[str, Any] = {}
        for name in _FIELDS[kind]:
            before = getattr(value, name)
            after = self.copied(before)
            if after is not before:
                other[name] = after
        return changed(value, **other) if other else value

    def _mapping(self, pairs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Names that are the same without their secrets are numbered, so that none of their values is lost."""
        made: dict[str, Any] = {}
        times: Counter[str] = Counter()
        same = True
        for name, value in pairs.items():
            shown, after = self._text(name), self.copied(value)
            if shown is not name:
                same, base = False, shown
                while shown in made or shown in pairs:
                    times[base] += 1
                    shown = f"{base} ({times[base] + 1})"
            elif after is not value:
                same = False
            made[shown] = after
        return pairs if same else made

    def _text(self, text: str) -> str:
        if len(text) < _SHORTEST:
            return text
        if len(text) > _LONG:
            return _redacted(text, self._found)
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = _redacted(text, self._found)
        return text if known == text else known


class _Fields(dict[type[Any], tuple[str, ...]]):
    """Names of the fields of a dataclass; none for any other type."""

    def __missing__(self, kind: type[Any]) -> tuple[str, ...]:
        self[kind] = names = tuple(one.name for one in fields(kind)) if is_dataclass(kind) else ()
        return names


_FIELDS = _Fields()
