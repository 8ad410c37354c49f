"""What is done in each viewer: keys, and the text that answers them. Of peers only what they have a key for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from tests.benchmarks.peers_input import NEEDLE, mark

from rollout_loaders.fast_dataclass import dataclass

_ESCAPE, _BACK_TAB, _HOME, _END = "\x1b", "\x1b[Z", "\x1b[H", "\x1b[F"
_ROW = "completed"
"""Stands in rows of our list, and in no title: the outcome."""
EMPTY_APP = """
from textual.app import App
from textual.widgets import Label
class Empty(App):
    def compose(self):
        yield Label("empty-app")
Empty().run()
"""


@dataclass(frozen=True, slots=True)
class Step:
    """Keys (none: the start), a text that they bring (none: until it is quiet), and the measurement's name."""

    keys: str
    text: str = ""
    what: str = ""
    at_once: bool = False
    """Pressed while the program may still be busy with the step before."""
    from_start: bool = False
    """Time counts from the start of the program, not from the keys."""


@dataclass(frozen=True, slots=True)
class Session:
    """A viewer, as it is started, and its steps."""

    name: str
    command: Sequence[str]
    folder: Path
    steps: tuple[Step, ...]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


def empty_app(folder: Path) -> Session:
    """The baseline: a Textual app with one label."""
    steps = (Step("", "empty-app", "first frame"),)
    return Session("empty Textual app", (sys.executable, "-c", EMPTY_APP), folder, steps)


def ours(name: str, path: Path, cache: Path, number: int, middle_id: str) -> Session:
    """`rollout-inspect PATH`; `middle_id` names rollout number / 2 as its list does."""
    last, middle = number - 1, number // 2
    steps = (
        Step("", _ROW, "list usable"),
        Step("\r", mark(0, 0), "first rollout, at once", at_once=True),
        Step(_ESCAPE, f"{number // 4:,} tasks", "whole list read, at the latest", at_once=True, from_start=True),
        Step("\r", mark(0, 0), "first rollout"),
        Step("l", mark(0, 1), "next turn"),
        Step("l", mark(0, 2), "next turn"),
        Step("L", mark(1, 0), "next rollout"),
        Step(_ESCAPE, _ROW),
        Step(":", "id of a rollout"),
        Step(f"{middle_id}\r"),
        Step("\r", mark(middle, 0), "middle rollout"),
        Step(_ESCAPE, _ROW),
        Step("G"),
        Step("\r", mark(last, 0), "last rollout"),
        Step("l", mark(last, 1), "next turn"),
        Step("/", "text, also"),
        Step(NEEDLE),
        Step("\r", f"haystack{last:04}", "search in a rollout"),
    )
    command = (sys.executable, "-m", "rollout_inspector", str(path))
    return Session(name, command, path.parent, steps, {"XDG_CACHE_HOME": str(cache)})


def vf_tui(venv: Path, folder: Path, number: int, *, idle: bool) -> Session:
    """Its first screen lists runs; the rollouts and the first of them come with the run. `idle`: after its pass."""
    first = Step("", "run1", "list of runs")
    passed = (Step("", f"Rollout metrics (n={number:,})"),) if idle else ()
    steps = (
        first,
        *passed,
        Step("\r", mark(0, 0), "list usable, with the first rollout", at_once=not idle),
        Step(_BACK_TAB),
        Step(_END, mark(number - 1, 0), "last rollout"),
        Step(_HOME, mark(0, 0), "first rollout"),
        Step("n", mark(1, 0), "next rollout"),
        Step("n", mark(2, 0), "next rollout"),
        Step("s"),
        Step(NEEDLE, "haystack0002", "search in a rollout"),
    )
    name = "vf-tui, run opened " + ("when it has read all" if idle else "at once")
    return Session(name, (str(venv / "bin/vf-tui"),), folder, steps)


def mini_inspector(venv: Path, folder: Path) -> Session:
    """It has no list: the first trajectory is its first screen."""
    steps = (
        Step("", "question0000", "first rollout, from the start"),
        Step("l", mark(0, 0), "next turn"),
        Step("l", mark(0, 1), "next turn"),
        Step("L", "question0001", "next rollout"),
    )
    command = (str(venv / "bin/mini-extra"), "inspector", str(folder))
    return Session("mini-extra inspector", command, folder.parent, steps)
