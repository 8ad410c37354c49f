"""Human quantities and clipping. Unknown is `·`, never 0."""

from __future__ import annotations

from typing import NamedTuple

UNKNOWN = "·"


class Clipped(NamedTuple):
    """The beginning of a text, and how much of it was left out."""

    text: str
    more_lines: int
    more_chars: int

    @property
    def note(self) -> str:
        """`… 12 more lines`, `… 1,204 more characters`, or '' when nothing was left out."""
        if self.more_lines:
            return f"… {exact(self.more_lines)} more {plural(self.more_lines, 'line')}"
        return f"… {exact(self.more_chars)} more {plural(self.more_chars, 'character')}" if self.more_chars else ""


def count(number: float | None) -> str:
    """Return 12400 as `12.4k`; numbers below a thousand and unknown ones as they are."""
    if number is None:
        return UNKNOWN
    if abs(number) < 1000:
        return f"{number:g}" if isinstance(number, float) else str(number)
    for limit, unit in ((1e6, "k"), (1e9, "M"), (1e12, "G")):
        scaled = abs(number) * 1000 / limit
        if scaled < 999.5:
            digits = f"{scaled:.1f}" if scaled < 99.95 else f"{scaled:.0f}"
            return ("-" if number < 0 else "") + digits.removesuffix(".0") + unit
    return f"{number:.3g}"


def exact(number: float | None) -> str:
    """Return 12400 as `12,400`."""
    return UNKNOWN if number is None else f"{number:,}"


def reward_number(reward: float | None) -> str:
    """Return a reward without a needless fraction: 1.0 as `1`, 0.25 as `0.25`; what is not 1 never reads 1."""
    if reward is None:
        return UNKNOWN
    if reward == int(reward):
        return str(int(reward))
    shown = f"{reward:.6g}"
    return repr(reward) if float(shown) == int(float(shown)) else shown


def duration(milliseconds: float | None) -> str:
    """Return milliseconds as `40ms`, `9.8s`, `1m 03s` or `2h 05m`."""
    if milliseconds is None:
        return UNKNOWN
    if milliseconds < 1000:
        return f"{milliseconds:.0f}ms"
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f}s"
    seconds = round(milliseconds / 1000)
    if seconds < 3600:
        return f"{seconds // 60}m {seconds % 60:02d}s"
    return f"{seconds // 3600}h {seconds % 3600 // 60:02d}m"


def size(byte_count: int | None) -> str:
    """Return bytes as `512 B`, `1.2 kB`, `3.4 MB`."""
    if byte_count is None:
        return UNKNOWN
    if byte_count < 1000:
        return f"{byte_count} B"
    scaled, units = byte_count / 1000, ["kB", "MB", "GB", "TB"]
    while scaled >= 999.95 and len(units) > 1:
        scaled, units = scaled / 1000, units[1:]
    return f"{scaled:.1f} {units[0]}"


def plural(number: int, word: str, many: str = "") -> str:
    """Return the word for this many: `line` or `lines`."""
    return word if number == 1 else many or word + "s"


def quantity(number: int, word: str, many: str = "") -> str:
    """Return `1 line`, `1,204 characters`."""
    return f"{exact(number)} {plural(number, word, many)}"


def clock(timestamp: str | None) -> str:
    """Return the time of day of an ISO 8601 timestamp, `10:04:50`; '' when there is none or it is no such timestamp."""
    if timestamp is None or len(timestamp) < 19 or timestamp[10] not in "T ":
        return ""
    return timestamp[11:19]


def clip(text: str, max_lines: int | None = None, max_chars: int | None = None) -> Clipped:
    """Return the first `max_lines` lines and at most `max_chars` characters of `text`, with what is left out."""
    end = len(text)
    if max_lines is not None:
        position = -1
        for _ in range(max_lines):
            position = text.find("\n", position + 1)
            if position < 0:
                break
        if position >= 0:
            end = position
    if max_chars is not None:
        end = min(end, max_chars)
    if end >= len(text):
        return Clipped(text, 0, 0)
    return Clipped(text[:end], text.count("\n", end), len(text) - end)


def one_line(text: str, width: int) -> str:
    """Return the first `width` characters, the last one `…` when something was left out."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"
