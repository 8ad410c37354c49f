"""`freeze` takes live outputs out of a notebook and leaves every other byte."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rollout_widgets import FreezeError, freeze
from rollout_widgets.freeze import main
from rollout_widgets.freezing import frozen_text, is_frozen

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


def document(*outputs: Any, **metadata: Any) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": 1,
        "id": "a",
        "metadata": {},
        "outputs": list(outputs),
        "source": [],
    }
    text: dict[str, Any] = {"cell_type": "markdown", "id": "b", "metadata": {}, "source": ["widgets"]}
    return {"cells": [text, cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def output(**data: Any) -> dict[str, Any]:
    return {"data": data, "metadata": {}, "output_type": "display_data"}


VIEW_VALUE = {"model_id": "f00", "version_major": 2, "version_minor": 0}
LIVE = document(
    output(**{VIEW: VIEW_VALUE, "text/html": ["<p>1.50 é</p>\n"], "text/plain": ["4"]}),
    {"output_type": "stream", "name": "stdout", "text": [f'"{VIEW}": 1']},
    kernelspec={"name": "python3"},
    widgets={STATE: {"state": {}, "version_major": 2}},
)
WANTED = document(
    output(**{"text/html": ["<p>1.50 é</p>\n"], "text/plain": ["4"]}),
    LIVE["cells"][1]["outputs"][1],
    kernelspec={"name": "python3"},
)

FORMS: dict[str, Callable[[Any], str]] = {
    "jupyter": lambda value: json.dumps(value, indent=1, ensure_ascii=False) + "\n",
    "compact": lambda value: json.dumps(value, separators=(",", ":")),
    "wide": lambda value: json.dumps(value, indent=4, sort_keys=True) + "\n\n",
    "windows": lambda value: json.dumps(value, indent=1).replace("\n", "\r\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_frozen_is_the_same_text_without_the_live_parts(form: str) -> None:
    assert frozen_text(FORMS[form](LIVE)) == FORMS[form](WANTED)
    assert frozen_text(FORMS[form](WANTED)) == FORMS[form](WANTED)


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ([VIEW], []),
        ([VIEW, "a"], ["a"]),
        (["a", VIEW], ["a"]),
        (["a", VIEW, "b"], ["a", "b"]),
        ([VIEW, STATE, "a"], ["a"]),
        (["a", VIEW, STATE], ["a"]),
        ([VIEW, "a", STATE, "b", VIEW + "2"], ["a", "b", VIEW + "2"]),
        ([VIEW, STATE], []),
    ],
)
def test_commas_are_right_wherever_the_key_stands(keys: list[str], left: list[str]) -> None:
    for form in FORMS.values():
        made = json.loads(frozen_text(form(document(output(**dict.fromkeys(keys, "x"))))))
        assert sorted(made["cells"][1]["outputs"][0]["data"]) == sorted(left)


def test_numbers_and_escapes_keep_their_spelling() -> None:
    text = FORMS["jupyter"](LIVE).replace('"execution_count": 1', '"execution_count": 1e0').replace("é", "\\u00e9")
    assert frozen_text(text) == FORMS["jupyter"](WANTED).replace(
        '"execution_count": 1', '"execution_count": 1e0'
    ).replace("é", "\\u00e9")


def test_freeze_writes_in_place_once(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(FORMS["jupyter"](LIVE), encoding="utf-8")
    path.chmod(0o640)
    assert not is_frozen(path)
    assert freeze(path) is True
    assert is_frozen(path)
    assert path.read_text(encoding="utf-8") == FORMS["jupyter"](WANTED)
    assert path.stat().st_mode & 0o777 == 0o640
    before = path.stat().st_mtime_ns
    assert freeze(path) is False
    assert path.stat().st_mtime_ns == before
    assert [one.name for one in tmp_path.iterdir()] == ["n.ipynb"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.ipynb").write_text(FORMS["jupyter"](LIVE), encoding="utf-8")
    (tmp_path / "link.ipynb").symlink_to("real.ipynb")
    freeze(tmp_path / "link.ipynb")
    assert (tmp_path / "link.ipynb").is_symlink()
    assert is_frozen(tmp_path / "real.ipynb")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "{}",
        '{"nbformat": 3, "worksheets": []}',
        '{"nbformat": 4, "cells": {}}',
        "[" * 100_000,
        "\x00",
    ],
)
def test_what_is_no_notebook_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text(text)
    with pytest.raises(FreezeError, match=r"x\.ipynb"):
        freeze(path)
    assert path.read_text() == text


@pytest.mark.parametrize("cells", [[1], [{"outputs": 3}], [{"outputs": [3]}], [{"outputs": [{"data": 3}]}], [None]])
def test_odd_cells_do_no_harm(cells: list[Any]) -> None:
    text = json.dumps({"cells": cells, "nbformat": 4})
    with contextlib.suppress(FreezeError):
        assert frozen_text(text) == text


def test_the_command_freezes_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(FORMS["jupyter"](LIVE), encoding="utf-8")
    assert main(["--check", str(path)]) == 1
    assert capsys.readouterr().out == f"{path}: not frozen\n"
    assert path.read_text(encoding="utf-8") == FORMS["jupyter"](LIVE)
    assert main([str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: frozen\n"
    assert main(["--check", str(path)]) == 0
    assert capsys.readouterr().out == ""


def test_the_command_goes_on_after_a_file_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(FORMS["jupyter"](LIVE), encoding="utf-8")
    (tmp_path / "other.ipynb").write_text("no")
    assert main([str(tmp_path / "other.ipynb"), str(tmp_path / "missing.ipynb"), str(path)]) == 2
    assert is_frozen(path)
    assert len(capsys.readouterr().err.splitlines()) == 2
