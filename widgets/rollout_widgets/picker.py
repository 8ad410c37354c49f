"""The choices of a view's controls, each a label and a value. Labels are foreign text made visible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rollout_loaders.model import Rollout, RolloutSummary
from rollout_views.block import LENSES, Lens
from rollout_views.ending_blocks import invocation_name
from rollout_views.foreign import visible_line
from rollout_views.formatting import UNKNOWN, one_line, quantity
from rollout_views.table import COLUMNS, answer_cell, findings_cell, state_glyph
from rollout_views.transcript import lens_problem
from rollout_views.verdict import reward_words

MOST_OPTIONS = 500
"""Rollouts that are offered at once; the filter reaches the others."""
LONGEST = 110
ROOT = ""
"""Stands for the root's conversation: a control cannot hold None."""
_CELLS = {column.key: column.cell for column in COLUMNS}


def rollout_options(summaries: Sequence[RolloutSummary], shown: Sequence[int], at: int) -> list[tuple[str, int]]:
    """Return the rollouts to pick from, the current one among them."""
    offered = list(shown[:MOST_OPTIONS])
    if at not in offered:
        offered.append(at)
    name = _namer([summaries[index] for index in offered])
    return [(_rollout_label(summaries[index], name(summaries[index])), index) for index in offered]


def lens_options(rollout: Rollout) -> tuple[list[tuple[str, Lens]], list[str]]:
    """Return the lenses, those with nothing to show marked so, and for each why."""
    problems = [lens_problem(rollout, lens) for lens in LENSES]
    options: list[tuple[str, Lens]] = [
        (f"{lens} –" if problem else lens, lens) for lens, problem in zip(LENSES, problems, strict=True)
    ]
    why = [visible_line(problem or f"lens {lens}") for lens, problem in zip(LENSES, problems, strict=True)]
    return options, why


def conversation_options(rollout: Rollout) -> list[tuple[str, str]]:
    """Return the root's conversation and those of subagents."""
    options: list[tuple[str, str]] = [("root", ROOT)]
    for child in rollout.invocations[1:]:
        name = f"{invocation_name(child)} · {quantity(len(child.turns), 'turn')}"
        options.append((one_line(visible_line(name), LONGEST), child.id))
    return options


def _namer(summaries: Sequence[RolloutSummary]) -> Callable[[RolloutSummary], str]:
    """How rollouts are told apart: by their ids, and by what their paths do not share where there are several."""
    paths = {summary.source.path for summary in summaries}
    if len(paths) < 2:
        return lambda summary: summary.id
    first, last = min(paths).split("/"), max(paths).split("/")
    same = next((index for index, (one, two) in enumerate(zip(first, last, strict=False)) if one != two), 0)
    return lambda summary: f"{'/'.join(summary.source.path.split('/')[same:])}#{summary.id}"


def _rollout_label(summary: RolloutSummary, name: str) -> str:
    grade = f"{state_glyph(summary)} reward {reward_words(summary.state, summary.reward)}"
    words = [name, grade, _CELLS["outcome"](summary)]
    words += [f"answer {answer_cell(summary)}", findings_cell(summary)]
    return one_line(visible_line(" · ".join(word for word in words if word not in (UNKNOWN, "–"))), LONGEST)
