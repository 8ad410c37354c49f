"""The map of CONTRIBUTING is the tree: every name on it exists, every package is on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import REPO

TEXT = (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8")
TREE = TEXT.partition("```\n")[2].partition("```")[0]
ROOTS = {
    "formats": REPO / "loaders" / "rollout_loaders",
    "convert": REPO / "loaders" / "rollout_loaders",
    "evidence": REPO / "loaders" / "rollout_loaders",
    "collection": REPO / "loaders" / "rollout_loaders",
    "rollout_views": REPO / "inspector",
}


def mapped() -> Iterator[Path]:
    """Every path that the tree draws: names are indented below their folder, two spaces from what is said of them."""
    parents = [REPO]
    for line in TREE.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        if depth > 2:
            continue  # the second line of a description
        names = re.match(r"\s*((?:[\w/]+(?:\.py|/)(?: +|$))+)", line)
        if names is None:
            continue
        parents = parents[: depth + 1]
        for name in names[1].split():
            yield parents[-1] / name.rstrip("/")
        parents.append(parents[-1] / names[1].split()[-1].rstrip("/"))


def expanded(pattern: str) -> Iterator[str]:
    """`a/{b,c}.py` as `a/b.py` and `a/c.py`."""
    found = re.search(r"\{([^}]*)\}", pattern)
    if found is None:
        yield pattern
        return
    for choice in found[1].split(","):
        yield from expanded(pattern.replace(found[0], choice, 1))


def named() -> Iterator[tuple[Path, str]]:
    """Every path of the table, below its package."""
    for pattern in re.findall(r"`((?:formats|convert|evidence|collection|rollout_views)/[^`]+)`", TEXT):
        for one in expanded(pattern):
            yield ROOTS[one.partition("/")[0]], one


def test_every_path_of_the_tree_exists() -> None:
    paths = list(mapped())
    assert len(paths) > 30
    assert [str(path.relative_to(REPO)) for path in paths if not path.exists()] == []


@pytest.mark.parametrize("package", ["loaders/rollout_loaders", "inspector/rollout_inspector"])
def test_every_package_and_every_module_of_the_loaders_root_is_on_the_tree(package: str) -> None:
    root, paths = REPO / package, set(mapped())
    missing = [path.name for path in root.iterdir() if (path / "__init__.py").is_file() and path not in paths]
    if package.startswith("loaders"):
        text = TREE + TEXT
        missing += [path.name for path in root.glob("*.py") if f"{path.name}" not in text and path.stem != "__init__"]
    assert missing == []


def test_every_path_of_the_table_exists() -> None:
    patterns = list(named())
    assert len(patterns) > 40
    for root, pattern in patterns:
        # `formats/pi_*` stands for modules, `evidence/verifiers/` for a folder
        assert any(root.glob(pattern.rstrip("/"))) or (root / pattern.rstrip("/")).exists(), pattern
