"""s3:// as a PATH, against moto's S3 on loopback: folders, places, keys of all kinds, and what is transferred."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.inspector.tui import press, screen_text, settled
from tests.loaders.gym_files import dumped
from tests.loaders.session_folders import SESSION, write_export
from tests.paths import SAMPLES
from tests.remote.servers import Store
from tests.remote.test_web import complaint, rows
from tests.samples.gym_rows import message, row

from rollout_inspector.app import InspectorApp
from rollout_inspector.cli import run
from rollout_loaders.collection import open_paths
from rollout_loaders.document import document, encode
from rollout_loaders.errors import ReadError
from rollout_loaders.remote.blocks import BLOCK, FIRST, Blocks

FOLDERS = sorted(path.name for path in SAMPLES.iterdir() if path.is_dir() and not (path / "storage").is_dir())


def upload(store: Store, folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            store.put(f"{folder.name}/{path.relative_to(folder).as_posix()}", path.read_bytes())


def documents(path: str, prefix: str) -> tuple[list[str], list[str]]:
    with open_paths([path]) as collection:
        found = [encode(document(one, items=True, parts=True)).decode() for one in collection.rollouts()]
        said = [f"{one.code} {one.locator}: {one.message}" for one in collection.diagnostics]
    return [one.replace(prefix, "") for one in found], [one.replace(prefix, "") for one in said]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_prefix_gives_what_the_folder_gives(name: str, store: Store) -> None:
    upload(store, SAMPLES / name)
    assert documents(f"s3://runs/{name}/", "s3://runs/") == documents(f"{SAMPLES / name}/", f"{SAMPLES}/")


def test_a_named_file_comes_with_its_sidecar(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    upload(store, SAMPLES / "gym-rows-and-failures")
    url = "s3://runs/gym-rows-and-failures/rollouts.jsonl"
    assert run(["show", "--json", f"{url}#2-0-a1"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["source"]["path"] == url
    assert said["source"]["artifacts"] == [url.replace(".jsonl", "_failures.jsonl")]
    assert len(said["attempts"]) == 2


def test_a_prefix_may_be_written_without_its_slash(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.put("run/a/rollouts.jsonl", rows(1)[0])
    for url in ("s3://runs/run", "s3://runs/run/", "s3://runs"):
        assert run(["list", url]) == 0
        assert "s3://runs/run/a/rollouts.jsonl#0-0" in capsys.readouterr().out


def test_an_object_and_a_prefix_of_one_name_are_told_apart(store: Store) -> None:
    store.put("x", rows(1)[0])
    store.put("x/rollouts.jsonl", rows(2)[1])
    named = {url: [one.id for one in open_paths([url]).rollouts()] for url in ("s3://runs/x", "s3://runs/x/")}
    assert named == {"s3://runs/x": ["0-0"], "s3://runs/x/": ["1-0"]}


@pytest.mark.parametrize(
    "key", ["a#b.jsonl", "a b.jsonl", "ä%20+&.jsonl", "x@turn:1.jsonl", "run[1]*.jsonl", "a//b.jsonl"]
)
def test_a_key_is_taken_as_it_is_written(key: str, store: Store) -> None:
    store.put(key, b"".join(rows(2)))
    assert len(list(open_paths([f"s3://runs/{key}"]).rollouts())) == 2
    (one,) = open_paths([f"s3://runs/{key}#1-0@turn:1"]).rollouts()
    assert (one.id, one.source.path) == ("1-0", f"s3://runs/{key}")


def test_keys_that_are_no_paths_are_named_and_not_opened(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.put("run/rollouts.jsonl", rows(1)[0])
    store.put("run/../secret.jsonl", rows(2)[1])
    store.put("run//double.jsonl", rows(3)[2])
    store.put("run/\x1b]0;title\x07[red].jsonl", rows(4)[3])
    store.clear()
    assert run(["list", "s3://runs/run/"]) == 0
    said = capsys.readouterr()
    assert "#0-0" in said.out and "#1-0" not in said.out and "#2-0" not in said.out and "#3-0" in said.out
    assert "s3://runs/run/..: its key is no path" in said.err
    assert "\x1b" not in said.out + said.err
    assert not any("secret" in path for _, path, _, _ in store.asked)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://runs/none.jsonl", "does not exist"),
        ("s3://runs/none/", "holds no objects"),
        ("s3://no-such-bucket/x.jsonl", "there is no such bucket"),
        ("s3:///x.jsonl", "names no bucket"),
    ],
)
def test_what_is_not_there_is_one_line(url: str, words: str, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("list", "show", "check"):
        said = complaint_without_a_summary(capsys, command, url)
        assert words in said and said.startswith(url.rstrip("/"))


def complaint_without_a_summary(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """`check` prints that nothing was checked."""
    assert run(list(arguments)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def denied(environ: dict[str, Any]) -> tuple[str, list[tuple[str, str]], bytes]:
    body = b"<Error><Code>AccessDenied</Code><Message>\x07no</Message></Error>"
    body = b"" if environ["REQUEST_METHOD"] == "HEAD" else body
    return "403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))], body


def test_no_permission_is_one_line(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.behave = denied
    for url in ("s3://runs/x.jsonl", "s3://runs/x/"):
        said = complaint(capsys, "list", url)
        assert said.startswith(f"{url}: permission denied; credentials come from boto's environment")


def test_what_may_lie_beside_and_cannot_be_seen_is_said(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.put("run/rollouts.jsonl", rows(1)[0])
    store.behave = lambda asked: None if asked["PATH_INFO"].endswith("/rollouts.jsonl") else denied(asked)
    assert run(["list", "s3://runs/run/rollouts.jsonl"]) == 0
    said = capsys.readouterr()
    assert "#0-0" in said.out
    assert "s3://runs/run/: permission denied: what lies there is not joined" in said.err


def test_nobody_listening_is_one_line(
    monkeypatch: pytest.MonkeyPatch, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    from rollout_loaders.remote.s3 import S3

    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    other = S3()

    def made(_: str) -> S3:
        return other

    monkeypatch.setattr("rollout_loaders.remote.backend._made", made)
    assert "connection refused" in complaint(capsys, "list", "s3://runs/x.jsonl")


def test_a_store_that_does_not_answer_is_one_line(
    monkeypatch: pytest.MonkeyPatch, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    import time

    monkeypatch.setenv("ROLLOUT_INSPECT_REMOTE_TIMEOUT", "1")
    store.behave = lambda _: time.sleep(2.5)
    assert "no answer within 1 seconds" in complaint(capsys, "list", "s3://runs/x.jsonl")


def test_an_object_that_changes_meanwhile_is_said(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    body = b"".join(rows(20, 400_000))
    store.put("r.jsonl", body)

    def behave(asked: dict[str, Any]) -> None:
        if asked.get("HTTP_RANGE", "").startswith(f"bytes={BLOCK}-"):
            store.behave = None
            store.put("r.jsonl", body.replace(b"answer 1", b"answer 7"))

    store.behave = behave
    assert "s3://runs/r.jsonl: changed while it was read" in complaint(capsys, "list", "s3://runs/r.jsonl")


def test_a_store_that_ignores_ranges_is_refused(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    body = b"".join(rows(30, 400_000))
    store.put("r.jsonl", body)

    def behave(asked: dict[str, Any]) -> None:
        asked.pop("HTTP_RANGE", None)

    store.behave = behave
    assert "does not answer range requests" in complaint(capsys, "list", "s3://runs/r.jsonl")


def test_a_listing_transfers_each_byte_once(store: Store) -> None:
    store.put("r.jsonl", b"".join(rows(60, 300_000)))
    store.clear()
    assert len(list(open_paths(["s3://runs/r.jsonl"]).summaries())) == 60
    size = int(store.client().head_object(Bucket="runs", Key="r.jsonl")["ContentLength"])
    assert size <= store.sent <= size + 2 * FIRST


def test_one_rollout_by_an_index_transfers_its_line(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    lines = rows(40, 300_000)
    store.put("run/rollouts.jsonl", b"".join(lines))
    for number, options in enumerate(([], ["--no-findings"])):
        monkeypatch.setattr("rollout_loaders.remote.session.BLOCKS", Blocks())
        target = str(tmp_path / f"run{number}.parquet")
        assert run(["index", "s3://runs/run/", "-o", target, *options]) == 0
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / f"another-machine-{number}"))
        monkeypatch.setattr("rollout_loaders.remote.session.BLOCKS", Blocks())
        store.clear()
        collection = open_paths([target])
        summaries = list(collection.summaries())
        assert [one.source.path for one in summaries] == ["s3://runs/run/rollouts.jsonl"] * 40
        assert store.asked == []
        assert collection.load(summaries[31]).final_answer.text == "answer 31 ".ljust(300_000, "x")
        assert len(lines[31]) <= store.sent <= len(lines[31]) + 1
        store.clear()
        (found,) = open_paths([f"{target}#17-0"]).rollouts()
        assert found.final_answer.text is not None and found.final_answer.text.startswith("answer 17 ")
        assert store.sent <= len(lines[17]) + 1
    capsys.readouterr()
    target = str(tmp_path / "run0.parquet")
    assert run(["list", target]) == 0
    assert run(["check", target, "--fail-on", "never"]) == 0
    assert run(["diff", target, "s3://runs/run/", "--exit-code"]) == 0


def test_an_index_of_an_object_that_changed_is_not_used(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    store.put("r.jsonl", b"".join(rows(3)))
    target = str(tmp_path / "run.parquet")
    assert run(["index", "s3://runs/r.jsonl", "-o", target]) == 0
    store.put("r.jsonl", rows(9)[8] + b"".join(rows(3)))
    collection = open_paths([target])
    summaries = list(collection.summaries())
    # Line 2 is another row now: it is not shown for the one that was listed.
    with pytest.raises(ReadError, match=r"has changed since it was indexed; make .*run.parquet again"):
        collection.load(summaries[1])
    capsys.readouterr()
    for command in (["show", f"{target}#1-0"], ["show", target], ["diff", target, target]):
        assert run(command) == 2
        assert "s3://runs/r.jsonl: has changed since it was indexed" in capsys.readouterr().err


def test_an_index_holds_other_formats_and_their_states(store: Store, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    key = "run/export.json"
    store.put(key, write_export(tmp_path / "e.json", SESSION, "four").read_bytes())
    target = str(tmp_path / "run.parquet")
    assert run(["index", "s3://runs/run/", "-o", target]) == 0
    before, after = open_paths([target]), open_paths([target])
    (summary,) = before.summaries()
    assert before.load(summary).final_answer.text == "four"
    store.put(key, write_export(tmp_path / "e.json", SESSION, "five").read_bytes())
    assert list(after.summaries()) == [summary]
    with pytest.raises(ReadError, match="has changed since it was indexed"):
        after.load(summary)


def test_an_index_leads_to_no_server_of_this_machine(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    from rollout_loaders.index.parquet import write_index
    from rollout_loaders.model import SourceRef

    store.put("r.jsonl", rows(1)[0])
    (summary,) = open_paths(["s3://runs/r.jsonl"]).summaries()
    made = replace(summary, source=SourceRef(f"{store.endpoint}/r.jsonl", "gym-rollouts", "L1"))
    write_index(tmp_path / "run.parquet", [made])
    store.clear()
    assert run(["show", str(tmp_path / "run.parquet")]) == 2
    assert "may not lead to this machine" in capsys.readouterr().err
    assert store.asked == []


def test_rows_that_repeat_are_called_by_their_lines_also_by_an_index(store: Store, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    same = [dumped(row(1, 0, [message(text)], reward=1.0)) + b"\n" for text in ("four", "five")]
    store.put("r.jsonl", b"".join(same))
    target = str(tmp_path / "run.parquet")
    assert run(["index", "s3://runs/r.jsonl", "-o", target]) == 0
    collection = open_paths([target])
    found = [collection.load(one) for one in collection.summaries()]
    assert [(one.source.locator, one.final_answer.text) for one in found] == [("L1", "four"), ("L2", "five")]


async def test_the_inspector_lists_a_large_object_and_lists_it_again(store: Store) -> None:
    store.put("run/rollouts.jsonl", b"".join(rows(20, 300_000)))
    for _ in range(2):  # the second time from the index that the first one kept
        async with InspectorApp(("s3://runs/run/rollouts.jsonl",)).run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            assert "20 rollouts" in screen_text(pilot)
            await press(pilot, "down", "enter", "tab")
            assert "answer 1" in screen_text(pilot)


async def test_the_inspector_opens_a_url(store: Store) -> None:
    store.put("run/rollouts.jsonl", b"".join(rows(3)))
    app = InspectorApp(("s3://runs/run/",))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "3 rollouts" in screen_text(pilot)
        await press(pilot, "down", "enter", "tab")
        assert "answer 1" in screen_text(pilot)
