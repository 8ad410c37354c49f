"""The command line itself: commands and paths, exit codes, one clear line on stderr, never a traceback (CONTRACT 2)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.loaders.session_folders import SESSION, write_database, write_pi_log
from tests.loaders.test_collection_rows import answered, write_rows

from rollout_inspector.cli import run
from rollout_loaders import registry

COMMAND = [sys.executable, "-m", "rollout_inspector"]


def command(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, timeout=60, check=False, env=env)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rollouts.jsonl", answered(1, 0, "four"), answered(2, 0, "five"))


def test_help_names_every_command_and_explains_places(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    said = capsys.readouterr().out
    for word in ("open", "list", "show", "why", "check", "#3-1-a2", "#L17", "Completion"):
        assert word in said


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("open", "list", "show", "why", "check"):
        assert run([name, "--help"]) == 0
        assert "--gym-reasoning / --no-gym-reasoning" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("rollout-inspect")


def test_a_path_without_a_command_opens_and_without_a_terminal_shows(
    rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([str(rows)]) == 0
    said = capsys.readouterr()
    assert "four" in said.out
    assert said.err == "rollout-inspect: stdout is no terminal, so this prints what show prints\n"


def test_the_first_word_is_a_command_unless_it_is_written_as_a_path(
    rows: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(rows.parent)
    rows.rename(rows.with_name("list"))
    assert run(["list"]) == 2
    capsys.readouterr()
    for arguments in (["./list"], ["--", "list"], ["show", "list"]):
        assert run(arguments) == 0
        assert "four" in capsys.readouterr().out


def test_a_place_in_stdin_is_no_option(rows: Path) -> None:
    """What `list -` prints as a place is accepted as one (CONTRACT 2)."""
    for place in ("-#2-0", "-#L2", "-#2-0@turn:1"):
        for arguments in ([place], ["show", place], ["show", place, "--lens", "scored"]):
            ended = subprocess.run(
                [*COMMAND, *arguments], input=rows.read_bytes(), capture_output=True, timeout=60, check=False
            )
            assert (ended.returncode, b"five" in ended.stdout, b"four" in ended.stdout) == (0, True, False), ended


@pytest.mark.parametrize("name", ["list", "show", "why", "check", "diff"])
def test_a_forced_gate_stands_in_every_header(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CONTRACT 2: a forced gate is printed in every header and export."""
    database = str(write_database(tmp_path / "opencode.db", (SESSION, None, ("<think>r</think>4",))))
    paths = [database] * (2 if name == "diff" else 1)
    assert run([name, *paths]) == 0
    assert "split forced" not in capsys.readouterr().out
    assert run([name, "--no-gym-reasoning", *paths]) == 0
    assert "split forced off" in capsys.readouterr().out


