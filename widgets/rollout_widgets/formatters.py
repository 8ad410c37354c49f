"""Rich display of model objects in IPython: a `Rollout`, a `Turn`, a tuple of findings. The model imports no view."""

from __future__ import annotations

import sys
from typing import Any

from rollout_loaders.model import Finding, Invocation, Rollout, SourceRef, Turn
from rollout_views.block import Block
from rollout_views.evidence_tabs import blocks_of
from rollout_views.notebook_document import plain_head
from rollout_views.plain_text import lines
from rollout_views.transcript import section_blocks, sections

from .pages import draw
from .static_display import bundle, one_html

Bundle = dict[str, str]
TEXT_LINES = 60
_NOWHERE = SourceRef(path="", format="")


def rollout_bundle(rollout: Rollout) -> Bundle:
    """Return a rollout as `show(static=True)` shows it."""
    return bundle(one_html(rollout, "observed"), plain_head(rollout))


def turn_bundle(turn: Turn) -> Bundle:
    """Return one turn: what came in, reasoning, calls and answer."""
    return _blocks_bundle(_turn_blocks(turn))


def findings_bundle(findings: tuple[Any, ...]) -> Bundle | None:
    """Return a tuple of findings, a line each; None for any other tuple, which IPython then shows as ever."""
    if not findings or not all(isinstance(one, Finding) for one in findings):
        return None
    return _blocks_bundle(blocks_of(Rollout("findings", _NOWHERE, findings=findings), "Findings"))


def register(shell: Any = None) -> bool:
    """Register the formatters with the running IPython, if there is one. Returns whether there was."""
    if shell is None:
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is None:
        return False
    formatter = shell.display_formatter.mimebundle_formatter
    formatter.for_type(Rollout, rollout_bundle)
    formatter.for_type(Turn, turn_bundle)
    formatter.for_type(tuple, findings_bundle)
    _register_text(shell.display_formatter.formatters["text/plain"])
    return True


def _register_text(formatter: Any) -> None:
    """IPython has a printer of its own for tuples, and asks it first."""
    ordinary = formatter.for_type(tuple)
    if getattr(ordinary, "shows_findings", False):
        return

    def print_tuple(value: tuple[Any, ...], printer: Any, cycle: bool) -> None:
        made = None if cycle else findings_bundle(value)
        if made is None:
            ordinary(value, printer, cycle)
        else:
            printer.text(made["text/plain"])

    print_tuple.shows_findings = True  # type: ignore[attr-defined]
    formatter.for_type(tuple, print_tuple)


def _turn_blocks(turn: Turn) -> tuple[Block, ...]:
    alone = Rollout("turn", _NOWHERE, invocations=(Invocation("turn", turns=(turn,)),))
    first = next(section for section in sections(alone, "observed") if section.kind == "turn")
    return section_blocks(alone, "observed", first)


def _blocks_bundle(blocks: tuple[Block, ...]) -> Bundle:
    text = list(lines(blocks, 100, folds=True))
    if len(text) > TEXT_LINES:
        text = [*text[: TEXT_LINES - 1], f"… {len(text) - TEXT_LINES + 1:,} more lines"]
    return bundle(draw(Rollout("part", _NOWHERE), blocks), "\n".join(text))
