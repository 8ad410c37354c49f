"""Static transcripts: a document that works offline and without script, and a fragment for notebooks.

Deterministic byte for byte: nothing in it depends on the time, the machine or a random id.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape

from rollout_loaders.model import Invocation, Place, Rollout

from .anchors import Anchors
from .block import Block, Lens, Section
from .block_html import Limits, block_html, head_html, html_line
from .ending_blocks import invocation_name
from .evidence_tabs import TABS, blocks_of
from .excerpt import drawn_up_to, excerpt, skipped_words
from .formatting import one_line, quantity
from .inert_math import inert_math
from .page_style import STYLE
from .scored_mark import BADGE, unclaimed
from .shown_place import show_command, shown_place, shown_verdict
from .transcript import lens_problem, open_lens, section_blocks, sections
from .why import why_blocks

FRAGMENT_BYTES = 200_000
PAGE_BYTES = 40_000_000
MOST_LISTED = 400
"""Entries of a table of contents; the rest is counted."""
MOST_CHILDREN = 20
"""Conversations of subagents that a fragment names."""
_BODY = Limits(lines=4_000, characters=400_000)
_SHORT_BODY = Limits(lines=60, characters=6_000)


def fragment(
    blocks: Iterable[Block],
    *,
    prefix: str = "",
    rest: str = "",
    max_bytes: int = FRAGMENT_BYTES,
    whole: bool = False,
    anchors: Anchors | None = None,
) -> str:
    """Return blocks as HTML for a cell of a notebook, at most `max_bytes` long.

    Args:
        blocks: what to draw, in order.
        prefix: begins every id, so that two fragments on one page do not share any.
        rest: how to see what is left out, e.g. a command.
        max_bytes: where to stop, UTF-8.
        whole: whether bodies are drawn in full as long as they fit, instead of sixty lines each.
        anchors: give out the ids, in place of new ones with `prefix`: a caller may lead links beyond the fragment.
    """
    return _capped(blocks, anchors or Anchors(prefix), replace(_BODY if whole else _SHORT_BODY, rest=rest), max_bytes)


def _capped(blocks: Iterable[Block], anchors: Anchors, limits: Limits, max_bytes: int) -> str:
    pieces: list[str] = []
    spent, left_out = 0, 0
    drawing = _Drawing(anchors, limits)
    for block in blocks:
        if left_out:
            left_out += 1
            continue
        text = drawing.draw(block)
        size = len(text.encode("utf-8", "replace"))
        if spent + size > max_bytes - 600:
            left_out = 1
            drawing.forget()
            continue
        pieces.append(text)
        spent += size
    pieces.append(drawing.close())
    if left_out:
        pieces.append(_rest(f"… {left_out:,} more {'block' if left_out == 1 else 'blocks'}", limits.rest))
    return "".join(pieces)


def rollout_fragment(
    rollout: Rollout, lens: Lens = "observed", *, prefix: str = "", max_bytes: int = FRAGMENT_BYTES
) -> str:
    """Return a rollout for a cell of a notebook: verdict, Why, then the beginning and the end of the transcript."""
    opened = open_lens(rollout, lens)
    command = show_command(rollout)
    limits = replace(_SHORT_BODY, rest=command)
    anchors = Anchors(prefix)
    top = f"<h3>{_own_line(shown_place(rollout))}</h3>\n<p>{_own_line(shown_verdict(rollout))}</p>\n"
    top += f"<p>lens: {opened}</p>\n"
    children = _children_words(rollout, MOST_CHILDREN)
    why_bytes = max_bytes // 4
    measured = _capped(why_blocks(rollout)[1:], Anchors(prefix), limits, why_bytes)
    left = max_bytes - len((top + children + measured).encode("utf-8", "replace")) - 5_000

    def draw(section: Section) -> str:
        # The end of a transcript is worth more than a whole turn of a thousand calls.
        return _capped(section_blocks(rollout, opened, section), anchors, limits, left * 2 // 5)

    parts = excerpt(sections(rollout, opened), draw, left)
    middle = _rest(skipped_words(parts.skipped), command) if parts.skipped else ""
    # Drawn after the transcript, so that its sentences lead there.
    why = _capped(why_blocks(rollout)[1:], anchors, limits, why_bytes)
    return anchors.without_dangling("".join([top, why, "<hr>\n", *parts.head, middle, *parts.tail, children]))


def page(
    rollouts: Rollout | Sequence[Rollout],
    lens: Lens = "observed",
    *,
    evidence: bool = True,
    max_bytes: int = PAGE_BYTES,
    title: str | None = None,
) -> str:
    """Return one HTML document: verdict first, contents, Why, every conversation, then the evidence.

    Args:
        rollouts: one or several; several follow each other.
        lens: the reading to show; the next one opens where it has nothing.
        evidence: whether the evidence tabs follow the transcript.
        max_bytes: size of the transcript of one rollout above which its middle is counted instead of drawn.
        title: of the document; the first rollout's place when None.
    """
    shown = [rollouts] if isinstance(rollouts, Rollout) else list(rollouts)
    name = title or (shown_place(shown[0]) if shown else "no rollout")
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
        f"<title>{escape(name, quote=True)}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
    ]
    if not shown:
        parts.append("<p>No rollout was given.</p>\n")
    for index, rollout in enumerate(shown):
        anchors = Anchors("" if len(shown) == 1 else f"r{index + 1}-")
        parts.append(anchors.without_dangling("".join(_rollout_parts(rollout, lens, anchors, evidence, max_bytes))))
    parts.append("</main>\n</body>\n</html>\n")
    return "".join(parts)


def _rollout_parts(rollout: Rollout, lens: Lens, anchors: Anchors, evidence: bool, max_bytes: int) -> Iterator[str]:
    opened = open_lens(rollout, lens)
    limits = replace(_BODY, rest=show_command(rollout))
    homes: list[Invocation | None] = [None] if opened == "scored" else list(rollout.invocations)
    talks = [(home, sections(rollout, opened, home.id if home else None)) for home in homes]
    for _, made in talks:
        for section in made:
            if section.kind in ("turn", "items") and section.turn is not None and section.tone != "muted":
                anchors.reserve(section.invocation, section.turn)
    drawn = [
        (home, _conversation(rollout, opened, made, anchors, limits, max_bytes // max(len(talks), 1)))
        for home, made in talks
    ]
    yield f"<h1>{_own_line(shown_place(rollout))}</h1>\n<p>{_own_line(shown_verdict(rollout))}</p>\n"
    yield f"<p>{_facts(rollout, lens, opened)}</p>\n"
    names = [(anchors.take(f"talk-{index}"), _talk_name(rollout, home)) for index, (home, _) in enumerate(drawn)]
    tabs = [(anchors.take(f"tab-{name}"), name) for name in TABS if evidence and name not in ("Why", "Raw")]
    why_id = anchors.take("why")
    yield _contents([(why_id, "Why"), *names, *tabs], talks, anchors)
    yield f'<h2 id="{why_id}">Why</h2>\n' + "".join(_flow(why_blocks(rollout)[1:], anchors, limits))
    for (ident, name), (_, text) in zip(names, drawn, strict=True):
        yield f'<h2 id="{ident}">{html_line(name)}</h2>\n{text}'
    if not rollout.invocations and opened != "scored":
        yield f"<p>{html_line(lens_problem(rollout, opened) or 'no conversation is recorded')}</p>\n"
    for ident, name in tabs:
        yield f'<h2 id="{ident}">{name}</h2>\n' + "".join(_flow(blocks_of(rollout, name), anchors, limits))


def _talk_name(rollout: Rollout, home: Invocation | None) -> str:
    if home is None:
        return "What the verifier read"
    return "Conversation" if home is rollout.root else f"Subagent {invocation_name(home)}"


def _conversation(
    rollout: Rollout, lens: Lens, made: Sequence[Section], anchors: Anchors, limits: Limits, budget: int
) -> str:
    def draw(section: Section) -> str:
        return drawn_up_to(budget, _flow(section_blocks(rollout, lens, section), anchors, limits))

    parts = excerpt(made, draw, budget)
    middle = _rest(skipped_words(parts.skipped), limits.rest) if parts.skipped else ""
    return "".join([*parts.head, middle, *parts.tail])


def _facts(rollout: Rollout, lens: Lens, opened: Lens) -> str:
    harness = rollout.harness
    words = [
        f"{harness.name or 'harness not recorded'} {harness.version or ''}".strip(),
        f"model {harness.model}" if harness.model else "model not recorded",
        f"read as {rollout.source.format}",
        f"lens {opened}",
    ]
    if opened != lens:
        words.append(f"lens {lens} has nothing: {lens_problem(rollout, lens)}")
    return " · ".join(html_line(word) for word in words)


def _contents(
    parts: Sequence[tuple[str, str]], talks: Sequence[tuple[Invocation | None, Sequence[Section]]], anchors: Anchors
) -> str:
    rows = [f'<li><a href="#{ident}">{html_line(name)}</a></li>\n' for ident, name in parts]
    listed = [section for _, made in talks for section in made if section.turn is not None]
    for section in listed[:MOST_LISTED]:
        target = anchors.find(section.place)
        scored = section.title.endswith(BADGE)
        title = html_line(section.title.removesuffix(BADGE)) + (BADGE if scored else "")
        rows.append(f'<li><a href="#{target}">{title}</a></li>\n' if target else f"<li>{title}</li>\n")
    if len(listed) > MOST_LISTED:
        rows.append(f"<li>… {len(listed) - MOST_LISTED:,} more</li>\n")
    return f"<nav>\n<details>\n<summary><p>Contents</p></summary>\n<ul>\n{''.join(rows)}</ul>\n</details>\n</nav>\n"


def _children_words(rollout: Rollout, most: int) -> str:
    children = rollout.invocations[1:]
    if not children:
        return ""
    rows: list[str] = []
    for child in children[:most]:
        command = show_command(rollout, Place(child.id))
        name = inert_math(html_line(one_line(invocation_name(child), 80)))
        words = f"{name}, {quantity(len(child.turns), 'turn')}"
        rows.append(f"<li>{words}: <code>{_own_line(command)}</code></li>\n")
    if len(children) > most:
        rows.append(f"<li>… {len(children) - most:,} more</li>\n")
    lead = f"Not shown here: {quantity(len(children), 'conversation of a subagent', 'conversations of subagents')}."
    return f"<p>{lead}</p>\n<ul>\n{''.join(rows)}</ul>\n"


def _own_line(shown: str) -> str:
    """Text that is visible already."""
    return inert_math(escape(unclaimed(shown), quote=True))


def _rest(words: str, command: str) -> str:
    how = f"; to see them: <code>{_own_line(command)}</code>" if command else ""
    return f"<p><em>{escape(words)}{how}</em></p>\n"


def _flow(blocks: Iterable[Block], anchors: Anchors, limits: Limits) -> Iterator[str]:
    drawing = _Drawing(anchors, limits)
    for block in blocks:
        yield drawing.draw(block)
    yield drawing.close()


class _Drawing:
    """Blocks in order, a section open from each head to the next rule."""

    def __init__(self, anchors: Anchors, limits: Limits) -> None:
        self._anchors = anchors
        self._limits = limits
        self._open = self._was_open = False

    def draw(self, block: Block) -> str:
        self._was_open = self._open
        closing = self.close() if block.rule or block.is_input or block.label == "end" else ""
        if block.is_head:
            self._open = True
            body = (
                "" if not block.body else block_html(replace(block, rule=False, title=""), self._anchors, self._limits)
            )
            return closing + head_html(block, self._anchors) + body
        return closing + block_html(block, self._anchors, self._limits)

    def forget(self) -> None:
        """Take the last block back: it was not written."""
        self._open = self._was_open

    def close(self) -> str:
        closing = "</section>\n" if self._open else ""
        self._open = False
        return closing
