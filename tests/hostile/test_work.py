"""Work grows with the number of damaged records, what is said of them does not (issue 7: nothing below 1 MB hangs)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rollout_inspector.cli import run
from rollout_loaders.collection import open_paths
from rollout_loaders.counted_diagnostics import MOST, counted
from rollout_loaders.document import document
from rollout_loaders.jsondecode import encode
from rollout_loaders.jsonnesting import MAX_DEPTH, deep_spans
from rollout_loaders.model import Diagnostic, Rollout
from rollout_views import static_html
from rollout_views.excerpt import drawn_up_to
from rollout_views.plain_text import lines
from rollout_views.transcript import blocks

MANY = 2_000
HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-11-30T15:00:00Z","cwd":"/"}\n'
ATIF = '{"schema_version":"ATIF-v1.7","session_id":"s","agent":{"name":"a"},'


def export(records: list[str], end: str = "]}") -> tuple[str, str]:
    return "export.json", '{"info":{"id":"ses_1","projectID":"p"},"messages":[' + ",".join(records) + end


def log(records: list[str]) -> tuple[str, str]:
    return "stdout.jsonl", HEADER + '{"type":"agent_start"}\n' + "\n".join(records) + "\n"


def session(records: list[str]) -> tuple[str, str]:
    entry = {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": "x"}}
    return "session.jsonl", HEADER + json.dumps(entry) + "\n" + "\n".join(records) + "\n"


def claude(records: list[str]) -> tuple[str, str]:
    line = {"sessionId": "s", "type": "user", "uuid": "u", "message": {"role": "user", "content": "x"}}
    return "claude.jsonl", json.dumps(line) + "\n" + "\n".join(records) + "\n"


def codex(records: list[str]) -> tuple[str, str]:
    return "codex.jsonl", '{"type":"thread.started","thread_id":"t"}\n' + "\n".join(records) + "\n"


def steps(records: list[str]) -> tuple[str, str]:
    return "trajectory.json", ATIF + '"steps":[' + ",".join(records) + "]}"


def subagents(records: list[str]) -> tuple[str, str]:
    return "trajectory.json", ATIF + '"steps":[],"subagent_trajectories":[' + ",".join(records) + "]}"


def cut_export(records: list[str]) -> tuple[str, str]:
    return export(records, ',{"info":{')


Maker = Callable[[list[str]], tuple[str, str]]
MAKERS: list[tuple[Maker, Callable[[int], str]]] = [
    (export, lambda n: f'{{"word":"w{n:06}"}}'),
    (cut_export, lambda n: f'{{"word":"w{n:06}"}}'),
    *((maker, lambda n: f'"w{n:06}"') for maker in (export, log, session, claude, codex, steps, subagents)),
    *((maker, lambda n: f'{{"w{n:06}') for maker in (log, session, claude, codex)),
]


def read(folder: Path, made: tuple[str, str]) -> Rollout:
    name, text = made
    (folder / name).write_text(text, "utf-8")
    with open_paths([str(folder / name)]) as collection:
        (rollout,) = collection.rollouts()
    return rollout


@pytest.mark.parametrize(("maker", "record"), MAKERS)
def test_many_damaged_records_are_a_hundred_diagnostics_and_their_count(
    maker: Maker, record: Callable[[int], str], tmp_path: Path
) -> None:
    rollout = read(tmp_path, maker([record(n) for n in range(MANY)]))
    said = [one for one in rollout.diagnostics if one.code == "record-unreadable"]
    assert len(said) == MOST + 1
    assert f"{MANY - MOST:,} more" in said[-1].message
    found = [one for one in rollout.findings if one.code == "record-unreadable"]
    assert [one.message.split(" (")[0] for one in found] == [one.message for one in said]


@pytest.mark.parametrize(("maker", "record"), MAKERS)
def test_every_one_of_many_damaged_records_is_in_the_stored_lens(
    maker: Maker, record: Callable[[int], str], tmp_path: Path
) -> None:
    rollout = read(tmp_path, maker([record(n) for n in range(MANY)]))
    assert rollout.root is not None
    assert len(rollout.root.parts) < MOST + 10
    raw = encode(document(rollout, parts=True)).decode("ascii")
    drawn = "\n".join(lines(blocks(rollout, "stored"), 80))
    assert [n for n in range(MANY) if raw.count(f"w{n:06}") != 1] == []
    assert [n for n in range(MANY) if f"w{n:06}" not in drawn] == []


def test_damaged_records_between_good_ones_keep_their_place(tmp_path: Path) -> None:
    good = '{"type":"turn_start","n":%d}'
    records = [text for n in range(MANY) for text in (f'"w{n:06}"', good % n)]
    rollout = read(tmp_path, log(records))
    assert rollout.root is not None
    kept = [encode(part.data).decode("ascii") for part in rollout.root.parts]
    order = [text for text in kept if '"w0' in text or '"turn_start"' in text]
    assert len(order) == 2 * MANY
    assert all(f"w{n:06}" in order[2 * n] for n in range(MANY))


def test_a_part_of_an_export_that_is_no_object_is_kept_whole(tmp_path: Path) -> None:
    long = "x" * 300 + "the end of it"
    message = {"info": {"id": "m", "role": "assistant"}, "parts": [long, 7, {"id": "p", "type": "text", "text": "4"}]}
    rollout = read(tmp_path, export([json.dumps(message)]))
    assert long in encode(document(rollout, parts=True)).decode("ascii")
    assert [one.code for one in rollout.diagnostics] == ["record-unreadable"]
    assert "1 more" in rollout.diagnostics[0].message


def test_a_count_is_not_counted_away() -> None:
    """Rules may run again on a rollout that was joined with another artifact."""
    places = [Diagnostic("record-unreadable", "x", f"L{n}") for n in range(MANY)]
    once = counted(places)
    assert counted(once) == once
    more = counted([*once, *(Diagnostic("record-unreadable", "y", f"M{n}") for n in range(5))])
    assert [one.message for one in more[MOST:]] == [once[-1].message, "and 5 more records like these"]


def test_each_code_has_its_own_hundred() -> None:
    both = [Diagnostic(code, "x", f"L{n}") for n in range(MOST) for code in ("a", "b")]
    assert counted(both) == tuple(both)


def test_stderr_says_how_many_lines_of_which_file_were_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row: dict[str, object] = {"example_id": 0, "prompt": [], "completion": [], "reward": 1, "metrics": {}}
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(row) + "\n" + "{\n" * MANY, "utf-8")
    assert run(["list", str(path)]) == 0
    assert f"results.jsonl: and {MANY - MOST:,} more lines like these\n" in capsys.readouterr().err


def growth(work: Callable[[int], object], few: int) -> float:
    """How many times longer twice as much takes, each the best of three in processor time."""
    taken: list[float] = []
    for many in (few, 2 * few):
        times: list[float] = []
        for _ in range(3):
            start = time.process_time()
            work(many)
            times.append(time.process_time() - start)
        taken.append(min(times))
    return taken[1] / taken[0]


def test_subagents_of_an_atif_document_take_time_by_their_number(tmp_path: Path) -> None:
    def work(many: int) -> None:
        rollout = read(tmp_path, subagents(["{}"] * many))
        assert len(rollout.invocations) == many + 1

    assert growth(work, 3_000) < 3


def test_a_page_of_many_conversations_takes_time_by_their_number(tmp_path: Path) -> None:
    rollouts = {many: read(tmp_path, subagents(["{}"] * many)) for many in (2_000, 4_000)}
    assert growth(lambda many: static_html.page(rollouts[many], "stored"), 2_000) < 3


def test_a_section_that_fits_nowhere_is_not_drawn_to_its_end() -> None:
    drawn: list[int] = []

    def pieces() -> Iterator[str]:
        for n in range(MANY):
            drawn.append(n)
            yield "x" * 100

    text = drawn_up_to(1_000, pieces())
    assert len(text) > 1_000
    assert len(drawn) == 11


@pytest.mark.parametrize(("opening", "closing"), [('{"}":', ',"{":0}'), ('["]",', ',"["]'), ('[["]"],', ',"\\"["]')])
def test_brackets_in_strings_hide_no_nesting(opening: str, closing: str) -> None:
    """They closed, as it seemed, what they stand beside: 1,000 levels passed for one and broke every walk over them."""
    deep = opening * (MAX_DEPTH + 1) + "1" + closing * (MAX_DEPTH + 1)
    flat = "[" + ",".join([opening + "1" + closing] * (MAX_DEPTH + 1)) + "]"
    assert json.loads(flat)
    assert deep_spans(deep.encode())
    assert not deep_spans(flat.encode())
