"""`index --ray`: the rows and the lines of one process, and one line for what goes wrong."""

from __future__ import annotations

import importlib
import json
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.loaders import session_folders
from tests.loaders.gym_files import Json, write
from tests.paths import REPO
from tests.samples.gym_rows import message, row

from rollout_inspector.cli import run
from rollout_loaders.cluster import dataset, indexing, plan, session
from rollout_loaders.cluster.worker import packed

pytest.importorskip("pyarrow")
pytest.importorskip("ray.data")

pytestmark = pytest.mark.xdist_group("ray")
RANGE = 20_000
TWICE, DAMAGED, NO_OBJECT, ROWS = (10, 150), 77, 120, 200
"""Places of the lines of the large file, from 0."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cluster of two cores, to which this process is connected."""
    ray: Any = importlib.import_module("ray")
    # jsonschema, which each of Ray's processes imports, compiles a grammar of this package, which takes seconds.
    stub = tmp_path_factory.mktemp("stub")
    (stub / "rfc3987_syntax.py").write_text("raise ImportError\n")
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory(
            prefix="ray-", dir="/tmp" if Path("/tmp").is_dir() else None, ignore_cleanup_errors=True
        ) as folder,
    ):
        patch.setenv("PYTHONPATH", os.pathsep.join((str(stub), *sys.path)))
        patch.setenv("HOME", folder)  # Ray writes a token of its own there
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        given = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.CRITICAL}
        try:
            ray.init(address="local", num_cpus=2, _temp_dir=folder, **given)
        except Exception as error:  # Ray gives its own processes 15 s to start, which a busy machine needs longer for
            ray.shutdown()
            pytest.skip(f"Ray does not start here: {error}")
        try:
            yield
        finally:
            ray.shutdown()


@pytest.fixture(autouse=True)
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "RANGE", RANGE)
    monkeypatch.setenv("ROLLOUT_INSPECT_CACHE", "off")


