"""JUnit XML: one test case a rollout, its findings of the failing severities as failures."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from rollout_views.foreign import visible

from .found import Found


def text(places: Sequence[str], found: Sequence[Found], failing: Sequence[str]) -> str:
    """`places` are those of all rollouts checked; a finding of a file is a test case of its own."""
    by_case: dict[str, list[Found]] = {place: [] for place in places}
    for one in found:
        name = next((p for p in (one.place, _rollout_place(one)) if p in by_case), one.place)
        by_case.setdefault(name, []).append(one)
    failed = sum(any(f.severity in failing for f in listed) for listed in by_case.values())
    suite = ET.Element("testsuite", name="rollout-inspect check", tests=str(len(by_case)), failures=str(failed))
    for place, listed in by_case.items():
        case = ET.SubElement(suite, "testcase", classname="rollout", name=visible(place))
        bad = [f for f in listed if f.severity in failing]
        if bad:
            failure = ET.SubElement(case, "failure", type=bad[0].code, message=visible(bad[0].message))
            failure.text = "\n".join(f"{f.severity} {f.code}: {visible(f.message)} ({visible(f.place)})" for f in bad)
        others = [f for f in listed if f.severity not in failing]
        if others:
            said = ET.SubElement(case, "system-out")
            said.text = "\n".join(f"{f.severity} {f.code}: {visible(f.message)}" for f in others)
    return written(suite)


def written(suite: ET.Element) -> str:
    """One suite as a JUnit file."""
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _rollout_place(one: Found) -> str:
    return one.place.rpartition("@")[0] or one.place
