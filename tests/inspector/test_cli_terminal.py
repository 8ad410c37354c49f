"""What a person at a terminal sees of `show`, `why` and `list`: styled, paged, foreign text visible."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.loaders.session_folders import SESSION, write_database

COMMAND = [sys.executable, "-m", "rollout_inspector"]


def at_a_terminal(*arguments: str, **environment: str) -> str:
    """Everything that a command writes to a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24", "PAGER": "cat", **environment}
    env.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
    process = subprocess.Popen([*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return written.decode().replace("\r\n", "\n")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return write_database(tmp_path / "opencode.db", (SESSION, None, ("<think>\nhm\x1b[2J\n</think>\n\n" + "4 " * 60,)))


@pytest.mark.parametrize("command", ["show", "why", "list"])
def test_nothing_foreign_is_obeyed(database: Path, command: str) -> None:
    said = at_a_terminal(command, str(database))
    assert "\x1b[2J" not in said
    assert SESSION in said


def test_show_is_folded_to_the_width_and_keeps_every_word(database: Path) -> None:
    said = at_a_terminal("show", str(database))
    body = said.split("\n\n", 1)[1]
    assert max(len(line) for line in body.splitlines()) <= 80
    assert body.count("4 ") + body.count("4\n") >= 60
    assert "⟨ESC⟩[2J" in said


def test_show_is_styled_for_a_pager_that_can_and_not_without_colour(database: Path) -> None:
    if not Path("/usr/bin/less").exists():
        pytest.skip("no less here")
    styled = at_a_terminal("show", str(database), PAGER="less -FRX")
    assert "\x1b[2m" in styled
    plain = at_a_terminal("show", str(database), PAGER="less -FRX", NO_COLOR="1")
    assert "\x1b[2m" not in plain
    assert "⟨ESC⟩[2J" in plain


def test_inline_runs_below_the_prompt_and_leaves_what_was_printed(database: Path) -> None:
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    process = subprocess.Popen(
        [*COMMAND, "open", "--inline", str(database)], stdin=theirs, stdout=theirs, stderr=theirs, env=env
    )
    os.close(theirs)
    written = b""
    while b"rollout-inspect" not in written:
        written += os.read(ours, 65536)
    os.write(ours, b"q")
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 65536):
            written += piece
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"\x1b[?1049h" not in written  # the alternate screen, which hides what was printed
