"""Foreign text made safe to draw: what a terminal would obey or an eye could not see becomes a visible name.

Every string that comes from a rollout passes `visible` (or `visible_line`) on its way to a terminal, a pager, HTML or
Markdown (CONTRACT 4.9).

The form is `⟨NAME⟩`: the Unicode abbreviation for C0 and DEL (`⟨ESC⟩`, `⟨NUL⟩`, `⟨CR⟩`), the code point for all others
(`⟨U+009B⟩`, `⟨U+202E⟩`, `⟨U+D83D⟩`). Text that already looks like such a form has its opening bracket written as
`⟨U+27E8⟩`, so two different texts never look the same.
"""

from __future__ import annotations

import re
from functools import cache

_C0 = (
    *("NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI"),
    *("DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US"),
)

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f"
_UNSEEN = (
    r"\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ufdd0-\ufdef"
    r"\ud800-\udfff\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
"""C1, soft hyphen, fillers, bidi controls, separators, zero widths, interlinear marks, noncharacters, lone surrogates,
hieroglyph, shorthand and musical format controls, tag characters: nothing here draws anything of its own."""
_JOINERS = "\u200c\u200d"
_SELECTORS = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"

_FORM = r"\u27e8(?=(?:[A-Z][A-Z0-9]{1,2}|U\+[0-9A-F]{4,6})\u27e9)"
"""The bracket of a text that looks like a visible form."""

_IN_ASCII = re.compile(f"[{_CONTROLS}]+")


@cache
def _in_text() -> re.Pattern[str]:
    """A run of what is never anything else, or one character that depends on what stands around it.

    This and the sets below are compiled when a text first needs them: the start of a command should not wait for them.
    """
    return re.compile(f"(?P<run>[{_CONTROLS}{_UNSEEN}]+)|[{_JOINERS}{_SELECTORS}]|{_FORM}")


@cache
def _pictures() -> re.Pattern[str]:
    return re.compile(
        "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
        "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
    )


@cache
def _joining_scripts() -> re.Pattern[str]:
    return re.compile("[\u0600-\u08ff\u0900-\u0dff\u0e80-\u0fff\u1000-\u109f\u1780-\u18af\u1a20-\u1cff]")


@cache
def _selectable() -> re.Pattern[str]:
    return re.compile(
        "[0-9#*\xa9\xae\u1000-\u109f\u203c-\u32ff\u3400-\u9fff\ua840-\ua87f\uf900-\ufaff"
        "\U0001f000-\U0001faff\U00020000-\U0003ffff]"
    )


def visible(text: str) -> str:
    """Return `text` with every control, bidi, invisible or unpaired character in its visible form.

    Newline and tab stay. Emoji sequences and the joiners of scripts that need them stay; the same characters anywhere
    else, where they would only hide, are shown.
    """
    if text.isascii():
        return _IN_ASCII.sub(_named, text) if _IN_ASCII.search(text) else text
    return _in_text().sub(_in_context, text) if _in_text().search(text) else text


def visible_line(text: str) -> str:
    """Return `visible(text)` for one line of a table or a title: newline as `⏎`, tab as `⇥`."""
    line = visible(text)
    for mark in "⏎⇥":
        if mark in line:
            line = line.replace(mark, f"⟨U+{ord(mark):04X}⟩")
    return line.replace("\n", "⏎").replace("\t", "⇥")


class _Forms(dict[int, str]):
    """The visible form of each code point that was asked for."""

    def __missing__(self, code: int) -> str:
        name = _C0[code] if code < len(_C0) else "DEL" if code == 0x7F else f"U+{code:04X}"
        self[code] = form = f"⟨{name}⟩"
        return form


_FORMS = _Forms()


def _named(match: re.Match[str]) -> str:
    return match[0].translate(_FORMS)


def _in_context(match: re.Match[str]) -> str:
    if match["run"] is not None:
        return _named(match)
    char, text, start = match[0], match.string, match.start()
    if char == "⟨":
        return "⟨U+27E8⟩"
    before = text[start - 1] if start else ""
    after = text[start + 1] if start + 1 < len(text) else ""
    if char in _JOINERS:
        return char if _joins(before, after) else _named(match)
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return char if before and _selectable().match(before) else _named(match)
    return _named(match)


def _joins(before: str, after: str) -> bool:
    """Tell whether a joiner between these two draws something: an emoji sequence or a letter shape."""
    if not before or not after:
        return False
    if _joining_scripts().match(before):
        return _joining_scripts().match(after) is not None
    return _pictures().match(after) is not None and (before == "\ufe0f" or _pictures().match(before) is not None)
