"""Two calm themes of our own; Textual's others, the ANSI ones among them, work as well (tones are theme variables)."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="inspector-dark",
    primary="#82aadb",
    secondary="#b39ad1",
    accent="#6fb9bf",
    success="#93c088",
    warning="#d6b06a",
    error="#e27d76",
    foreground="#d4d9e0",
    background="#12161b",
    surface="#171c22",
    panel="#1d242c",
    dark=True,
    variables={
        "text-muted": "#8791a0",
        "text-disabled": "#6a7584",
        "border": "#2a323c",
        "scrollbar": "#2a323c",
        "scrollbar-hover": "#3a4552",
        "scrollbar-active": "#82aadb",
        "scrollbar-background": "#12161b",
        "scrollbar-background-hover": "#12161b",
        "scrollbar-background-active": "#12161b",
        "scrollbar-corner-color": "#12161b",
        "block-cursor-background": "#82aadb",
        "block-cursor-foreground": "#12161b",
        "input-selection-background": "#82aadb 30%",
    },
)

LIGHT = Theme(
    name="inspector-light",
    primary="#2f62a3",
    secondary="#74549c",
    accent="#12727b",
    success="#33762c",
    warning="#8a5d00",
    error="#b3362e",
    foreground="#1f252d",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#eae7e0",
    dark=False,
    variables={
        "text-muted": "#656d78",
        "text-disabled": "#878d96",
        "border": "#d5d1c7",
        "scrollbar": "#d0ccc2",
        "scrollbar-hover": "#b5b0a4",
        "scrollbar-active": "#2f62a3",
        "scrollbar-background": "#fbfaf7",
        "scrollbar-background-hover": "#fbfaf7",
        "scrollbar-background-active": "#fbfaf7",
        "scrollbar-corner-color": "#fbfaf7",
        "block-cursor-background": "#2f62a3",
        "block-cursor-foreground": "#fbfaf7",
        "input-selection-background": "#2f62a3 25%",
    },
)

THEMES = (DARK, LIGHT)
ORDER = (DARK.name, LIGHT.name, "ansi-dark", "ansi-light")
"""What the theme key steps through."""
