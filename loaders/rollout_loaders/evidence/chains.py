"""The captured calls as chains: which call continues which, as lines of a small tree (gym-semantics 8.2, 8.3)."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.model import TokenEntry

from .authored import whole
from .parent_links import REQUEST_REASONS, RESOLUTIONS

MAX_INDENT = 12
"""Deeper branches are drawn at this depth: a hostile file may branch at every call."""
EXCERPT = 40


def tree_lines(entries: Sequence[TokenEntry], terminal: str | None = None) -> tuple[str, ...]:
    """One line a call: a chain runs straight down, a branch is indented; `terminal` is the attributed call.

    An entry whose parent is not among the entries starts a root; entries that only name each other are listed last.
    """
    by_id: dict[str, TokenEntry] = {}
    for entry in entries:
        by_id.setdefault(entry.call_id, entry)
    children: dict[str | None, list[TokenEntry]] = {}
    for entry in by_id.values():
        parent = entry.parent_call_id if entry.parent_call_id in by_id else None
        children.setdefault(parent, []).append(entry)
    lines: list[str] = []
    drawn: set[str] = set()
    stack = [(entry, 0, "● ") for entry in reversed(_by_time(children.get(None, [])))]
    while stack:
        entry, depth, mark = stack.pop()
        if entry.call_id in drawn:
            continue
        drawn.add(entry.call_id)
        lines.append(f"{'  ' * min(depth, MAX_INDENT)}{mark}{_line(entry, entry.call_id == terminal)}")
        following = _by_time(children.get(entry.call_id, []))
        if len(following) == 1:
            stack.append((following[0], depth, "↓ "))
        else:
            stack.extend((child, depth + 1, "├ ") for child in reversed(following))
    lines.extend(
        f"? {_line(entry, entry.call_id == terminal)} (its parents lead back to itself)"
        for entry in by_id.values()
        if entry.call_id not in drawn
    )
    return tuple(lines)


def _by_time(entries: Sequence[TokenEntry]) -> list[TokenEntry]:
    return sorted(entries, key=lambda entry: (entry.created_at is None, entry.created_at or 0.0, entry.call_id))


def _line(entry: TokenEntry, attributed: bool) -> str:
    """`call-2 · 120 prompt, 30 generated tokens · resolved: continues its parent · "4"`."""
    parts = [entry.call_id + (" ◆ attributed" if attributed else "")]
    counts = [
        f"{count:,} {name}"
        for count, name in ((entry.prompt_tokens, "prompt"), (entry.generated_tokens, "generated"))
        if count is not None
    ]
    if counts:
        parts.append(f"{', '.join(counts)} tokens")
    if entry.parent_resolution is not None:
        known = RESOLUTIONS.get(entry.parent_resolution, "")
        reason = entry.parent_reason or ""
        why = REQUEST_REASONS.get(reason) or reason
        parts.append(": ".join(part for part in (entry.parent_resolution, known, why) if part))
    written = whole(entry.output_items)
    if written:
        last = written[-1]
        text = last[1].strip()
        shown = f"{text[:EXCERPT]}…" if len(text) > EXCERPT else text
        parts.append(f'"{shown}"' if last[0] == "text" else f"calls {last[1]}")
    return " · ".join(part.replace("\n", " ") for part in parts)