def test_options_may_stand_before_a_path_without_a_command(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--reader", "gym-rollouts", str(rows)]) == 0
    assert "four" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["show"], "rollout-inspect show: Missing argument"),
        (["show", "--lense", "x"], "No such option"),
        (["show", "--lens", "other", "x"], "is not one of 'stored', 'observed', 'scored'"),
        (["show", "--turn", "0", "x"], "--turn"),
        (["show", "--items", "x"], "give --json too"),
        (["show", "--reader", "nonsense", "x"], "no such reader"),
        (["list", "--max-answer-chars", "-1", "x"], "--max-answer-chars"),
        (["check", "--select", "nonsense", "x"], "no finding is called nonsense"),
        (["check", "--explain", "empty-final-anwser"], "did you mean empty-final-answer"),
        (["show", "/no/such/file"], "/no/such/file: does not exist; check the spelling"),
        (["/no/such/file"], "/no/such/file: does not exist"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert expected in said.err
    lines = [line for line in said.err.splitlines() if "no terminal" not in line]
    assert len(lines) == 1


@pytest.mark.parametrize("command_", ["list", "show", "why", "check"])
def test_a_rollouts_file_of_blank_lines_only_is_named(
    tmp_path: Path, command_: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rollouts.jsonl"
    path.write_text("\n\n\n")
    assert run([command_, str(path)]) == 2
    assert capsys.readouterr().err == f"{path}: read to the end, and no rollout in it\n"


def test_an_unknown_file_says_what_was_tried_and_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    assert run(["show", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{path}: unknown format (tried opencode-sqlite, ")
    assert "name one with --reader" in said
    assert said.count("\n") == 1


def test_an_empty_folder_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", str(tmp_path)]) == 2
    tried = ", ".join(registry.names())
    assert capsys.readouterr().err == f"{tmp_path}: the folder holds no files; formats tried: {tried}\n"


def test_lines_that_gave_no_rollout_are_one_line_each_with_path_and_line(
    rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with rows.open("a") as file:
        file.write('no json\n{"reward": 1}\n')
    assert run(["list", "--json", str(rows)]) == 0
    said = capsys.readouterr()
    assert said.out.count("\n") == 2
    lines = said.err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"{rows}:3: ")
    assert lines[1].startswith(f"{rows}:4: ")


def test_after_a_hundred_lines_only_the_count_of_each_file_is_said(
    rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with rows.open("a") as file:
        file.write("no json\n" * 130)
    assert run(["show", "--json", str(rows)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 101
    assert lines[-1] == f"{rows}: and 30 more lines like these"


def test_control_characters_of_a_path_never_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_pi_log(tmp_path / "a\x1b]52;c;x\x07.jsonl", "4")
    assert run(["show", str(path), str(tmp_path / "b\x1b[2J")]) == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert "\x07" not in said.out + said.err


def test_a_reader_of_the_pipe_may_leave(rows: Path) -> None:
    write_rows(rows, *(answered(number, 0, "x" * 5000) for number in range(200)))
    with subprocess.Popen([*COMMAND, "show", str(rows)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


@contextmanager
def waiting_run(tmp_path: Path) -> Generator[subprocess.Popen[bytes]]:
    """A run whose standard input never ends, its private copy begun."""
    fifo = tmp_path / "stdin"
    os.mkfifo(fifo)
    keep = os.open(fifo, os.O_RDWR)
    process = subprocess.Popen(
        [*COMMAND, "show", "-"], stdin=keep, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        # A shell starts what it runs in the background with interrupts ignored, and its children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - before any thread of the child
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 30
        while not list(tmp_path.glob("rollout-inspect-*/stdin")) and time.monotonic() < deadline:
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()
        os.close(keep)


def test_interrupting_is_130_and_says_so(tmp_path: Path) -> None:
    with waiting_run(tmp_path) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
    assert out == b""
    assert err == b"rollout-inspect: interrupted\n"
    assert not list(tmp_path.glob("rollout-inspect-*"))


def test_a_terminated_run_removes_its_private_copies(tmp_path: Path) -> None:
    with waiting_run(tmp_path) as process:
        process.terminate()
        process.communicate(timeout=60)
    assert not list(tmp_path.glob("rollout-inspect-*"))


def test_an_internal_error_is_one_line(
    rows: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_arguments: object, **_options: object) -> None:
        raise KeyError("\x1bsecret")

    monkeypatch.setattr("rollout_loaders.collection.open_paths", broken)
    assert run(["show", str(rows)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("rollout-inspect: internal error: KeyError")
    assert said.count("\n") == 1
    assert "\x1b" not in said


def test_a_terminal_without_unicode_is_no_crash(rows: Path) -> None:
    write_rows(rows, answered(1, 0, "naïve — 四"))
    for arguments in (["show"], ["list"], ["why"], ["check"]):
        done = command(*arguments, str(rows), env={**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr


def test_a_full_disk_is_one_line(rows: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "show", "--json", str(rows)], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"No space left" in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("what", ["folder", "file", "parent", "inner"])
def test_permission_denied_is_one_line_also_for_root(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    # Not in tmp_path: pytest's folders are closed to other users already.
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o755)
        place = top / "runs"
        place.mkdir()
        path = write_rows(place / "a.jsonl", answered(1, 0))
        assert run(["list", str(path)]) == 0  # imports everything while it may be read
        capsys.readouterr()
        closed, named = {
            "folder": (place, place),
            "file": (path, path),
            "parent": (place, path),
            "inner": (place / "closed", place),
        }[what]
        if what == "inner":
            closed.mkdir()
        closed.chmod(0)
        code, said = without_privileges(["list", str(named)])
        closed.chmod(0o755)
    assert "Traceback" not in said
    assert "permission denied" in said
    assert str(closed) in said or str(named) in said
    assert len(said.splitlines()) == 1
    assert code == (0 if what == "inner" else 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_file_in_a_folder_that_may_not_be_listed_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        path = write_rows(place / "a.jsonl", answered(1, 0))
        assert run(["list", str(path)]) == 0
        capsys.readouterr()
        place.chmod(0o711)
        assert without_privileges(["list", str(path)]) == (0, "")


def without_privileges(arguments: list[str]) -> tuple[int, str]:
    """Exit code and stderr of a command line run by nobody: a CI may be root, whom no permission stops."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(writing, 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            code = run(arguments)
            sys.stderr.flush()
            os._exit(code)
        except BaseException as error:
            os.write(2, repr(error).encode())
            os._exit(99)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said
