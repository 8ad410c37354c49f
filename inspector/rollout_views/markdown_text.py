"""Rollouts as Markdown for a comment on GitHub: capped in size, reasoning in `<details>`, nothing foreign alive.

Foreign text stands in fences that are longer than any run of backticks in it, or, on a label's line, in code spans: so
no link, image, mention, HTML or heading of a rollout is ever one of the comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from rollout_loaders.model import Rollout

from .block import Block, Lens, Section
from .excerpt import drawn_up_to, excerpt, skipped_words
from .foreign import visible, visible_line
from .formatting import clip, quantity
from .scored_mark import unclaimed
from .shown_place import show_command, shown_place, shown_verdict
from .transcript import open_lens, section_blocks, sections
from .why import why_blocks

COMMENT_BYTES = 60_000
"""GitHub takes 65,536 characters a comment."""
MOST_LINES, MOST_CHARS = 60, 4_000
_INLINE = 120
_BACKTICKS = re.compile(r"`+")
_LANGUAGES = {"json": "json", "diff": "diff", "shell": "sh"}


def comment(rollout: Rollout, lens: Lens = "observed", *, max_bytes: int = COMMENT_BYTES) -> str:
    """Return a rollout as a comment of at most `max_bytes`: verdict, Why, beginning and end of the transcript."""
    opened = open_lens(rollout, lens)
    command = show_command(rollout)
    top = f"### {code_span(shown_place(rollout))}\n\n{code_span(shown_verdict(rollout))}\n\n"
    why = _capped(why_blocks(rollout)[1:], max_bytes // 3, command)
    heading = f"#### Transcript, lens {opened}\n\n"
    left = max_bytes - len((top + why + heading).encode("utf-8", "replace")) - 600

    def draw(section: Section) -> str:
        return drawn_up_to(left, (block_markdown(block, command) for block in section_blocks(rollout, opened, section)))

    parts = excerpt(sections(rollout, opened), draw, left)
    middle = f"*{skipped_words(parts.skipped)}; to see them: {code_span(command)}*\n\n" if parts.skipped else ""
    children = rollout.invocations[1:]
    below = f"*Not shown here: {quantity(len(children), 'subagent')}.*\n" if children else ""
    return "".join([top, why, heading, *parts.head, middle, *parts.tail, below])


def code(text: str) -> str:
    """Return foreign text as one code span: what stands in it is shown, never obeyed."""
    return code_span(visible_line(text))


def code_span(shown: str) -> str:
    """Return one line that is visible already as a code span."""
    shown = unclaimed(shown)
    if not shown.strip():
        return "`(blank)`"
    ticks = "`" * (_longest_run(shown) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fence(text: str, language: str = "") -> str:
    """Return foreign text as a fenced block that nothing in it can end."""
    shown = unclaimed(visible(text))
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}\n"


def block_markdown(block: Block, rest: str = "") -> str:
    """Return one block as Markdown, its text clipped to sixty lines with `… N more`."""
    head = _head(block)
    body = block.display_body
    if block.rule:
        return f"---\n\n{head}\n\n" + (f"{fence(body)}\n" if body else "")
    if not body:
        return f"{head}\n\n"
    if not block.folded and "\n" not in body and len(body) <= _INLINE:
        return f"{head} {code(body)}\n\n"
    shown = clip(body, MOST_LINES, MOST_CHARS)
    how = f"; to see the rest: {code_span(rest)}" if rest else ""
    more = f"*{shown.note}{how}*\n\n" if shown.note else ""
    text = f"{fence(shown.text, _LANGUAGES.get(block.format, ''))}\n{more}"
    if not block.folded:
        return f"{head}\n\n{text}"
    size = f"{quantity(body.count(chr(10)) + 1, 'line')}, {quantity(len(body), 'character')}"
    # Markdown is not read inside <summary>: its words are escaped as HTML and can hold no code span.
    summary = " · ".join(_plain(word) for word in (block.label, block.title, block.mark, size) if word)
    return f"<details><summary>{summary}</summary>\n\n{text}</details>\n\n"


def _capped(blocks: Iterable[Block], max_bytes: int, rest: str) -> str:
    pieces: list[str] = []
    spent, left_out = 0, 0
    for block in blocks:
        text = block_markdown(block, rest)
        spent += len(text.encode("utf-8", "replace"))
        if spent > max_bytes or left_out:
            left_out += 1
        else:
            pieces.append(text)
    if left_out:
        pieces.append(f"*… {left_out:,} more; to see them: {code_span(rest)}*\n\n")
    return "".join(pieces)


def _head(block: Block) -> str:
    parts = [f"**{_plain(block.label)}**"]
    parts += [code(block.title)] if block.title else []
    parts += [f"**{block.badge}**"] if block.badge else []
    parts += [f"({code(block.mark)})"] if block.mark else []
    parts += [f"→ {code(link.text)}" for link in block.links]
    return " ".join(parts)


_ALIVE = re.compile(r"[\\`*_{}\[\]()#+!|~@:/.-]")


def _plain(text: str) -> str:
    """Foreign words outside code: every character that Markdown or GitHub gives a meaning becomes an entity."""
    return _ALIVE.sub(lambda match: f"&#{ord(match[0])};", escape(unclaimed(visible_line(text)), quote=True))


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
