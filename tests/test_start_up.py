"""What a command line does not need it does not import: the first line must not wait for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import REPO

LOADED = """
import sys
from rollout_inspector.cli import run
run(sys.argv[1:])
print("\\n".join(sys.modules), file=sys.stderr)
"""
SAMPLE = "sample_rollouts/gym-rows-and-failures/rollouts.jsonl"


def loaded_by(*arguments: str) -> set[str]:
    """Modules that a command line has imported when it is done, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, timeout=120, check=True, cwd=REPO
    )
    assert done.stdout
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_and_version_import_no_command_and_no_reader(arguments: tuple[str, ...]) -> None:
    loaded = loaded_by(*arguments)
    for prefix in ("rollout_inspector.commands.", "rollout_loaders.formats", "rollout_loaders.evidence", "textual"):
        assert [name for name in loaded if name.startswith(prefix)] == [], prefix


def test_a_list_imports_no_terminal_library_and_no_reader_behind_the_one_that_is_sure() -> None:
    loaded = loaded_by("list", SAMPLE)
    assert "rollout_loaders.formats.gym_rollouts" in loaded
    for module in ("textual", "rich", "yaml", "IPython", "rollout_loaders.formats.codex_exec"):
        assert module not in loaded, module


def test_a_search_imports_nothing_that_asks_a_server_or_draws() -> None:
    loaded = loaded_by("search", "a", SAMPLE)
    assert "rollout_views.searching" in loaded
    for module in ("textual", "rich", "rollout_loaders.remote.session", "rollout_loaders.remote.backend"):
        assert module not in loaded, module


def test_the_line_of_a_search_is_read_before_what_reads_rollouts_is_imported() -> None:
    """Files are looked through meanwhile."""
    code = "import sys, rollout_inspector.commands.search\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPO)
    for module in ("rollout_loaders.model", "rollout_loaders.collection", "rollout_views.searching"):
        assert module not in done.stdout.split(), module


def test_the_help_names_every_command_module() -> None:
    from rollout_inspector.cli import COMMANDS

    folder = REPO / "inspector" / "rollout_inspector" / "commands"
    with_command = {path.stem for path in folder.glob("*.py") if "\ndef COMMAND(" in _text(path)}
    assert set(COMMANDS) == with_command


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
