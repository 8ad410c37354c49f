"""What is installed: the script, the packages, their metadata."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.paths import REPO


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_script_is_the_command_line() -> None:
    (script,) = [point for point in entry_points(group="console_scripts") if point.name == "rollout-inspect"]
    assert script.value == "rollout_inspector.cli:main"
    assert callable(script.load())


def test_the_module_runs_as_the_script_does() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rollout_inspector", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert distribution("rollout-inspect").version in done.stdout


def test_every_package_is_in_the_wheel(project: dict[str, Any]) -> None:
    packages = [Path(path) for path in project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]]
    assert {path.name for path in packages} == {
        "rollout_loaders",
        "rollout_views",
        "rollout_inspector",
        "rollout_widgets",
    }
    for path in packages:
        assert (REPO / path / "__init__.py").is_file()


def test_every_command_module_has_a_command() -> None:
    from click import Command

    from rollout_inspector.cli import COMMANDS, cli

    context = cli.make_context("rollout-inspect", ["--"], resilient_parsing=True)
    for name in cli.list_commands(context):
        assert name in COMMANDS
        command = cli.get_command(context, name)
        assert isinstance(command, Command)
        assert command.name == name
        assert command.help


def test_the_licence_is_apache(project: dict[str, Any]) -> None:
    assert project["project"]["license"] == "Apache-2.0"
    assert "Apache License" in (REPO / "LICENSE").read_text(encoding="utf-8")


def test_every_import_of_the_packages_is_a_dependency(project: dict[str, Any]) -> None:
    given = [*project["project"]["dependencies"]]
    for extra in project["project"]["optional-dependencies"].values():
        given += extra
    names = {re.split(r"[<>=!~\[ ;]", one)[0].lower().replace("-", "_") for one in given}
    names |= {"ipython", "traitlets", "yaml"}  # ipywidgets brings the first two; PyYAML is imported as yaml
    own = {"rollout_loaders", "rollout_views", "rollout_inspector", "rollout_widgets"}
    for package in ("loaders", "inspector", "widgets"):
        for path in (REPO / package).rglob("*.py"):
            if "stubs" in path.parts:
                continue
            for found in imported(path):
                known = found in sys.stdlib_module_names or found in own or found.lower() in names
                assert known, f"{path}: {found}"


def imported(path: Path) -> set[str]:
    """Top-level names that a module imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found