def large(path: Path) -> Path:
    """Two rows of one identity, far apart; a broken line, one that is no object, and no newline at the end."""
    rows: list[Json | str | bytes] = [row(n // 4, n % 4, [message(f"answer {n}")], reward=1.0) for n in range(ROWS)]
    rows[TWICE[1]] = rows[TWICE[0]]
    rows[DAMAGED], rows[NO_OBJECT] = '{"broken', "[1]"
    return write(path, *rows, end=b"")


def failure(task: int, kind: str) -> Json:
    return {"_ng_task_index": task, "_ng_rollout_index": 1, "_ng_failure_class": kind, "_ng_failure_message": "m"}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A large file with a sidecar and a native session of one row; a database; a Pi log; a file that is nothing."""
    folder = tmp_path / "runs"
    native = folder / "gym" / "2-2"
    for made in (native, folder / "db", folder / "small"):
        made.mkdir(parents=True)
    assert large(folder / "gym" / "rollouts.jsonl").stat().st_size > 5 * RANGE
    write(folder / "gym" / "rollouts_failures.jsonl", failure(3, "agent_error"), failure(900, "agent_error"))
    session_folders.write_export(native / "export.json", session_folders.SESSION, "answer 10")
    session_folders.write_database(folder / "db" / "opencode.db", (session_folders.CHILD, None, ("4", "5")))
    shutil.copytree(REPO / "sample_rollouts" / "pi-killed", folder / "pi")
    write(folder / "small" / "rollouts.jsonl", row(0, 0, [message("\ud800")]), "{torn", end=b"")
    (folder / "notes.txt").write_text("no rollout")
    return folder


def rows_of(path: Path) -> list[dict[str, Any]]:
    parquet: Any = importlib.import_module("pyarrow.parquet")
    rows: list[dict[str, Any]] = parquet.read_table(str(path)).to_pylist()
    return rows


@pytest.mark.parametrize("how", ["--findings", "--no-findings"])
def test_a_cluster_gives_the_rows_and_the_lines_of_one_process(
    cluster: None, runs: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = runs / "run.parquet"
    assert run(["index", str(runs), "-o", str(target), how]) == 0
    expected, said = rows_of(target), capsys.readouterr().err
    target.unlink()
    assert run(["index", str(runs), "-o", str(target), how, "--ray", "auto"]) == 0
    found, said_there = rows_of(target), capsys.readouterr().err
    assert found == expected
    assert said_there == said
    # 200 lines of which two are no rows, a record without a row; one session in the database, one log, one small row
    assert len(found) == ROWS - 2 + 1 + 1 + 1 + 1
    of_large = {one["locator"]: one for one in found if one["path"] == "gym/rollouts.jsonl"}
    assert len(of_large) == ROWS - 2
    assert [of_large[f"L{place + 1}"]["id"] for place in (*TWICE, ROWS - 1)] == ["L11", "L151", "49-3"]
    assert [one["task_index"] for one in found].count(900) == 1
    assert of_large["L11"]["artifacts"] == ["gym/2-2/export.json"]
    for line, what in ((DAMAGED + 1, "no JSON"), (NO_OBJECT + 1, "a JSON array, no object")):
        assert f"gym/rollouts.jsonl:{line}: {what}" in said_there
    if how == "--findings":
        assert all("record-unreadable" in one["findings"] for one in of_large.values())
        repeated = [name for name, one in of_large.items() if "identity-repeated" in one["findings"]]
        assert repeated == ["L11", "L151"]
        assert [name for name, one in of_large.items() if "no-final-newline" in one["findings"]] == ["L200"]


def test_relative_paths_places_and_other_indexes(
    cluster: None, runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(runs)
    paths = ["gym/rollouts.jsonl", "gym/rollouts.jsonl#3-1", "none.jsonl", "small.parquet", "db"]
    assert run(["index", "small", "-o", "small.parquet"]) == 0
    capsys.readouterr()
    found: list[tuple[list[dict[str, Any]], list[str]]] = []
    for more in ([], ["--ray", "auto"]):
        assert run(["index", *paths, "-o", "../one.parquet", "--no-findings", *more]) == 0
        found.append((rows_of(Path("../one.parquet")), capsys.readouterr().err.splitlines()))
    assert found[0] == found[1]
    # what belongs to no row of a named file is not given; the place, the index and the database are one each
    assert len(found[0][0]) == ROWS - 2 + 3
    assert any(line.startswith("none.jsonl: does not exist") for line in found[1][1])


def test_a_line_beyond_its_bound_ends_the_file_as_in_one_process(
    cluster: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row(n, 0, [message("m" * (3000 if n == 60 else 10))]) for n in range(100)]
    path = write(tmp_path / "rollouts.jsonl", *rows)
    monkeypatch.setenv("ROLLOUT_INSPECT_MAX_LINE", "3000")
    said: list[tuple[int, str]] = []
    for more in ([], ["--ray", "auto"]):
        code = run(["index", str(path), "-o", str(tmp_path / "run.parquet"), *more])
        said.append((code, capsys.readouterr().err))
    assert said[0] == said[1]
    assert "ROLLOUT_INSPECT_MAX_LINE" in said[1][1]


def refused(capsys: pytest.CaptureFixture[str], folder: Path, address: str = "auto") -> str:
    """The one line with which the command ends; nothing is left of the index."""
    before = sorted(folder.iterdir())
    assert run(["index", str(folder), "-o", str(folder / "run.parquet"), "--ray", address]) == 2
    assert sorted(folder.iterdir()) == before
    (line,) = capsys.readouterr().err.splitlines()
    assert "\x1b" not in line
    return line


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one large file."""
    made = tmp_path / "one"
    made.mkdir()
    write(made / "rollouts.jsonl", *(row(n, 0, [message("m")]) for n in range(100)))
    return made


def before_reading(monkeypatch: pytest.MonkeyPatch, what: Callable[[], object], times: int = 1) -> None:
    """Let something happen when pieces are sent: to be scanned first, to be read then."""
    sent: list[int] = []

    def sending(pieces: Any) -> Any:
        sent.append(len(pieces))
        if len(sent) == times:
            what()
        return packed(pieces)

    monkeypatch.setattr(indexing, "packed", sending)


def test_a_file_that_a_worker_does_not_see_is_named(
    cluster: None, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "rollouts.jsonl"
    data = path.read_bytes()

    def another() -> None:
        path.rename(folder / "kept.txt")
        path.write_bytes(data.replace(b"resp_1", b"resp_2"))

    before_reading(monkeypatch, another)
    with pytest.raises(AssertionError):  # the folder is another one now
        refused(capsys, folder)
    assert f"{path}: is another file on the worker" in capsys.readouterr().err
    before_reading(monkeypatch, path.unlink)
    with pytest.raises(AssertionError):
        refused(capsys, folder)
    assert f"{path}: cannot be seen by the worker" in capsys.readouterr().err
    assert not (folder / "run.parquet").exists()


def test_a_file_that_is_written_to_meanwhile_is_not_indexed(
    cluster: None, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "rollouts.jsonl"

    def rewrite() -> None:
        data = path.read_bytes().replace(b'"_ng_task_index": 99', b'"_ng_task_index": 98')
        with path.open("r+b") as file:
            file.write(data)

    before_reading(monkeypatch, rewrite, times=2)
    assert "changed while it was indexed" in refused(capsys, folder)


def test_a_worker_that_dies_ends_the_run(
    cluster: None, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def dying(batch: Any, run: bytes) -> Iterator[Any]:  # a function in a function: sent as it is, not by its name
        os._exit(1)
        yield batch

    monkeypatch.setattr(indexing, "work", dying)
    monkeypatch.setattr(dataset, "TRIES_AGAIN", 0)
    assert refused(capsys, folder) == "rollout-inspect: --ray auto: a worker died, each time it was tried"


def test_a_worker_with_other_code_and_one_without_are_refused(
    cluster: None, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lacking(batch: Any, run: bytes) -> Iterator[Any]:
        raise ModuleNotFoundError("No module named 'rollout_loaders'")
        yield batch

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "work", lacking)
        assert "a worker lacks rollout_loaders; install the same" in refused(capsys, folder)
    monkeypatch.setattr(indexing, "code_digest", lambda: "other")
    assert "has another version of rollout-inspect" in refused(capsys, folder)


@pytest.fixture
def unconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a process that is connected to no cluster."""
    ray: Any = importlib.import_module("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_nothing_answers(
    unconnected: None, folder: Path, scheme: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"{scheme}127.0.0.1:{free.getsockname()[1]}"
    assert f"--ray {address}: no cluster answers there" in refused(capsys, folder, address)
    assert "is no address" in refused(capsys, folder, f"{scheme}nonsense")


def test_what_answers_and_is_no_cluster_is_waited_for_a_bounded_time(
    unconnected: None, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(session, "SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        said = refused(capsys, folder, f"127.0.0.1:{mute.getsockname()[1]}")
    assert "no cluster answers there in 1 s" in said


def test_without_ray_one_line_says_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "rollout-inspect[ray]" in refused(capsys, folder, "local")


def test_a_process_outside_of_the_cluster_gets_the_same_rows(cluster: None, runs: Path) -> None:
    """The address is not asked, for this process is connected; the dataset is held by an actor all the same."""
    found: list[list[dict[str, Any]]] = []
    for more in ([], ["--ray", "ray://127.0.0.1:10001"]):
        assert run(["index", str(runs / "gym"), "-o", str(runs / "run.parquet"), "--no-findings", *more]) == 0
        found.append(rows_of(runs / "run.parquet"))
    assert found[0] == found[1]


def test_a_local_cluster_comes_and_goes_unseen(folder: Path, tmp_path: Path) -> None:
    stub = tmp_path / "stub"
    stub.mkdir()
    (stub / "rfc3987_syntax.py").write_text("raise ImportError\n")  # as in `cluster`
    program = (
        "import sys; from rollout_loaders.cluster import plan; plan.RANGE = 20_000\n"
        "from rollout_inspector.cli import run; sys.exit(run(sys.argv[1:]))"
    )
    arguments = ["index", str(folder), "-o", str(tmp_path / "run.parquet"), "--ray", "local"]
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp" if Path("/tmp").is_dir() else None) as temporary:
        environment = {
            **os.environ,
            "HOME": str(tmp_path),
            "TMPDIR": temporary,
            "PYTHONPATH": os.pathsep.join((str(stub), *sys.path)),
        }
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if "timed out during startup" in done.stderr:
            pytest.skip("Ray does not start here in time")
        assert list(Path(temporary).iterdir()) == []
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"{tmp_path / 'run.parquet'}: 100 rollouts\n"
    assert json.dumps([one["id"] for one in rows_of(tmp_path / "run.parquet")][:2]) == '["0-0", "1-0"]'
