"""What a rollout's names may try on what is written: paths that lead out, workflow commands, XML, HTML, fixtures."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rollout_inspector.cli import run
from tests.hostile.test_defects import message, row
from tests.views.allowed_html import Checked
from tests.views.hostile import unsafe_in

NAMES = (
    *(
        "../../../escape",
        "/etc/escape",
        "..",
        ".",
        "a/../../b",
        "~/escape",
        "con",
        "x" * 400,
        "a\0b",
        "\x1b[2J",
        "a\nb",
    ),
    *(
        "::error::owned",
        "a%0A::set-env name=X::y",
        "]]><x/>",
        "<script>",
        '" onload="x',
        "-rf",
        "=1+1",
        "'; DROP TABLE x",
    ),
)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """One row a name, in its id, its task, its agent and its text; each with a finding."""
    path = tmp_path / "in" / "rollouts.jsonl"
    path.parent.mkdir()
    records = [
        {
            **row(message({"type": "output_text", "text": name}, id=name)),
            **{"_ng_rollout_id": name, "task_id": name, "agent_ref": {"name": name}, "reward": name},
        }
        for name in NAMES
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def everything(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", ["html", "md", "txt", "json", "ipynb"])
def test_an_export_stays_in_its_folder(
    form: str, rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = everything(tmp_path)
    target = tmp_path / "out"
    assert run(["export", str(rows), "-o", f"{target}/", "--format", form]) == 0
    capsys.readouterr()
    written = everything(tmp_path) - before
    assert {path.parent for path in written} == {target}
    assert len(written) == len(NAMES) + 1
    for path in written:
        assert path.name.isascii()
        assert unsafe_in(path.read_text("utf-8")) == set()
    index = Checked((target / "index.html").read_text("utf-8").replace('href="0', 'href="#x'))
    assert [problem for problem in index.problems if "href" not in problem] == []


def test_a_fixture_stays_in_its_folder(rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = everything(tmp_path)
    for number in range(1, len(NAMES) + 1):
        assert run(["walk", str(tmp_path / f"f{number}"), "--record", f"{rows}#L{number}"]) == 0, NAMES[number - 1]
    said = capsys.readouterr()
    assert unsafe_in(said.out + said.err) == set()
    for path in everything(tmp_path) - before:
        assert path.parent.parent == tmp_path
        assert path.name in ("expect.json", "rollouts.jsonl")


def test_a_workflow_command_is_never_a_name_of_a_rollout(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", str(rows), "--output", "github", "--fail-on", "info"])
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert lines
    for line in lines:
        kind, _, rest = line.removeprefix("::").partition("::")
        assert line.startswith("::")
        assert kind.split(" ")[0] in ("error", "warning", "notice"), line
        assert rest
    assert unsafe_in(said) == set()


def test_reports_are_whole_documents(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", str(rows), "--output", "junit", "--fail-on", "info"])
    said = capsys.readouterr().out
    assert unsafe_in(said) == set()
    assert {element.tag for element in ElementTree.fromstring(said).iter()} <= {
        *("testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out", "properties", "property"),
    }
    run(["check", str(rows), "--output", "sarif", "--fail-on", "info"])
    raw = capsys.readouterr().out
    assert raw.isascii()
    assert json.loads(raw)["version"] == "2.1.0"


def test_every_line_of_a_list_is_one_line(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", str(rows)]) == 0
    said = capsys.readouterr()
    assert unsafe_in(said.out + said.err) == set()
    assert len(said.out.splitlines()) <= len(NAMES) + 5
    assert run(["list", "--json", str(rows)]) == 0
    for line in capsys.readouterr().out.splitlines():
        assert line.isascii()
        json.loads(line)
