"""Every reader's sniff over one file of every format: exactly one reader is surest of each, and it is the right one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.paths import GYM_ROLLOUTS, RECORDINGS, SAMPLES

from rollout_loaders import registry, source
from rollout_loaders.collection import evidence_names
from rollout_loaders.reader import Confidence

from . import test_atif, test_claude_code, test_codex_exec, test_mini_swe, test_openclaw, test_verifiers_results
from .test_opencode_stdout import Stream
from .wider_files import write_document, write_lines


def _stream() -> Stream:
    stream = Stream()
    stream.reply("msg_1", "4")
    return stream


def files(folder: Path) -> dict[str, Path]:
    """One file a format, as the format's own tests write them; the older formats' from the samples."""
    said = test_claude_code.event("assistant", test_claude_code.said("msg_1", test_claude_code.text("4")))
    made = {
        "opencode-stdout": _stream().write(folder / "a.jsonl"),
        "verifiers-results": write_lines(folder / "b.jsonl", [test_verifiers_results.row()]),
        "atif": write_document(folder / "c.json", test_atif.example()),
        "claude-code": write_lines(folder / "d.jsonl", test_claude_code.plain().lines),
        "claude-code stream": write_lines(folder / "e.jsonl", test_claude_code.stream(said)),
        "codex-exec": write_lines(folder / "f.jsonl", test_codex_exec.run()),
        "mini-swe-agent": write_document(folder / "g.json", test_mini_swe.submitted()),
        "openclaw": write_lines(folder / "h.jsonl", test_openclaw.plain().lines),
        "pi-events": SAMPLES / "pi-killed" / "events.jsonl",
        "opencode-export": SAMPLES / "empty-final-answer-export" / "export.json",
        "gym-rollouts": SAMPLES / "gym-rows-and-failures" / "rollouts.jsonl",
        "gym-failures": SAMPLES / "gym-rows-and-failures" / "rollouts_failures.jsonl",
        "opencode-sqlite": SAMPLES / "empty-final-answer" / "opencode.db",
    }
    made["pi-session"] = next((SAMPLES / "pi-session-tree").rglob("*.jsonl"))
    return made


FORMATS = (
    "opencode-stdout", "verifiers-results", "atif", "claude-code", "claude-code stream", "codex-exec", "mini-swe-agent",
    "openclaw", "pi-events", "pi-session", "opencode-export", "opencode-sqlite", "gym-rollouts", "gym-failures",
)  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_exactly_one_reader_wins(tmp_path: Path, name: str) -> None:
    path = files(tmp_path)[name]
    head = source.head(path)
    judged = {reader.name: reader.sniff(path, head) for reader in registry.readers()}
    surest = max(judged.values())
    winners = [reader for reader, confidence in judged.items() if confidence == surest]
    wanted = name.split(maxsplit=1)[0]
    # OpenClaw writes Pi's session file: both may be certain, and the registry asks OpenClaw's reader first.
    assert winners == (["openclaw", "pi-session"] if wanted == "openclaw" else [wanted]), judged
    assert registry.sniff(path, head).reader is registry.named(wanted)


@pytest.mark.parametrize("name", FORMATS)
def test_no_reader_of_another_harness_takes_a_foreign_file_at_all(tmp_path: Path, name: str) -> None:
    path = files(tmp_path)[name]
    head = source.head(path)
    wider = ("opencode-stdout", "verifiers-results", "atif", "claude-code", "codex-exec", "mini-swe-agent", "openclaw")
    others = [registry.named(other) for other in wider if other != name.split(maxsplit=1)[0]]
    assert [r.name for r in others if r.sniff(path, head) is not Confidence.NO] == []


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null\n", '{"type": "x"}\n', '{"messages": []}', "\x00\x01\x02", "{" * 500]
)
def test_nothing_of_note_is_nobodys(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(text, encoding="utf-8")
    wider = ("opencode-stdout", "verifiers-results", "atif", "claude-code", "codex-exec", "mini-swe-agent", "openclaw")
    assert [name for name in wider if registry.named(name).sniff(path, source.head(path)) is not Confidence.NO] == []


@pytest.mark.skipif(not GYM_ROLLOUTS.is_dir() or not RECORDINGS.is_dir(), reason="the data lies outside the repository")
def test_no_recorded_file_changes_its_reader() -> None:
    known = {"opencode.db": "opencode-sqlite", "events.jsonl": "pi-events"}
    for path in [*RECORDINGS.rglob("opencode.db"), *RECORDINGS.rglob("events.jsonl")]:
        choice = registry.sniff(path, source.head(path))
        assert choice.reader is not None
        assert choice.reader.name == known[path.name], path
    for path in GYM_ROLLOUTS.rglob("*.jsonl"):
        reader = registry.sniff(path, source.head(path)).reader
        assert reader is None or reader.name.startswith("gym-"), path


def test_a_first_line_longer_than_the_head_is_judged_by_the_whole_line(tmp_path: Path) -> None:
    row = test_verifiers_results.row(info={"long": "x" * 200_000})
    row = {key: row[key] for key in ("info", *(key for key in row if key != "info"))}
    path = write_lines(tmp_path / "results.jsonl", [row])
    assert json.loads(path.read_text(encoding="utf-8"))["info"]
    assert registry.sniff(path, source.head(path)).reader is registry.named("verifiers-results")


def test_a_name_of_evidence_is_a_whole_name_or_an_end() -> None:
    """Nothing else is understood, so no pattern of the table may hold another wildcard."""
    assert not [row.pattern for row in evidence_names.TABLE if set(row.pattern.removeprefix("*")) & set("*?[]")]
    for name, what in {
        "a_manifest.json": "manifest of a run",
        "expect.json": "expectations of a fixture",
        "my_expect.json": None,
        "x.db-wal": "write-ahead log of a database",
        "stdout.jsonl": "standard output of a run",
        "stdout.jsonl.1": None,
    }.items():
        found = evidence_names.recognise(name)
        assert (found and found.what) == what
