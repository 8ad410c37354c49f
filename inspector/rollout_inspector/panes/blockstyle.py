"""How a view of blocks is laid out; what its tones look like stands in `tones`."""

from __future__ import annotations

BLOCK_CSS = """
BlockDrawing, CompareView {
    overflow-x: hidden;
    overflow-y: scroll;
    scrollbar-size-vertical: 1;
    background: $background;
    color: $foreground;
}
"""
