"""The filter of the list: `reward<1 outcome:failed finding:empty-final-answer tool:bash turns>20 text:"overflow"`.

All terms must hold; a comma gives alternatives (`outcome:failed,incomplete`), a leading `-` negates. Fixed words are
compared whole and may hold `*`; free text is found anywhere, whatever its case. An unknown value never matches, negated
or not: unknown is unknown. `tool:` and `text:` read the whole rollout.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase

from rollout_loaders.evidence.findings import FINDINGS
from rollout_loaders.index.needle import Needle, needle_of
from rollout_loaders.model import Rollout, RolloutSummary

from .filter_terms import FilterError, Term, parse_terms
from .pattern import text_pattern
from .searching import holds_text
from .table import answer_cell

__all__ = ["FIELDS", "Filter", "FilterError", "compile_filter", "suggestions"]

Loader = Callable[[RolloutSummary], Rollout]
MayHold = Callable[[RolloutSummary, Needle], bool]

_NUMBERS: dict[str, Callable[[RolloutSummary], float | None]] = {
    "reward": lambda s: s.reward,
    "turns": lambda s: s.turns,
    "tools": lambda s: s.tool_calls,
    "answer": lambda s: s.answer_chars if s.answer_stands else None,
    "in": lambda s: s.usage.input,
    "out": lambda s: s.usage.output,
    "reasoning": lambda s: s.usage.reasoning,
    "cached": lambda s: s.usage.cached,
    "cost": lambda s: s.usage.cost,
    "findings": lambda s: None if s.findings is None else len(s.findings),
    "took": lambda s: None if s.duration_ms is None else s.duration_ms / 1000,
    "task": lambda s: s.task.task_index,
    "rollout": lambda s: s.task.rollout_index,
    "attempt": lambda s: s.task.attempt,
}
_WORDS: dict[str, Callable[[RolloutSummary], Iterable[str] | None]] = {
    "state": lambda s: (s.state,),
    "outcome": lambda s: (s.status,),
    "finding": lambda s: s.findings,
    "kind": lambda s: (s.failure_kind,) if s.failure_kind else None,
    "stage": lambda s: (s.failure_stage,) if s.failure_stage else None,
    "harness": lambda s: (s.harness.name,) if s.harness.name else None,
    "format": lambda s: (s.source.format,),
}
_TEXTS: dict[str, Callable[[RolloutSummary], str | None]] = {
    "id": lambda s: s.id,
    "model": lambda s: s.harness.model,
    "agent": lambda s: s.harness.agent,
    "version": lambda s: s.harness.version,
    "path": lambda s: s.source.path,
    "taskid": lambda s: s.task.task_id,
    "prompt": lambda s: s.task.prompt,
}
_WHOLE: dict[str, Callable[[Rollout, str], bool]] = {
    "tool": lambda rollout, wanted: any(
        fnmatchcase(call.name.casefold(), wanted)
        for invocation in rollout.invocations
        for turn in invocation.turns
        for call in turn.tool_calls
    ),
    "text": holds_text,
}
FIELDS: tuple[str, ...] = (*_NUMBERS, *_WORDS, *_TEXTS, *_WHOLE)
"""Every field a term may name."""
KNOWN_VALUES: dict[str, tuple[str, ...]] = {
    "state": ("graded", "invalid", "not_graded", "masked", "unreadable"),
    "outcome": ("completed", "incomplete", "failed", "unknown"),
    "answer": ("empty", "none"),
}
_UNITS = {"": 1.0, "k": 1e3, "M": 1e6, "m": 1e6, "s": 1.0, "ms": 1e-3}
_TIMES = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}

_Verdict = bool | None
_Test = Callable[[RolloutSummary, Callable[[], Rollout]], _Verdict]


class Filter:
    """A compiled filter: call it with a summary."""

    def __init__(
        self, query: str, terms: tuple[Term, ...], load: Loader | None, may_hold: MayHold | None = None
    ) -> None:
        tests = [(_compile(term), term.negated) for term in terms if term.field not in _WHOLE]
        late = [(_sieved(term, may_hold), term.negated) for term in terms if term.field in _WHOLE]
        self.query = query
        self.needs_rollout = bool(late)
        """Whether whole rollouts are read (`tool:`, `text:`)."""
        self._tests = tests + late
        self._load = load

    def __call__(self, summary: RolloutSummary) -> bool:
        """Tell whether the rollout of this summary matches. Cheap terms are asked first."""
        return self._holds(summary, lambda: self._loaded(summary))

    def matches(self, summary: RolloutSummary, rollout: Rollout) -> bool:
        """Tell whether a rollout that is already there matches."""
        return self._holds(summary, lambda: rollout)

    def _holds(self, summary: RolloutSummary, whole: Callable[[], Rollout]) -> bool:
        for test, negated in self._tests:
            verdict = test(summary, whole)
            if verdict is None or verdict is negated:
                return False
        return True

    def _loaded(self, summary: RolloutSummary) -> Rollout:
        if self._load is None:
            raise FilterError("tool: and text: read whole rollouts, which this list cannot", 1)
        return self._load(summary)


def compile_filter(query: str, load: Loader | None = None, may_hold: MayHold | None = None) -> Filter:
    """Return the filter of a query. Raises `FilterError`, its column counted from 1.

    Args:
        query: the terms; an empty one matches everything.
        load: how to get the whole rollout of a summary, for `tool:` and `text:`. None refuses them here and now.
        may_hold: whether the record of a summary may hold a word; rollouts whose record cannot are not read.
    """
    terms = parse_terms(query)
    for term in terms:
        if term.field in _WHOLE and load is None:
            raise FilterError(f"{term.field}: reads whole rollouts, which this list cannot", term.column)
    return Filter(query, terms, load, may_hold)


def suggestions(query: str, findings: Iterable[str] = ()) -> tuple[str, ...]:
    """Return completions of the last word of `query`, each the whole word."""
    word = query.rsplit(None, 1)[-1] if query and not query[-1].isspace() else ""
    sign, name = ("-", word[1:]) if word.startswith("-") else ("", word)
    field, colon, begun = name.partition(":")
    if not colon:
        return tuple(f"{sign}{one}{'' if one in _NUMBERS else ':'}" for one in FIELDS if one.startswith(field.lower()))
    values = tuple(findings) if field == "finding" else KNOWN_VALUES.get(field, ())
    return tuple(f"{sign}{field}:{value}" for value in values if value.startswith(begun))


_CONNECTIVES = {"not": "-", "!": "-", "or": ",", "|": ",", "||": ",", "and": " ", "&&": " ", "(": "", ")": ""}
"""Words of other filter languages and what says the same here."""


def _compile(term: Term) -> _Test:
    if not term.field and term.values[0].casefold() in _CONNECTIVES:
        said = f"{term.values[0]!r} means nothing here: all terms must hold, -outcome:failed negates, "
        raise FilterError(f"{said}outcome:failed,incomplete gives alternatives", term.column)
    if not term.field:
        wanted = term.values[0].casefold()
        return lambda summary, _whole: any(wanted in text for text in _bare(summary))
    if term.field == "answer" and term.operator in ":=" and set(term.values) <= {"empty", "none"}:
        cells = {"empty": "(empty)", "none": "(no final answer)"}
        return lambda summary, _whole: answer_cell(summary) in [cells[value] for value in term.values]
    if term.field in _NUMBERS:
        return _number_test(term)
    if term.operator in ("<", "<=", ">", ">="):
        if term.field in FIELDS:
            raise FilterError(f"{term.field} is no number: use {term.field}:{term.values[0]}", term.column)
        raise _unknown(term)
    inverted = term.operator == "!="
    test = _text_test(term)
    return (lambda summary, whole: _inverse(test(summary, whole))) if inverted else test


def _sieved(term: Term, may_hold: MayHold | None) -> _Test:
    """The test of a term on whole rollouts; for a text, only of those whose record may hold it."""
    test = _compile(term)
    if may_hold is None or term.field != "text" or term.operator not in ":=":
        return test
    needles = [needle_of(text_pattern(value.casefold())) for value in term.values]
    asked = [needle for needle in needles if needle is not None]
    if len(asked) < len(needles):
        return test
    return lambda summary, whole: test(summary, whole) if any(may_hold(summary, needle) for needle in asked) else False


def _inverse(verdict: _Verdict) -> _Verdict:
    return None if verdict is None else not verdict


def _text_test(term: Term) -> _Test:
    wanted = [value.casefold() for value in term.values]
    if term.field in _WORDS:
        words, patterns = _WORDS[term.field], [value.replace(" ", "_") for value in wanted]
        _check_values(term, patterns)
        return lambda summary, _whole: _any_word(words(summary), patterns)
    if term.field in _TEXTS:
        text, exact = _TEXTS[term.field], term.operator == "="
        return lambda summary, _whole: _any_text(text(summary), wanted, exact)
    if term.field in _WHOLE:
        look = _WHOLE[term.field]
        return lambda _summary, whole: any(look(whole(), value) for value in wanted)
    raise _unknown(term)


def _check_values(term: Term, values: Iterable[str]) -> None:
    """A word that can never match is a mistake, not a filter that finds nothing."""
    known = tuple(FINDINGS) if term.field == "finding" else KNOWN_VALUES.get(term.field, ())
    for value in values:
        if known and not any(fnmatchcase(one, value) for one in known):
            close = difflib.get_close_matches(value, known, 3)
            hint = f"did you mean {', '.join(close)}?" if close else f"there is {', '.join(known[:6])}"
            more = ", …" if not close and len(known) > 6 else ""
            raise FilterError(f"no {term.field} is called {value!r}; {hint}{more}", term.value_column)


def _unknown(term: Term) -> FilterError:
    close = difflib.get_close_matches(term.field, FIELDS, 1)
    hint = f"; did you mean {close[0]}?" if close else f"; fields are {', '.join(FIELDS)}"
    return FilterError(f"there is no field {term.field!r}{hint}", term.column)


def _any_word(words: Iterable[str] | None, patterns: list[str]) -> _Verdict:
    if words is None:
        return None
    return any(fnmatchcase(word.casefold(), pattern) for word in words for pattern in patterns)


def _any_text(text: str | None, wanted: list[str], exact: bool) -> _Verdict:
    if text is None:
        return None
    folded = text.casefold()
    return any(folded == value if exact else value in folded for value in wanted)


def _bare(summary: RolloutSummary) -> Iterable[str]:
    task = summary.task
    known = (summary.id, task.task_id, task.prompt, summary.harness.model, summary.source.path, summary.failure_kind)
    return [text.casefold() for text in (*known, *(summary.findings or ())) if text]


def _number_test(term: Term) -> _Test:
    read = _NUMBERS[term.field]
    limits = [_parse_number(term, value) for value in term.values]
    compare = _COMPARED[term.operator]

    def test(summary: RolloutSummary, _whole: Callable[[], Rollout]) -> _Verdict:
        value = read(summary)
        return None if value is None else any(compare(value, limit) for limit in limits)

    return test


_COMPARED: dict[str, Callable[[float, float], bool]] = {
    ":": lambda value, limit: value == limit,
    "=": lambda value, limit: value == limit,
    "!=": lambda value, limit: value != limit,
    "<": lambda value, limit: value < limit,
    "<=": lambda value, limit: value <= limit,
    ">": lambda value, limit: value > limit,
    ">=": lambda value, limit: value >= limit,
}


def _parse_number(term: Term, text: str) -> float:
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzM")
    unit = text[len(digits) :]
    units = _TIMES if term.field == "took" else _UNITS
    try:
        if unit not in units:
            raise ValueError
        return float(digits.replace(",", "")) * units[unit]
    except ValueError:
        example = "took>90s" if term.field == "took" else f"{term.field}>10"
        raise FilterError(f"{text!r} is no number, as in {example}", term.value_column) from None
