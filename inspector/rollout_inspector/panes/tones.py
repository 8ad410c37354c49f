"""What each tone looks like: names to theme colours, worked out once a theme.

Component classes would say the same in CSS, but Textual makes a node for each of them in each widget and styles them
all again at every change of a class: 160 of them cost two thirds of the time that opening a rollout took (0.2 s).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError
from textual.widget import Widget

from rollout_views.block import Tone

TONES: tuple[str, ...] = get_args(Tone)

TABLE: Mapping[str, str] = {
    # Blocks: the gutter word says what it is, the colour only helps.
    "block--label": "bold",
    "block--badge": "warning reverse bold",
    "block--mark": "text-muted italic",
    "block--more": "text-muted",
    "block--fold": "text-muted",
    "block--link": "primary underline",
    "block--cursor": "primary",
    "block--gone": "text-disabled",
    "block--match": "foreground on warning-muted",
    "block--match-current": "background on warning bold",
    "tone--normal": "foreground",
    "tone--user": "foreground",
    "tone--reasoning": "text-muted italic",
    "tone--answer": "foreground",
    "tone--tool": "foreground",
    "tone--problem": "error",
    "tone--boundary": "warning",
    "tone--scored": "foreground",
    "tone--note": "foreground",
    "tone--muted": "text-muted",
    "tone--rule": "text-muted",
    "label--normal": "foreground",
    "label--user": "primary",
    "label--reasoning": "text-muted italic",
    "label--answer": "success",
    "label--tool": "accent",
    "label--problem": "error",
    "label--boundary": "warning",
    "label--scored": "warning",
    "label--note": "secondary",
    "label--muted": "text-muted",
    "title--tool": "foreground",
    "title--problem": "error bold",
    "title--answer": "foreground",
    "code--key": "primary",
    "code--string": "success",
    "code--number": "accent",
    "code--word": "secondary",
    "code--prompt": "text-muted",
    "code--flag": "accent",
    "md--code": "accent",
    "md--bold": "bold",
    "md--heading": "bold",
    "md--fence": "text-muted",
    "md--bullet": "primary",
    "diff--added": "success",
    "diff--removed": "error",
    "diff--hunk": "accent",
    "compare--differs": "on warning-muted",
    "compare--side": "text-muted",
    # Bars.
    "bar--normal": "",
    "bar--strong": "bold",
    "bar--muted": "text-muted",
    "bar--faint": "text-disabled",
    "bar--key": "primary bold",
    "bar--problem": "error bold",
    "bar--warning": "warning",
    "bar--good": "success",
    "bar--on": "bold reverse",
    # Outline.
    "outline--cursor": "foreground on panel bold",
    "outline--cursor-focus": "foreground on primary-muted bold",
    "outline--branch": "secondary",
    "outline--here": "secondary bold",
    "outline--problem": "error",
    "outline--boundary": "warning",
    "outline--scored": "warning",
    "outline--reasoning": "text-muted",
    "outline--muted": "text-muted",
    # List.
    "table--head": "text-muted",
    "table--sorted": "primary bold",
    "table--cursor": "on panel",
    "table--cursor-focus": "on primary-muted bold",
    "table--selected": "secondary bold",
    "table--group": "secondary",
    "table--muted": "text-muted",
    "table--good": "success",
    "table--partial": "warning",
    "table--zero": "foreground",
    "table--problem": "error",
    "table--warning": "warning",
}
"""Name of a tone to `COLOUR on COLOUR flags`, colours being theme variables. A name that is not here is drawn plain."""

ANSI: Mapping[str, str] = {
    "block--match": "underline",
    "block--match-current": "reverse",
    "compare--differs": "underline",
    "outline--cursor": "bold",
    "outline--cursor-focus": "reverse",
    "table--cursor": "bold",
    "table--cursor-focus": "reverse",
}
"""The terminal's own colours cannot be mixed: what is a shade elsewhere is a line or reverse there."""

_FLAGS: Mapping[str, Style] = {
    "bold": Style(bold=True),
    "italic": Style(italic=True),
    "underline": Style(underline=True),
    "reverse": Style(reverse=True),
    "dim": Style(dim=True),
}
_VALUE = re.compile(r"(?P<colour>.+?)(?: (?P<percent>\d+)%)?")
_made: dict[tuple[str, str], Style] = {}


def tone_style(widget: Widget, *names: str) -> Style:
    """Return the sum of the styles of some tones in the theme of the app."""
    app = _app_of(widget)
    total = Style()
    for name in names:
        style = _made.get((app.theme, name))
        if style is None:
            style = _made[app.theme, name] = _make(app, name)
        total = total + style if names[1:] else style
    return total


def _app_of(widget: Widget) -> App[object]:
    return widget.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - its result's type is open


def _make(app: App[object], name: str) -> Style:
    ansi = app.current_theme.ansi
    words = (ANSI.get(name, TABLE.get(name, "")) if ansi else TABLE.get(name, "")).split()
    variables = app.theme_variables
    style = Style()
    under = False
    for word in words:
        if word == "on":
            under = True
        elif word in _FLAGS:
            style += _FLAGS[word]
        else:
            style += _colour(variables.get(word, ""), variables, under, ansi)
    return style


def _colour(value: str, variables: Mapping[str, str], under: bool, ansi: bool) -> Style:
    """Return the style of one variable's value: `#82aadb`, `auto 60%`, `ansi_default 50%`."""
    match = _VALUE.fullmatch(value.strip())
    if match is None:
        return Style()
    name, percent = match["colour"], match["percent"]
    try:
        if ansi:
            own = Color.parse(name).rich_color
            dim = percent is not None and not under
            return Style(bgcolor=own) if under else Style(color=own, dim=True if dim else None)
        colour = Color.parse(variables["foreground"] if name == "auto" else name)
        if percent is not None:
            colour = Color.parse(variables["background"]).blend(colour, int(percent) / 100)
    except (ColorParseError, KeyError):
        return Style()
    return Style(bgcolor=colour.rich_color) if under else Style(color=colour.rich_color)
