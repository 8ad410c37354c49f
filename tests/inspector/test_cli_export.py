"""`export` and `search`: by suffix, deterministic, nothing overwritten unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.loaders.session_folders import SESSION, write_export
from tests.paths import SAMPLES

from rollout_inspector.cli import run

SPLIT = str(SAMPLES / "empty-final-answer")


@pytest.mark.parametrize("suffix", ["html", "md", "txt", "json", "ipynb"])
def test_an_export_is_the_same_byte_for_byte(tmp_path: Path, suffix: str) -> None:
    one, two = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    assert run(["export", SPLIT, "-o", str(one)]) == 0
    assert run(["export", SPLIT, "-o", str(two)]) == 0
    assert one.read_bytes() == two.read_bytes()
    assert b"The check passed, nothing more to say." in one.read_bytes()


def test_many_become_a_folder_with_an_index(tmp_path: Path) -> None:
    target = f"{tmp_path / 'all'}/"
    assert run(["export", str(SAMPLES / "split"), "-o", target]) == 0
    files = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert len(files) == 11
    index = (tmp_path / "all" / "index.html").read_text()
    assert all(name in index for name in files if name != "index.html")


def test_a_file_is_not_overwritten_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "a.txt"
    target.write_text("mine")
    assert run(["export", SPLIT, "-o", str(target)]) == 2
    assert "--force" in capsys.readouterr().err
    assert target.read_text() == "mine"
    assert run(["export", SPLIT, "-o", str(target), "--force"]) == 0
    assert target.read_text() != "mine"


def test_what_was_read_is_never_overwritten_not_even_with_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_export(tmp_path / "export.json", SESSION, "4")
    before = source.read_bytes()
    other = tmp_path / "link.json"
    other.symlink_to(source)
    for target in (source, other):
        assert run(["export", str(source), "-o", str(target), "--force"]) == 2
        assert "never written to" in capsys.readouterr().err
    assert source.read_bytes() == before


def test_an_unknown_suffix_names_those_that_are_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", SPLIT, "-o", str(tmp_path / "a.docx")]) == 2
    assert ".html, .md, .txt, .json, .ipynb" in capsys.readouterr().err


def test_a_place_that_search_prints_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "nothing more", SPLIT, "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[0])
    assert found["text"] == "nothing more"
    assert found["label"] == "think"
    assert run(["show", found["place"]]) == 0
    assert "nothing more to say" in capsys.readouterr().out


def test_search_finds_nothing_with_exit_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "no such words", SPLIT]) == 1
    assert capsys.readouterr().out == ""


def test_a_bad_regular_expression_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["search", "-e", "(", SPLIT]) == 2
    assert "no regular expression" in capsys.readouterr().err
