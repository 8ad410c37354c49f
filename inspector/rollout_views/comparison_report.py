"""A comparison of two sets as headed tables: text, Markdown and HTML draw the same ones (CONTRACT 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rollout_loaders.comparison import ANCHOR_RULE, Delta, Pairing, Totals
from rollout_loaders.comparison.delta import Side
from rollout_loaders.comparison.totals import Share, SideTotals, Span
from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import RolloutSummary

from .formatting import count, plural, quantity
from .verdict import reward_words


@dataclass(frozen=True, slots=True)
class Table:
    """Foreign text in cells: renderers pass every cell through `visible_line`."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    places: tuple[str, ...] = ()
    """A locator a row, where the rows are rollouts."""


@dataclass(frozen=True, slots=True)
class Report:
    """The whole comparison, totals first."""

    headline: str
    tables: tuple[Table, ...]
    anchor_rule: str = ANCHOR_RULE


VERIFIED = {("verify", "verify")}
"""Nothing to say of the policy where it hands every run of both sides to the verifier."""


def comparison_report(pairing: Pairing, deltas: Sequence[Delta], totals: Totals) -> Report:
    """Totals first, then the changed rollouts, worst first, then what could not be paired."""
    changed = sorted((delta for delta in deltas if delta.changed), key=lambda delta: delta.badness)
    tables = [
        _reward(totals),
        _think(totals),
        _transitions("Outcome, A → B", totals.outcomes),
        _transitions("Grading state, A → B", totals.states),
        *([_transitions("Outcome policy, A → B", totals.policies)] if set(totals.policies) - VERIFIED else []),
        _findings(totals),
        _changed(changed, len(deltas)),
        *_alone(pairing),
    ]
    headline = (
        f"{quantity(totals.pairs, 'pair')} · {len(changed)} changed · reward up {totals.reward_up}, down "
        f"{totals.reward_down}, same {totals.reward_same}"
    )
    if totals.reward_not_comparable:
        headline += f", not comparable {totals.reward_not_comparable}"
    return Report(headline, tuple(table for table in tables if table.rows))


def _of(share: Share) -> str:
    return f"{share.n} of {share.of}"


def _span(span: Span) -> str:
    if span.low is None or span.high is None:
        return "·"
    return count(span.low) if span.low == span.high else f"{count(span.low)} to {count(span.high)}"


def _reward(totals: Totals) -> Table:
    rows = (
        ("moved up", f"{totals.reward_up} of {totals.pairs}"),
        ("moved down", f"{totals.reward_down} of {totals.pairs}"),
        ("same", f"{totals.reward_same} of {totals.pairs}"),
        ("not comparable", f"{totals.reward_not_comparable} of {totals.pairs}"),
        ("sign test, two-sided", "no pair moved" if totals.sign_test_p is None else f"p = {totals.sign_test_p:.3g}"),
    )
    note = "A pair is comparable where both rewards are graded: a masked or invalid reward is no 0."
    return Table("Reward", ("reward", "pairs"), rows, note)


def _think(totals: Totals) -> Table:
    def row(name: str, left: str, right: str) -> tuple[str, ...]:
        return (name, left, right)

    one, two = totals.left, totals.right
    rows = (
        row("final answers with <think> or </think>", _of(one.answers_with_think), _of(two.answers_with_think)),
        row(
            "final answers that begin with one",
            _of(one.answers_that_begin_with_think),
            _of(two.answers_that_begin_with_think),
        ),
        row("judge requests with one", _of(one.judge_requests_with_think), _of(two.judge_requests_with_think)),
        row("reasoning items per rollout", _span(one.reasoning_items), _span(two.reasoning_items)),
        row("final answer length, characters", _span(one.answer_chars), _span(two.answer_chars)),
        row("tokens out", _tokens(one), _tokens(two)),
    )
    return Table("Answers and reasoning", ("", "A", "B"), rows)


def _tokens(side: SideTotals) -> str:
    if side.tokens_out is None:
        return "·"
    known = side.tokens_known
    return count(side.tokens_out) + ("" if known.n == known.of else f" ({_of(known)} report them)")


def _transitions(title: str, moves: Mapping[tuple[str, str], int]) -> Table:
    rows = tuple(
        (f"{one} → {two}" if one != two else f"{one}, as before", str(number))
        for (one, two), number in sorted(moves.items(), key=lambda item: (item[0][0] == item[0][1], item[0]))
    )
    return Table(title, ("move", "pairs"), rows)


def _findings(totals: Totals) -> Table:
    codes = sorted({*totals.findings_gained, *totals.findings_lost})
    rows = tuple(
        (code, f"+{totals.findings_gained.get(code, 0)}", f"−{totals.findings_lost.get(code, 0)}") for code in codes
    )
    return Table("Findings", ("finding", "gained", "lost"), rows)


def _changed(changed: Sequence[Delta], total: int) -> Table:
    rows = tuple(_pair_row(delta) for delta in changed)
    note = f"{len(changed)} of {quantity(total, 'pair')} changed; worst first." if changed else ""
    header = ("rollout", "reward", "outcome", "answer", "turns", "findings", "first divergence")
    return Table("Changed rollouts", header, rows, note, tuple(_place(delta.right) for delta in changed))


def _pair_row(delta: Delta) -> tuple[str, ...]:
    one, two = delta.left, delta.right
    return (
        one.id if one.id == two.id else f"{one.id} → {two.id}",
        _move(_grade(one), _grade(two)),
        _move(one.outcome, two.outcome),
        _move(_answer(one), _answer(two)) + _reasoning(delta),
        f"{delta.equal_turns} equal, {delta.changed_turns} changed, −{delta.dropped_turns} +{delta.added_turns}",
        " ".join([f"+{code}" for code in delta.findings_gained] + [f"−{code}" for code in delta.findings_lost]) or "–",
        _divergence(delta),
    )


def _reasoning(delta: Delta) -> str:
    return f" (reasoning moved {delta.reasoning_moved})" if delta.reasoning_moved else ""


def _divergence(delta: Delta) -> str:
    found = delta.divergence
    if found is None:
        return "none"
    turn = found.left_turn if found.left_turn is not None else found.right_turn
    side = "" if found.left_turn is not None else " of B"
    return f"turn {turn}{side}: {found.parts}"


def _move(one: str, two: str) -> str:
    return one if one == two else f"{one} → {two}"


def _grade(side: Side) -> str:
    return reward_words(side.state, side.reward)


def _answer(side: Side) -> str:
    if side.final_answer is None or (not side.stands and not side.final_answer):
        return "(no final answer)"
    if not side.final_answer.strip():
        return "(empty)"
    length = len(side.final_answer)
    return f"{count(length)} {plural(length, 'character')}" + ("" if side.stands else " (does not stand)")


def _place(side: Side) -> str:
    return f"{side.path}#{side.locator}" if side.locator else side.path


def _alone(pairing: Pairing) -> list[Table]:
    return [_only("Only in A", pairing.only_left), _only("Only in B", pairing.only_right)]


def _only(title: str, summaries: Sequence[RolloutSummary]) -> Table:
    rows = tuple((s.id, reward_words(s.state, s.reward), s.status) for s in summaries)
    return Table(title, ("rollout", "reward", "outcome"), rows)
