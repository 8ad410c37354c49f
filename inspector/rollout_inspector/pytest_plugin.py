"""A pytest plug-in: every `expect.json` below `--rollout-fixtures DIR` (or ini `rollout_fixtures`) is a test.

A harness repository tests its own converters against the same fixtures: its `conftest.py` gives an adapter,

    def pytest_rollout_adapter(config):
        return MyParser()          # folder: Path -> {rollout id: a subset of the JSON document}

and each fixture then also fails where the adapter's reading differs from the expectation, showing ours beside it.
Without pytest nothing here is imported; with it, Textual is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from rollout_inspector.reports.fixtures import value_text
from rollout_loaders.document import document
from rollout_loaders.fixtures import FILE_NAME, Difference, Missing, Result, differences, run_fixture, run_fixtures
from rollout_loaders.fixtures.difference import MISSING
from rollout_loaders.model import JsonObject, JsonValue


class Adapter(Protocol):
    """Another parser, run beside ours."""

    def __call__(self, folder: Path) -> Mapping[str, JsonObject]:
        """Read the artifacts in `folder`; for each rollout id the members of the document that it can tell."""
        ...


class RolloutHooks:
    """What a `conftest.py` may define."""

    @pytest.hookspec(firstresult=True)
    def pytest_rollout_adapter(self, config: pytest.Config) -> Adapter | None:
        """Return the adapter to run beside ours, or None."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register `pytest_rollout_adapter`."""
    pluginmanager.add_hookspecs(RolloutHooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--rollout-fixtures DIR` and the ini value `rollout_fixtures`."""
    said = "Folder whose rollout fixtures (expect.json) are collected as tests."
    parser.getgroup("rollout-inspect").addoption("--rollout-fixtures", metavar="DIR", default=None, help=said)
    parser.addini("rollout_fixtures", said, default="")


def _root(config: pytest.Config) -> Path | None:
    named = config.getoption("--rollout-fixtures") or config.getini("rollout_fixtures")
    return (config.rootpath / str(named)).resolve() if named else None


@pytest.fixture(scope="session")
def rollout_fixtures(request: pytest.FixtureRequest) -> Iterator[list[Result]]:
    """Every fixture of the configured folder, run: for tests that look at the rollouts themselves."""
    root = _root(request.config)
    if root is None:
        pytest.fail("no folder of fixtures: give --rollout-fixtures DIR or the ini value rollout_fixtures")
    yield list(run_fixtures(root))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """An `expect.json` inside the configured folder is a test file."""
    root = _root(parent.config)
    if root is None or file_path.name != FILE_NAME or not file_path.resolve().is_relative_to(root):
        return None
    return ExpectationFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]  (pytest's is untyped)


class ExpectationFile(pytest.File):
    """One `expect.json`."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test for our reading, one for the adapter's where there is one."""
        yield FixtureTest.of(self, "rollout-inspect", None)
        adapter = self.config.hook.pytest_rollout_adapter(config=self.config)
        if adapter is not None:
            yield FixtureTest.of(self, "adapter", adapter)


class FixtureTest(pytest.Item):
    """A fixture read by us, or by the adapter."""

    adapter: Adapter | None = None

    @classmethod
    def of(cls, parent: pytest.Collector, name: str, adapter: Adapter | None) -> FixtureTest:
        """Pytest makes nodes by `from_parent` only."""
        made = cls.from_parent(parent, name=name)  # pyright: ignore[reportUnknownMemberType]  (as above)
        made.adapter = adapter
        return made

    def runtest(self) -> None:
        """Fails with every difference."""
        result = run_fixture(self.path.parent)
        if result.error:
            raise FixtureFailure([result.error])
        if self.adapter is None:
            lines = [_line(d) for d in result.differences]
        else:
            lines = list(_beside(result, self.adapter(self.path.parent)))
        if lines:
            raise FixtureFailure(lines)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:  # noqa: ARG002
        """The differences alone, no traceback."""
        if isinstance(excinfo.value, FixtureFailure):
            return "\n".join([f"{self.path}:", *excinfo.value.lines])
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where pytest says that the test stands."""
        return self.path, None, f"{self.path.parent.name} ({self.name})"


class FixtureFailure(Exception):
    """A fixture differs; `lines` say where."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


def _line(found: Difference, whose: str = "actual") -> str:
    return (
        f"  {found.rollout or ''} {found.pointer or '/'} {found.message}: "
        f"expected {value_text(found.expected)}, {whose} {value_text(found.actual)}"
    )


def _beside(result: Result, theirs: Mapping[str, JsonObject]) -> Iterator[str]:
    """Where the adapter's documents differ from the expectation, and what ours say there."""
    expectation = result.expectation
    if expectation is None:
        return
    ours = {rollout.id: document(rollout) for rollout in result.rollouts}
    wanted = dict(expectation.rollouts)
    if expectation.single is not None:
        wanted = dict.fromkeys(ours or theirs, expectation.single)
    for key, subset in wanted.items():
        told = theirs.get(key)
        if told is None:
            yield f"  {key}: the adapter gives no rollout of this id (it gives {', '.join(theirs) or 'none'})"
            continue
        spoken = {member: value for member, value in subset.items() if member in told}
        for found in differences(spoken, told):
            mine = value_text(_at(ours.get(key), found.pointer))
            yield f"{_line(found, 'adapter')}, ours {mine}"


def _at(value: JsonValue | Missing, pointer: str) -> JsonValue | Missing:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            value = value.get(key, MISSING)
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value
