"""Tones as component classes: a theme decides what they look like, the words carry what they mean."""

from __future__ import annotations

from typing import get_args

from rollout_views.block import Tone

TONES: tuple[str, ...] = get_args(Tone)

_PARTS = [
    "block--label",
    "block--title",
    "block--badge",
    "block--mark",
    "block--more",
    "block--fold",
    "block--link",
    "block--cursor",
    "block--gone",
    "block--match",
    "block--match-current",
    "tone--rule",
    "code--key",
    "code--string",
    "code--number",
    "code--word",
    "code--prompt",
    "code--flag",
    "md--code",
    "md--bold",
    "md--heading",
    "md--fence",
    "md--bullet",
    "diff--added",
    "diff--removed",
    "diff--hunk",
]

BLOCK_CLASSES: set[str] = {
    *_PARTS,
    *(f"{family}--{tone}" for family in ("tone", "label", "title") for tone in TONES),
}

BLOCK_CSS = """
BlockDrawing {
    overflow-x: hidden;
    overflow-y: scroll;
    scrollbar-size-vertical: 1;
    background: $background;
    color: $foreground;

    & > .block--label { text-style: bold; }
    & > .block--badge { text-style: reverse bold; color: $warning; }
    & > .block--mark { color: $text-muted; text-style: italic; }
    & > .block--more { color: $text-muted; }
    & > .block--fold { color: $text-muted; }
    & > .block--link { color: $primary; text-style: underline; }
    & > .block--cursor { color: $primary; }
    & > .block--gone { color: $text-disabled; }
    & > .block--match { background: $warning-muted; color: $foreground; }
    & > .block--match-current { background: $warning; color: $background; text-style: bold; }

    & > .tone--normal { color: $foreground; }
    & > .tone--user { color: $foreground; }
    & > .tone--reasoning { color: $text-muted; text-style: italic; }
    & > .tone--answer { color: $foreground; }
    & > .tone--tool { color: $foreground; }
    & > .tone--problem { color: $error; }
    & > .tone--boundary { color: $warning; }
    & > .tone--scored { color: $foreground; }
    & > .tone--note { color: $foreground; }
    & > .tone--muted { color: $text-muted; }
    & > .tone--rule { color: $text-muted; }

    & > .label--normal { color: $foreground; }
    & > .label--user { color: $primary; }
    & > .label--reasoning { color: $text-muted; text-style: italic; }
    & > .label--answer { color: $success; }
    & > .label--tool { color: $accent; }
    & > .label--problem { color: $error; }
    & > .label--boundary { color: $warning; }
    & > .label--scored { color: $warning; }
    & > .label--note { color: $secondary; }
    & > .label--muted { color: $text-muted; text-style: none; }

    & > .title--tool { color: $foreground; }
    & > .title--problem { color: $error; text-style: bold; }
    & > .title--answer { color: $foreground; }

    & > .code--key { color: $primary; }
    & > .code--string { color: $success; }
    & > .code--number { color: $accent; }
    & > .code--word { color: $secondary; }
    & > .code--prompt { color: $text-muted; }
    & > .code--flag { color: $accent; }
    & > .md--code { color: $accent; }
    & > .md--bold { text-style: bold; }
    & > .md--heading { text-style: bold; }
    & > .md--fence { color: $text-muted; }
    & > .md--bullet { color: $primary; }
    & > .diff--added { color: $success; }
    & > .diff--removed { color: $error; }
    & > .diff--hunk { color: $accent; }

    /* The terminal's own colours cannot be mixed: what is a shade elsewhere is dim or reverse here. */
    &:ansi > .block--gone, &:ansi > .tone--muted, &:ansi > .tone--rule, &:ansi > .block--more { text-style: dim; }
    &:ansi > .tone--reasoning { text-style: dim italic; }
    &:ansi > .block--match { text-style: underline; }
    &:ansi > .block--match-current { text-style: reverse; }
}
"""
