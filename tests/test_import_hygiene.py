"""The layers of CONTRIBUTING hold, each package imported in a fresh process (CONTRACT 5)."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import REPO

PACKAGES = {
    "rollout_loaders": REPO / "loaders",
    "rollout_views": REPO / "inspector",
    "rollout_inspector": REPO / "inspector",
    "rollout_widgets": REPO / "widgets",
}
MAY_IMPORT = {
    "rollout_loaders": {"orjson"},
    "rollout_views": {"orjson", "rollout_loaders"},
}
"""Beside the standard library, at import: these and nothing else."""
LIST = """
import sys
before = set(sys.modules)
import importlib, pkgutil
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print("\\n".join(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""


def imported_by(package: str) -> set[str]:
    """Top-level names that importing every module of a package brings in, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", LIST, package], capture_output=True, text=True, timeout=120, check=False, cwd=REPO
    )
    assert done.returncode == 0, done.stderr
    return {name for name in done.stdout.split() if not name.startswith("_")}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_loaders_and_views_need_the_standard_library_and_orjson_only(package: str) -> None:
    others = imported_by(package) - set(sys.stdlib_module_names) - MAY_IMPORT[package] - {package}
    assert others == set()


def modules(package: str) -> Iterator[Path]:
    return (PACKAGES[package] / package).rglob("*.py")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_is_typed_documented_and_of_a_size_to_read(package: str) -> None:
    assert (PACKAGES[package] / package / "py.typed").is_file()
    for path in modules(package):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        assert ast.get_docstring(tree), path
        assert len(text.splitlines()) <= 350, path
        if len(tree.body) > 1:
            assert "from __future__ import annotations" in text, path


def test_no_module_is_a_drawer() -> None:
    names = {path.stem for package in PACKAGES for path in modules(package)}
    assert names & {"utils", "util", "helpers", "helper", "common", "misc"} == set()


def test_the_layers_are_those_of_the_contract() -> None:
    lint = shutil.which("lint-imports", path=sysconfig.get_path("scripts")) or shutil.which("lint-imports")
    if lint is None:
        pytest.skip("import-linter is not installed")
    done = subprocess.run([lint, "--no-cache"], capture_output=True, text=True, timeout=300, check=False, cwd=REPO)
    assert done.returncode == 0, done.stdout
