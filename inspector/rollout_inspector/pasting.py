"""What is pasted is text to its end, whatever it holds.

Textual 8's parser looks for escape sequences inside a paste too: `ESC q` in text that was copied from a rollout would
be the key `q`. There is no switch for it, so its parser is given pastes that hold none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from textual._xterm_parser import XTermParser
from textual.events import Paste
from textual.message import Message

_ESC = "\x1b"
_STAND_IN = "\udc1b"
"""For ESC, past Textual's parser: half of a character, which a terminal's UTF-8 never holds."""
_START, _END = "\x1b[200~", "\x1b[201~"


class PasteParser(XTermParser):
    """Textual's parser, for which a paste ends at its end marker and nowhere else."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasting = False
        self._held = ""
        """What may be the beginning of an end marker."""

    def feed(self, data: str) -> Iterable[Message]:
        """Take what the terminal sent; '' at its end."""
        kept = "".join(self._pieces(data))
        # '' would say that the input ended, where all there was is held.
        for message in super().feed(kept) if kept or not data else ():
            if isinstance(message, Paste):
                message.text = message.text.replace(_STAND_IN, _ESC)
            yield message

    def _pieces(self, data: str) -> Iterable[str]:
        data, self._held = self._held + data, ""
        while data:
            # A start marker is looked for in what came at once: cut in two, with time between, it is none for Textual.
            before, marker, data = data.partition(_END if self._pasting else _START)
            if self._pasting and not marker:
                before, self._held = _without_begun_marker(before)
            yield before.replace(_ESC, _STAND_IN) if self._pasting else before
            yield marker
            self._pasting = self._pasting != bool(marker)


def _without_begun_marker(text: str) -> tuple[str, str]:
    """`(text, what at its end may be the beginning of an end marker)`."""
    at = text.rfind(_ESC, -len(_END) + 1)
    return (text[:at], text[at:]) if at >= 0 and _END.startswith(text[at:]) else (text, "")


def keep_pastes_whole() -> None:
    """Let Textual's drivers use this parser."""
    with contextlib.suppress(ImportError):  # Windows has drivers of its own, which parse no escape sequences.
        from textual.drivers import linux_driver, linux_inline_driver

        for driver in (linux_driver, linux_inline_driver):
            driver.XTermParser = PasteParser  # type: ignore[attr-defined]
