"""What a view shows around and beside a transcript, as HTML: the verdict on top, the evidence panels, the notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from rollout_loaders.model import Place, Rollout
from rollout_views.anchors import Anchors
from rollout_views.block import Lens
from rollout_views.block_html import html_line
from rollout_views.ending_blocks import invocation_name
from rollout_views.evidence_tabs import TABS, blocks_of, tab_is_empty
from rollout_views.formatting import one_line
from rollout_views.inert_math import inert_math
from rollout_views.scored_mark import find_invocation, unclaimed
from rollout_views.shown_place import shown_place, shown_verdict
from rollout_views.transcript import lens_problem
from rollout_views.why import why_blocks

from .pages import draw

TRANSCRIPT = "Transcript"
PANELS: tuple[str, ...] = ("Why", TRANSCRIPT, *(name for name in TABS if name != "Why"))
"""Why first, as in the terminal."""
MOST_NOTICES = 5
LONGEST_FACT = 200


def head_html(rollout: Rollout, lens: Lens, invocation: str | None) -> str:
    """Return verdict, place, what ran, and which reading of which conversation this is."""
    harness, route = rollout.harness, rollout.route
    words = [harness.name or "harness not recorded", harness.version or "", harness.agent or "", harness.model or ""]
    if route.forced:
        words.append(f"think split forced {'on' if route.gym_reasoning else 'off'}")
    words.append(f"lens {lens}")
    home = find_invocation(rollout, invocation)
    if home is not None and home is not rollout.root and lens != "scored":
        words.append(f"subagent {invocation_name(home)}")
    facts = " · ".join(html_line(one_line(word, LONGEST_FACT)) for word in words if word)
    verdict, place = shown_html(shown_verdict(rollout)), shown_html(shown_place(rollout))
    return inert_math(f"<p><strong>{verdict}</strong></p>\n<p><code>{place}</code> · {facts}</p>\n<hr>\n")


def shown_html(shown: str) -> str:
    """Return text that is visible already as HTML; it cannot claim our badge."""
    return escape(unclaimed(shown), quote=True)


def lens_words(rollout: Rollout, wanted: Lens, opened: Lens) -> str:
    """Return why another lens than the wanted one is shown, '' when it is the wanted one."""
    if wanted == opened:
        return ""
    return f"lens {wanted} has nothing to show: {lens_problem(rollout, wanted)}; this is lens {opened}"


def panel_html(rollout: Rollout, name: str, anchors: Anchors | None = None) -> str:
    """Return an evidence panel. Raises `KeyError` for a name that is not in `PANELS`."""
    blocks = why_blocks(rollout)[1:] if name == "Why" else blocks_of(rollout, name)
    # What they speak of stands on another page: without their places no link leads from a sentence to itself.
    return draw(rollout, [replace(block, place=Place()) for block in blocks], anchors=anchors)


def panel_label(rollout: Rollout, name: str) -> str:
    """Return the name of a panel, with how many findings there are, or `–` where it holds nothing."""
    if name == "Findings" and rollout.findings:
        return f"{name} {len(rollout.findings)}"
    if name in (TRANSCRIPT, "Why", "Raw", "Outcome", "Calls"):
        return name
    return f"{name} –" if tab_is_empty(rollout, name) else name


def notices_html(notices: Sequence[str]) -> str:
    """Return what could not be read, a line each."""
    if not notices:
        return ""
    rows = "".join(f"<li>{shown_html(notice)}</li>\n" for notice in notices[:MOST_NOTICES])
    if len(notices) > MOST_NOTICES:
        rows += f"<li>… {len(notices) - MOST_NOTICES:,} more</li>\n"
    return inert_math(f"<p><strong>notices</strong></p>\n<ul>\n{rows}</ul>\n")
