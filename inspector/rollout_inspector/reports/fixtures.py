"""What walking fixtures gave: a table, GitHub annotations, JUnit XML, JSON."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence

from rollout_loaders.fixtures import FILE_NAME, Difference, Missing, Result
from rollout_loaders.model import JsonObject, JsonValue
from rollout_views import fixture_blocks
from rollout_views.foreign import visible, visible_line
from rollout_views.formatting import quantity

from .github import annotation
from .junit import written

SHOWN = 100
"""Characters of a value in a table line."""


def table(results: Sequence[Result]) -> Iterator[str]:
    """A line a fixture, its differences below it, and the counts."""
    width = max((len(visible_line(result.name)) for result in results), default=0)
    for result in results:
        word = "pass" if result.passed else "error" if result.error else "DIFFERS"
        yield f"{word:8}{visible_line(result.name).ljust(width)}  {visible_line(result.title)}".rstrip()
        if result.error:
            yield f"        {visible_line(result.error)}"
        for difference in result.differences:
            yield from _difference(difference)
    yield counts(results)


def counts(results: Sequence[Result]) -> str:
    """`17 fixtures: 16 pass, 1 differs`."""
    passed, broken = sum(r.passed for r in results), sum(r.error is not None for r in results)
    return f"{quantity(len(results), 'fixture')}: {passed} passed, {len(results) - passed - broken} differ" + (
        f", {broken} could not be run" if broken else ""
    )


def _difference(difference: Difference) -> Iterator[str]:
    whose = f"{difference.rollout}: " if difference.rollout else ""
    yield visible_line(f"        {whose}{difference.pointer or '/'} {difference.message}")
    yield f"            expected  {value_text(difference.expected)}"
    yield f"            actual    {value_text(difference.actual)}"


def value_text(value: JsonValue | Missing) -> str:
    """One visible line of JSON, clipped with a count of what was left out."""
    return visible_line(fixture_blocks.value_text(value, SHOWN))


def github(results: Sequence[Result]) -> Iterator[str]:
    """One annotation a difference, on the fixture's `expect.json`."""
    for result in results:
        path = str(result.folder / FILE_NAME)
        if result.error:
            yield annotation("error", path, None, result.title, result.error)
        for found in result.differences:
            said = f"{found.rollout or result.name} {found.pointer or '/'} {found.message}: expected "
            said += f"{value_text(found.expected)}, actual {value_text(found.actual)}"
            yield annotation("error", path, None, result.title, said)


def junit(results: Sequence[Result]) -> str:
    """One test case a fixture."""
    failed = sum(not result.passed for result in results)
    suite = ET.Element("testsuite", name="rollout-inspect walk", tests=str(len(results)), failures=str(failed))
    for result in results:
        case = ET.SubElement(suite, "testcase", classname="fixture", name=visible(result.name))
        if not result.passed:
            lines = [line for difference in result.differences for line in _difference(difference)]
            failure = ET.SubElement(case, "failure", message=visible_line(result.error or result.title))
            failure.text = "\n".join(lines)
    return written(suite)


def as_json(result: Result) -> JsonObject:
    """One line of `walk --run --json`."""
    return {
        "fixture": result.name,
        "title": result.title,
        "passed": result.passed,
        "error": result.error,
        "differences": [
            {
                "rollout": found.rollout,
                "pointer": found.pointer,
                "message": found.message,
                "expected": None if isinstance(found.expected, Missing) else found.expected,
                "actual": None if isinstance(found.actual, Missing) else found.actual,
            }
            for found in result.differences
        ],
    }
