"""https:// as a PATH, tried on loopback: what it gives, what it transfers, and servers that mislead."""

from __future__ import annotations

import json
import sqlite3
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.loaders.gym_files import dumped
from tests.loaders.session_folders import SESSION, write_database, write_export, write_pi_log
from tests.remote.servers import Handler, Web
from tests.samples.gym_rows import message, row

from rollout_inspector.cli import run
from rollout_loaders.collection import open_paths
from rollout_loaders.remote.blocks import BLOCK, FIRST
from rollout_loaders.remote.path import RemotePath

UNSEEN = "what lies beside a file on the web is not looked for"


def rows(count: int, size: int = 10) -> list[bytes]:
    """Lines of rollouts; the answer of number n begins with `answer n` and has about `size` characters."""
    return [dumped(row(n, 0, [message(f"answer {n} ".ljust(size, "x"))], reward=1.0)) + b"\n" for n in range(count)]


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on stderr of a command that fails."""
    assert run(list(arguments)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert len(lines) == 1, lines
    assert "Traceback" not in said.err
    return lines[0]


def test_every_reading_command_takes_a_url(web: Web, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web.objects["run/rollouts.jsonl"] = b"".join(rows(3))
    url = web.url("run/rollouts.jsonl")
    assert run(["list", url]) == 0
    assert f"{url}#2-0" in capsys.readouterr().out
    for place in ("#2-0", "#L3"):
        assert run(["show", url + place]) == 0
        said = capsys.readouterr()
        assert "answer 2" in said.out and "answer 1" not in said.out
        assert UNSEEN in said.err
    assert run(["show", "--json", f"{url}#2-0"]) == 0
    assert json.loads(capsys.readouterr().out)["source"] == {
        "path": url,
        "format": "gym-rollouts",
        "locator": "L3",
        "artifacts": [],
    }
    assert run(["why", f"{url}#1-0@turn:1"]) == 0
    assert run(["check", url, "--fail-on", "never"]) == 0
    capsys.readouterr()
    assert run(["search", "answer", url]) == 0
    assert capsys.readouterr().out.count(f"{url}#") == 3
    assert run(["export", f"{url}#1-0", "-o", str(tmp_path / "a.html")]) == 0
    assert "answer 1" in (tmp_path / "a.html").read_text("utf-8")
    assert run(["diff", url, url, "--exit-code"]) == 0


def test_other_formats_are_read_too(web: Web, tmp_path: Path) -> None:
    web.objects["export.json"] = write_export(tmp_path / "e.json", SESSION, "four").read_bytes()
    web.objects["events.jsonl"] = write_pi_log(tmp_path / "p.jsonl", "s-1", "five").read_bytes()
    found = {r.source.format: r.final_answer.text for r in open_paths([web.url(n) for n in web.objects]).rollouts()}
    assert found == {"opencode-export": "four", "pi-events": "five"}


def test_a_line_by_its_number_transfers_no_more_than_what_comes_before_it(web: Web) -> None:
    lines = rows(40, 500_000)
    web.objects["r.jsonl"] = b"".join(lines)
    (found,) = open_paths([f"{web.url('r.jsonl')}#L9"]).rollouts()
    assert found.id == "8-0"
    assert web.sent <= sum(map(len, lines[:9])) + FIRST + BLOCK


def test_a_listing_transfers_each_byte_once_and_a_kept_index_a_row_alone(web: Web) -> None:
    lines = rows(60, 300_000)
    # A row that the scan cannot judge is built whole, from what is held.
    observed = row(60, 0, [message("answer 60 " + "y" * 300_000)], reward=1.0, ng_agent_observations=[{"x": 1}])
    web.objects["r.jsonl"] = b"".join(lines) + dumped(observed) + b"\n"
    collection = open_paths([web.url("r.jsonl")])
    assert len(list(collection.summaries())) == 61
    assert web.sent <= len(web.objects["r.jsonl"]) + 2 * FIRST
    web.sent = 0
    (found,) = open_paths([f"{web.url('r.jsonl')}#41-0"]).rollouts()
    assert found.final_answer.text is not None and found.final_answer.text.startswith("answer 41 ")
    first = BLOCK  # the first line is longer than what tells a format, so it is read whole
    assert web.sent <= len(lines[41]) + FIRST + first


def test_memory_does_not_follow_the_size(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLOUT_INSPECT_CACHE", "off")
    monkeypatch.setattr("rollout_loaders.remote.blocks.MOST", 2)
    web.objects["r.jsonl"] = b"".join(rows(150, 200_000))
    list(open_paths([web.url("r.jsonl")]).summaries())  # what is imported is no part of it
    tracemalloc.start()
    list(open_paths([web.url("r.jsonl")]).summaries())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The server of the test runs in this process and slices at most a block out of what it holds already.
    assert peak < len(web.objects["r.jsonl"]) / 2


def test_a_database_comes_with_its_write_ahead_log(web: Web, tmp_path: Path) -> None:
    path = write_database(tmp_path / "opencode.db", (SESSION, None, ("four",)))
    with sqlite3.connect(path) as held:
        held.execute("pragma journal_mode=wal")
        held.execute("create table later (x)")
        held.execute("update part set data = replace(data, 'four', 'five')")
        held.commit()
        for name in ("opencode.db", "opencode.db-wal"):
            web.objects[name] = (tmp_path / name).read_bytes()
    assert len(web.objects["opencode.db-wal"]) > 0
    (found,) = open_paths([web.url("opencode.db")]).rollouts()
    assert found.final_answer.text == "five"
    assert found.source.path == web.url("opencode.db")


def test_a_database_whose_log_cannot_be_seen_is_not_read_without_it(
    web: Web, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web.objects["opencode.db"] = write_database(tmp_path / "opencode.db", (SESSION, None, ("four",))).read_bytes()

    def behave(request: Handler) -> bool:
        if request.path.endswith("-wal"):
            request.answer(403, b"")
        return request.path.endswith("-wal")

    web.behave = behave
    assert run(["show", web.url("opencode.db")]) == 2
    said = capsys.readouterr()
    assert said.out == "" and f"{web.url('opencode.db-wal')}: permission denied" in said.err


Behaviour = Callable[[Handler], bool]


def always(status: int, body: bytes = b"", **headers: str) -> Behaviour:
    def behave(request: Handler) -> bool:
        request.answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})
        return True

    return behave


def flooding(request: Handler) -> bool:
    """Sends until nobody takes it any more."""
    request.close_connection = True
    sent = -1
    while request.web.sent != sent and request.web.sent < 50 * BLOCK:
        sent = request.web.sent
        request.write(b"x" * 65536)
    return True


def endless(request: Handler) -> bool:
    """Ignores the range and never ends."""
    request.send_response(200)
    request.send_header("Connection", "close")
    request.end_headers()
    return flooding(request)


def longer(request: Handler) -> bool:
    """A range by its header, with more behind it."""
    request.send_response(206)
    request.send_header("Content-Range", f"bytes 0-{FIRST - 1}/{100 * BLOCK}")
    request.send_header("Connection", "close")
    request.end_headers()
    return flooding(request)


def broken_off(request: Handler) -> bool:
    request.send_response(206)
    request.send_header("Content-Range", f"bytes 0-{FIRST - 1}/{FIRST}")
    request.send_header("Content-Length", str(FIRST))
    request.end_headers()
    request.write(b"x" * 100)
    request.close_connection = True
    return True


def silent(request: Handler) -> bool:
    time.sleep(3)
    request.close_connection = True
    return True


def dripping(request: Handler) -> bool:
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.end_headers()
    for _ in range(12):
        request.write(b"x")
        request.wfile.flush()
        time.sleep(0.25)
    request.close_connection = True
    return True


WRONG: list[tuple[str, Behaviour, str]] = [
    ("gone", always(404), "does not exist"),
    ("forbidden", always(403), "permission denied"),
    ("failing", always(500, b"<b>\x1b]52;c;aGk=\x07</b>"), "its server answered 500"),
    ("endless", endless, "does not answer range requests"),
    ("whole", always(200, b"x" * (BLOCK + 1)), "does not answer range requests"),
    ("longer", longer, "more than the range"),
    ("elsewhere", always(206, b"x" * 10, Content_Range="bytes 5-14/100"), "does not answer range requests"),
    ("no range", always(206, b"x" * 10), "does not answer range requests"),
    ("nonsense", always(206, b"x" * 10, Content_Range="bytes 0-9/1_0"), "does not answer range requests"),
    ("compressed", always(200, b"\x1f\x8b", Content_Encoding="gzip"), "compresses"),
    ("broken off", broken_off, "broke off"),
    ("silent", silent, "no answer within 1 seconds"),
    ("dripping", dripping, "no answer within 1 seconds"),
    ("to plain http", always(302, Location="http://example.com/x"), "leads on to an address"),
    ("to a file", always(302, Location="file:///etc/passwd"), "leads on to an address"),
    ("in a ring", always(302, Location="/x.jsonl"), "leads on more than 5 times"),
]


@pytest.mark.parametrize(("behave", "words"), [one[1:] for one in WRONG], ids=[one[0] for one in WRONG])
def test_a_server_that_does_otherwise_is_one_line(
    behave: Behaviour, words: str, web: Web, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROLLOUT_INSPECT_REMOTE_TIMEOUT", "1")
    web.behave = behave
    for command in ("list", "show"):
        begun = time.monotonic()
        said = complaint(capsys, command, web.url("x.jsonl"))
        assert said.startswith(f"{web.url('x.jsonl')}: ") and words in said
        assert "\x1b" not in said
        assert time.monotonic() - begun < 10
    # What a server sends beyond what is looked at lies in the buffers between the two.
    assert web.sent < 20 * BLOCK


def test_nobody_listening_is_one_line(web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    url = web.url("x.jsonl").replace(web.address, "127.0.0.1:9")
    assert "connection refused" in complaint(capsys, "list", url)


def test_a_server_without_ranges_gives_what_is_small(web: Web) -> None:
    web.behave = always(200, b"".join(rows(3)))
    assert len(list(open_paths([web.url("r.jsonl")]).rollouts())) == 3


@pytest.mark.parametrize("sign", ["tag", "size"])
def test_an_object_that_changes_meanwhile_is_said(sign: str, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    body = b"".join(rows(20, 400_000))
    web.objects["r.jsonl"] = body

    def behave(request: Handler) -> bool:
        if request.headers["Range"].startswith(f"bytes={BLOCK}-"):
            if sign == "tag":
                web.tags["r.jsonl"] = '"2"'
            else:
                web.objects["r.jsonl"] = body + rows(1)[0]
        return False

    web.behave = behave
    assert "changed while it was read" in complaint(capsys, "list", web.url("r.jsonl"))


def test_a_listing_that_breaks_off_is_no_success(web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    web.objects["a.jsonl"] = b"".join(rows(2))
    web.behave = lambda request: request.path.endswith("b.jsonl") and always(500)(request)
    assert run(["list", web.url("a.jsonl"), web.url("b.jsonl")]) == 2
    said = capsys.readouterr()
    assert f"{web.url('a.jsonl')}#1-0" in said.out
    assert "its server answered 500" in said.err


def test_a_redirect_on_this_machine_is_followed(web: Web) -> None:
    web.objects["r.jsonl"] = b"".join(rows(2))
    web.behave = lambda request: request.path == "/go" and always(302, Location="/r.jsonl")(request)
    assert len(list(open_paths([web.url("go")]).rollouts())) == 2


def test_secrets_of_a_url_are_sent_and_never_printed(
    web: Web, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web.objects["r.jsonl"] = b"".join(rows(2)) + b"damaged\n"
    plain = web.url("r.jsonl")
    url = plain.replace("http://", "http://me:pa55word@") + "?X-Amz-Signature=s1gn4ture"
    commands = [
        ["list", url],
        ["list", "--json", url],
        ["show", url],
        ["show", "--json", f"{url}#1-0"],
        ["why", url],
        ["check", url],
        ["check", "--output", "sarif", url],
        ["search", "answer", url],
        ["diff", url, url],
        ["diff", "--json", url, url],
        ["open", url],
        ["show", f"{url}#9-9"],
        ["show", f"{url}#1-0@turn:99"],
        ["list", url.replace("r.jsonl", "gone.jsonl")],
        ["diff", url.replace("r.jsonl", "gone.jsonl"), url],
        ["list", f"{url} "],
        ["index", url, "-o", str(tmp_path / "run.parquet")],
        *(["export", f"{url}#1-0", "-o", str(tmp_path / f"a{end}")] for end in (".html", ".md", ".json", ".ipynb")),
        ["walk", str(tmp_path / "fixture"), "--record", f"{url}#1-0"],
    ]
    for command in commands:
        run(command)
    said = capsys.readouterr()
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    everything = (said.out + said.err).encode() + written
    assert b"answer 1" in everything
    for secret in (b"pa55word", b"s1gn4ture"):
        assert secret not in everything
    shown = f"http://***@{web.address}/r.jsonl?X-Amz-Signature=***"
    assert f"{shown}#1-0" in said.out
    assert shown in json.loads((tmp_path / "a.json").read_text("utf-8"))["source"]["path"]
    # The user's own words reached the server, as they were written.
    assert any(path == "/r.jsonl?X-Amz-Signature=s1gn4ture" for path, _ in web.asked)
    assert any(word.startswith("Basic ") for word in web.authorized)


def test_nothing_is_kept_of_an_object_whose_url_holds_a_secret(web: Web, tmp_path: Path) -> None:
    web.objects["r.jsonl"] = b"".join(rows(20, 300_000))
    for url, kept in ((web.url("r.jsonl?sig=abc"), 0), (web.url("r.jsonl"), 1)):
        assert len(list(open_paths([url]).summaries())) == 20
        assert len(list((tmp_path / "cache").rglob("*.index"))) == kept


def test_a_url_that_is_no_loopback_is_not_asked_in_the_clear(capsys: pytest.CaptureFixture[str]) -> None:
    assert "this machine only" in complaint(capsys, "list", "http://example.com/r.jsonl")


def test_what_was_not_named_is_not_asked_for(web: Web) -> None:
    web.objects["run/rollouts.jsonl"] = b"".join(rows(2))
    list(open_paths([web.url("run/rollouts.jsonl")]).rollouts())
    assert {path for path, _ in web.asked} == {"/run/rollouts.jsonl"}


def test_a_folder_of_this_machine_asks_no_server(web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def note(url: str, *_: object) -> None:
        asked.append(url)

    monkeypatch.setattr("rollout_loaders.remote.session.asked", note)
    url = web.url("r.jsonl")
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(url)
    (folder / "s3:").mkdir()
    (folder / "s3:" / "rollouts.jsonl").write_bytes(rows(1)[0])
    named = row(5, 0, [message(url)], task_id=url, _ng_rollout_id=url, reward=1.0)
    (folder / "rollouts.jsonl").write_bytes(dumped(named) + b"\n")
    monkeypatch.chdir(folder)
    found = list(open_paths([".", "./s3:/rollouts.jsonl"]).rollouts())
    assert {one.source.path for one in found} >= {"./rollouts.jsonl", "./s3:/rollouts.jsonl"}
    assert asked == [] and web.asked == []


def test_the_extra_is_named_where_it_is_missing(
    web: Web, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(url: str) -> None:
        raise ImportError(url)

    monkeypatch.setattr("rollout_loaders.remote.backend._made", missing)
    said = complaint(capsys, "list", web.url("r.jsonl"))
    assert "needs the extra `remote`; pip install 'rollout-inspect[remote]'" in said


def test_a_url_is_not_followed(web: Web, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--follow" in complaint(capsys, "open", "--follow", web.url("r.jsonl"))


def test_a_range_is_exact(web: Web) -> None:
    web.objects["x"] = bytes(range(256)) * 20_000
    path = RemotePath(web.url("x"))
    at = 3 * FIRST + 7
    assert path.read_range(at, 1000) == web.objects["x"][at : at + 1000]
    assert web.sent == FIRST + 1000
    with path.open_binary() as file:
        file.seek(-5, 2)
        assert file.read() == web.objects["x"][-5:]
        file.seek(BLOCK - 3)
        assert file.read(6) == web.objects["x"][BLOCK - 3 : BLOCK + 3]
