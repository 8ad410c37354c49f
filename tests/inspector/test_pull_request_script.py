"""The workflow's steps, run on a throwaway repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.paths import REPO, SAMPLES

SCRIPT = REPO / "inspector" / "github" / "compare-rollouts.sh"
LACKING = shutil.which("git") is None or shutil.which("bash") is None
pytestmark = pytest.mark.skipif(LACKING, reason="needs git and bash")


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    identity = {f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, "PATH": path, "GIT_CONFIG_GLOBAL": os.devnull, **identity}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)


def commit(folder: Path, sample: str) -> str:
    shutil.rmtree(folder / "runs", ignore_errors=True)
    shutil.copytree(SAMPLES / sample, folder / "runs")
    run(folder, "git", "add", "-A")
    run(folder, "git", "commit", "-q", "-m", sample)
    return run(folder, "git", "rev-parse", "HEAD").stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    run(tmp_path, "git", "init", "-q")
    (tmp_path / "readme").write_text("x")
    run(tmp_path, "git", "add", "-A")
    run(tmp_path, "git", "commit", "-q", "-m", "start")
    return tmp_path


def test_the_comment_says_what_moved_and_names_the_revision(repository: Path) -> None:
    before, after = commit(repository, "split/before"), commit(repository, "split/after")
    done = run(repository, str(SCRIPT), before, after, "runs")
    assert done.returncode == 0, done.stderr
    comment = (repository / "rollouts.md").read_text()
    assert len(comment.encode()) <= 60_000
    assert "5 pairs · 5 changed · reward up 2, down 0, same 3" in comment
    assert "5 of 5 | 0 of 5" in comment
    assert f"{after}&#58;runs/rollouts.jsonl" in comment


def test_a_new_folder_is_listed(repository: Path) -> None:
    start = run(repository, "git", "rev-parse", "HEAD").stdout.strip()
    after = commit(repository, "split/after")
    assert run(repository, str(SCRIPT), start, after, "runs").returncode == 0
    assert "New folder" in (repository / "rollouts.md").read_text()


def test_a_fixture_that_differs_is_annotated_and_fails(repository: Path) -> None:
    before = commit(repository, "split/before")
    after = commit(repository, "split/after")
    path = repository / "runs" / "expect.json"
    path.write_text(path.read_text().replace('"final_text": "16"', '"final_text": "17"'))
    done = run(repository, str(SCRIPT), before, after, "runs")
    assert done.returncode == 1
    assert "::error file=runs/expect.json" in done.stdout
    assert "/scored/final_text" in done.stdout


def test_the_checkout_is_left_as_it_was(repository: Path) -> None:
    before, after = commit(repository, "split/before"), commit(repository, "split/after")
    run(repository, str(SCRIPT), before, after, "runs")
    assert run(repository, "git", "status", "--porcelain").stdout == "?? rollouts.md\n"
