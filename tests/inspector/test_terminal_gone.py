"""A terminal that vanishes while SIGHUP is ignored (`trap '' HUP`): the program ends soon, and not with 0."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

import pytest
from tests.paths import SAMPLES

SOON = 20.0
"""Seconds. It takes half of one; without care it never ended."""
A_LITTLE = 1.0
ROW = {
    "_ng_task_index": 0,
    "_ng_rollout_index": 0,
    "reward": 1.0,
    "responses_create_params": {"input": [{"role": "user", "content": "go"}]},
    "response": {
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "4" * 3000}]}]
    },
}


def exit_code_when_the_terminal_vanishes(*arguments: str) -> int:
    """Of the program in a terminal of its own that is closed a little after something was drawn."""
    pid, ours = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.execvpe(
            sys.executable, [sys.executable, "-m", "rollout_inspector", *arguments], {**os.environ, "TERM": "xterm"}
        )
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    until = time.monotonic() + SOON
    drawn = False
    while time.monotonic() < until:
        if select.select([ours], [], [], 0.1)[0]:
            os.read(ours, 65536)
            if not drawn:
                drawn, until = True, time.monotonic() + A_LITTLE
    assert drawn
    os.close(ours)
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    pytest.fail("it hangs")


@pytest.mark.parametrize(
    "arguments",
    [
        [str(SAMPLES / "split")],
        ["open", "--inline", str(SAMPLES / "split")],
        ["walk", str(SAMPLES)],
        ["diff", "--open", str(SAMPLES / "split"), str(SAMPLES / "split-reply")],
    ],
    ids=["open", "inline", "walk", "diff"],
)
def test_a_terminal_that_vanishes_unsaid_does_not_leave_the_program_hanging(arguments: list[str]) -> None:
    assert exit_code_when_the_terminal_vanishes(*arguments) == 128 + signal.SIGHUP


def test_a_terminal_that_vanishes_while_a_file_is_indexed_ends_the_index_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    with (tmp_path / "rollouts.jsonl").open("w") as file:
        for task in range(60_000):
            file.write(json.dumps(ROW | {"_ng_task_index": task}) + "\n")
    assert exit_code_when_the_terminal_vanishes(str(tmp_path / "rollouts.jsonl")) == 128 + signal.SIGHUP
    # What was begun has a name of its own that nothing reads and that a later index clears away.
    assert {path.suffix for path in cache.rglob("*") if path.is_file()} <= {".partial"}


def test_in_a_terminal_without_a_size_it_was_drawn_without_end() -> None:
    pid, ours = pty.fork()
    if pid == 0:
        arguments = [sys.executable, "-m", "rollout_inspector", "walk", str(SAMPLES)]
        os.execvpe(sys.executable, arguments, {**os.environ, "TERM": "xterm"})
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
    try:
        until, last, drawn = time.monotonic() + SOON, time.monotonic(), 0
        while time.monotonic() < until and (not drawn or time.monotonic() < last + 2 * A_LITTLE):
            if select.select([ours], [], [], 0.1)[0]:
                drawn, last = drawn + len(os.read(ours, 65536)), time.monotonic()
        assert drawn > 1000
        assert time.monotonic() < until, "it is never still"
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(ours)
