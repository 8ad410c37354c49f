"""One block as HTML that reads right with all CSS gone and every `details` unwrapped.

Everything foreign passes `visible` and `html.escape`. Elements are semantic, labels are words, no attribute holds
foreign text but `id` and `href`, which `anchors` makes.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape

from rollout_loaders.fast_dataclass import dataclass

from .anchors import Anchors
from .block import Block
from .foreign import visible, visible_line
from .formatting import clip, one_line, quantity
from .inert_math import inert_math
from .scored_mark import unclaimed

LONGEST_LINK = 200
INLINE = 160
"""Longest body that stands on its label's line."""
PROSE = frozenset({"user", "answer", "reasoning", "scored", "normal", "note", "boundary"})
"""Tones whose text is for reading: it wraps; all other text keeps its lines as they are."""
SECTION_STYLE = "border-left:3px solid rgba(127,127,127,.35);padding-left:.8em;margin:.8em 0"
SUMMARY_STYLE = "display:inline"
PRE_STYLE = "white-space:pre-wrap;background:rgba(127,127,127,.1);padding:.4em .6em;margin:.2em 0"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one body is drawn, and what is said about the rest."""

    lines: int | None = None
    characters: int | None = None
    rest: str = ""
    """How to see the rest, e.g. `rollout-inspect show rollouts.jsonl#3-1`."""


def html_text(text: str) -> str:
    """Return foreign text as HTML text: visible, escaped, unable to claim our badge."""
    return escape(unclaimed(visible(text)), quote=True)


def html_line(text: str) -> str:
    """Return foreign text for one line."""
    return escape(unclaimed(visible_line(text)), quote=True)


def block_html(block: Block, anchors: Anchors, limits: Limits) -> str:
    """Return one block that opens no section."""
    return inert_math(_block_html(block, anchors, limits))


def _block_html(block: Block, anchors: Anchors, limits: Limits) -> str:
    ident = anchors.take_for(block)
    block = _with_short_lines(block, limits)
    line = _line(block, anchors)
    shown = clip(block.display_body, limits.lines, limits.characters)
    more = _more(shown.note, limits.rest)
    if block.rule:
        rule = (
            f'<hr>\n<p id="{ident}">{line}</p>\n' if block.label != "context" else f'<p id="{ident}">{line}</p>\n<hr>\n'
        )
        return rule + (body_html(block, shown.text) + more if block.body else "")
    if block.body and not block.folded and "\n" not in shown.text and len(shown.text) <= INLINE and not shown.note:
        text = html_line(shown.text)
        inline = text if block.tone in PROSE and block.format == "text" else f"<code>{text}</code>"
        return f'<p id="{ident}">{_line(block, anchors, inline)}</p>\n'
    body = (body_html(block, shown.text) if block.body else "") + more
    if block.folded and block.body:
        size = (
            quantity(block.display_body.count("\n") + 1, "line") + f", {quantity(len(block.display_body), 'character')}"
        )
        summary = f'<p style="{SUMMARY_STYLE}">{line} <em>{size}</em></p>'
        return f'<details id="{ident}">\n<summary>{summary}</summary>\n{body}</details>\n'
    return f'<p id="{ident}">{line}</p>\n{body}'


def _with_short_lines(block: Block, limits: Limits) -> Block:
    """Title and mark, which stand on one line, at a sixth of what a body may have; what is cut is counted."""
    most = None if limits.characters is None else limits.characters // 6
    title, mark = clip(block.title, None, most), clip(block.mark, None, most)
    if not title.more_chars and not mark.more_chars:
        return block
    return replace(
        block,
        title=f"{title.text}… {title.more_chars:,} more" if title.more_chars else block.title,
        mark=f"{mark.text}… {mark.more_chars:,} more" if mark.more_chars else block.mark,
    )


def head_html(block: Block, anchors: Anchors) -> str:
    """Return the opening of the section that this block heads; the caller closes it with `</section>`."""
    ident = anchors.take_for(block)
    return inert_math(f'<section id="{ident}" style="{SECTION_STYLE}">\n<h4>{_line(block, anchors)}</h4>\n')


def body_html(block: Block, text: str) -> str:
    """Return a body: prose as a paragraph with its line breaks and spaces kept, anything else as `pre`."""
    if block.tone in PROSE and block.format == "text":
        return f"<blockquote><p>{_kept_spaces(html_text(text))}</p></blockquote>\n"
    return f'<pre style="{PRE_STYLE}">{_pre_text(text)}</pre>\n'


def _pre_text(text: str) -> str:
    """A parser drops a newline right after `<pre>`: give it one to drop."""
    return "\n" + html_text(text) if text.startswith("\n") else html_text(text)


def _kept_spaces(escaped: str) -> str:
    lines: list[str] = []
    for line in escaped.replace("\t", "    ").split("\n"):
        flat = line.lstrip(" ")
        indent = len(line) - len(flat)
        lines.append("&nbsp;" * indent + flat.replace("  ", "&nbsp; "))
    return "<br>\n".join(lines)


def _line(block: Block, anchors: Anchors, inline: str = "") -> str:
    parts = [f"<strong>{html_line(block.label)}</strong>"]
    parts += [html_line(block.title)] if block.title else []
    parts += [f"<strong>{escape(block.badge)}</strong>"] if block.badge else []
    parts += [inline] if inline else []
    parts += [f"<em>({html_line(block.mark)})</em>"] if block.mark else []
    for link in block.links:
        target = anchors.find(link.place)
        text = html_line(one_line(link.text, LONGEST_LINK))
        parts.append(f'<a href="#{target}">→ {text}</a>' if target else f"→ {text}")
    return " ".join(parts)


def _more(note: str, rest: str) -> str:
    if not note:
        return ""
    how = f"; to see the rest: <code>{escape(rest, quote=True)}</code>" if rest else ""
    return f"<p><em>{escape(note)}{how}</em></p>\n"
