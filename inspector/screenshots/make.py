"""Makes the README's screenshots from `sample_rollouts/`: `python inspector/screenshots/make.py` in a checkout."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from pathlib import Path

from textual.app import App

from rollout_inspector.app import InspectorApp
from rollout_inspector.diffapp import DiffApp
from rollout_inspector.walkapp import WalkApp
from rollout_loaders.collection import open_paths

FONT_FACE = re.compile(r"@font-face \{.*?\}", re.DOTALL)
"""Textual's pictures fetch their font from the web; the viewer's own monospace does."""
HERE = Path(__file__).resolve().parent
SAMPLES = Path("sample_rollouts")


def inspect(name: str) -> App[None]:
    """The inspector on one sample, or on all of them."""
    return InspectorApp((str(SAMPLES / name),))


def split() -> App[None]:
    """The two runs of the split, compared."""
    before, after = str(SAMPLES / "split" / "before"), str(SAMPLES / "split" / "after")
    return DiffApp(open_paths([before]), open_paths([after]), (before, after))


SHOTS: dict[str, tuple[Callable[[], App[None]], tuple[str, ...], tuple[int, int]]] = {
    "browse": (lambda: inspect(""), ("j", "j", "j", "j"), (120, 34)),
    "rollout": (lambda: inspect("promoted-answer"), ("enter",), (120, 34)),
    "transcript": (lambda: inspect("compaction-split-tail"), ("enter", "tab", "]"), (120, 34)),
    "scored": (lambda: inspect("empty-final-answer"), ("enter", "3"), (120, 26)),
    "narrow": (lambda: inspect("empty-final-answer"), ("enter",), (80, 24)),
    "compare": (split, ("n", "enter"), (120, 24)),
    "walk": (lambda: WalkApp(SAMPLES), ("n", "n", "n"), (120, 30)),
}
"""Name → the app, the keys pressed, the terminal's size."""


async def shoot(name: str) -> None:
    """Write one SVG."""
    make, keys, size = SHOTS[name]
    app = make()
    async with app.run_test(size=size) as pilot:
        await settle(app)
        for key in keys:
            await pilot.press(key)
            await settle(app)
        svg = app.export_screenshot(title=f"rollout-inspect: {name}")
        (HERE / f"{name}.svg").write_text(FONT_FACE.sub("", svg), encoding="utf-8")


async def settle(app: App[None]) -> None:
    """Wait until nothing is read or drawn any more."""
    for _ in range(3):
        await app.workers.wait_for_complete()  # pyright: ignore[reportUnknownMemberType]  (Textual's worker type is open)
        await asyncio.sleep(0.2)


def main() -> None:
    """Make them all, from the checkout's root so that paths are the same on every machine."""
    os.chdir(HERE.parent.parent)
    os.environ["TZ"] = "UTC"
    for name in SHOTS:
        asyncio.run(shoot(name))


if __name__ == "__main__":
    main()
