"""What the recordings show must be found, and nothing else (issue 3; formats.md). Skipped where they are absent."""

from __future__ import annotations

import pytest
from tests.paths import GYM_ROLLOUTS, RECORDINGS

from rollout_loaders.collection import open_paths
from rollout_loaders.model import Rollout

pytestmark = pytest.mark.skipif(not RECORDINGS.exists(), reason="the recordings lie beside the built repository only")


def read(path: str) -> Rollout:
    """The newest rollout of one artifact."""
    return list(open_paths([str(RECORDINGS / path)]).rollouts())[-1]


def codes(rollout: Rollout) -> set[str]:
    return {finding.code for finding in rollout.findings}


@pytest.mark.parametrize(
    "path",
    [
        *(
            f"opencode-1.18.33/{name}/opencode.db"
            for name in ("01-plain", "02-tools", "02c-two-text-parts-interleaved")
        ),
        *(f"opencode-1.18.33/{name}/opencode.db" for name in ("03a-think-answer", "04a-reasoning-content")),
        *(f"opencode-1.18.33/{name}/opencode.db" for name in ("06a-429-then-ok", "07a-auto-compaction-threshold")),
        *(f"opencode-1.18.33/{name}/opencode.db" for name in ("07f-several-compactions", "08c-nested-subagent")),
        "opencode-1.18.33/02-tools/export-0.json",
        "opencode-1.14.41/02-tools/opencode.db",
        "opencode-1.1.65/02-tools/storage",
        "pi-0.80.2/01-plain/stdout.jsonl",
        "pi-0.80.2/02-tools/stdout.jsonl",
        "pi-0.80.2/16a-timestamped/events.jsonl",
        "pi-1.6.0/02-tools/stdout.jsonl",
    ],
)
def test_a_healthy_run_raises_no_alarm(path: str) -> None:
    assert [finding for finding in read(path).findings if finding.severity != "info"] == []


@pytest.mark.parametrize(
    ("path", "expected", "absent"),
    [
        (
            "opencode-1.18.33/07c-compaction-summary-503",
            {"compaction-failed", "no-final-answer"},
            {"empty-final-answer"},
        ),
        ("opencode-1.18.33/05e-permission-denied", {"no-final-answer"}, {"earlier-answer-promoted"}),
        ("opencode-1.18.33/11c-reverted-session", {"scored-text-reverted", "no-final-answer"}, set[str]()),
        ("opencode-1.18.33/03b-think-tools-empty-final", {"empty-final-answer"}, {"earlier-answer-promoted"}),
        ("opencode-1.18.33/04k-empty-reply", {"empty-final-answer", "earlier-answer-promoted"}, set[str]()),
        ("opencode-1.18.33/05f-same-call-id-reused", {"duplicate-call-id"}, {"orphan-tool-result"}),
        ("opencode-1.18.33/05a-parallel-fail-unknown", {"invalid-tool-call"}, {"tool-interrupted"}),
        ("opencode-1.18.33/06g2-drop-midstream-slow", {"retried-in-place"}, {"partial-text-lost"}),
        (
            "opencode-1.18.33/10a-sigkill-midstream",
            {"partial-text-lost", "no-final-answer"},
            {"earlier-answer-promoted"},
        ),
        ("opencode-1.18.33/10c-sigkill-in-tool", {"tool-interrupted"}, {"partial-text-lost"}),
        (
            "opencode-1.18.33/10h-sigkill-in-compaction",
            {"compaction-unfinished", "no-final-answer"},
            {"compaction-failed"},
        ),
        ("pi-0.80.2/04g-reasoning-only-final", {"empty-final-answer", "earlier-answer-promoted"}, set[str]()),
        ("pi-0.80.2/05c-unicode", {"line-separator-in-line"}, {"no-final-answer"}),
        ("pi-0.80.2/07c-overflow-compaction-503", {"compaction-failed", "no-final-answer"}, set[str]()),
        ("pi-0.80.2/07d-overflow-again", {"overflow-not-recovered", "outcome-readings-differ"}, {"compaction-failed"}),
        ("pi-0.80.2/07i-threshold-compaction-503", {"compaction-failed"}, {"no-final-answer"}),
    ],
)
def test_what_a_recording_shows_is_found(path: str, expected: set[str], absent: set[str]) -> None:
    artifact = "opencode.db" if path.startswith("opencode") else "stdout.jsonl"
    found = codes(read(f"{path}/{artifact}"))
    assert expected <= found
    assert not absent & found


@pytest.mark.parametrize(
    ("name", "sent"),
    [("09a-steps-limit", [(3, 3)]), ("09b-steps-limit-model-still-calls", [(2, 2), (3, 3), (4, 4)])],
)
def test_the_step_limit_note_stands_on_its_calls_and_turns(name: str, sent: list[tuple[int, int]]) -> None:
    rollout = read(f"opencode-1.18.33/{name}/opencode.db")
    assert [(note.call_index, note.turn) for note in rollout.harness_notes] == sent
    assert "harness-note-sent" in codes(rollout)


@pytest.mark.parametrize("name", ["01-plain", "02-tools", "07b-overflow-compaction", "08a-subagent"])
def test_no_note_is_seen_where_none_was_sent(name: str) -> None:
    assert read(f"opencode-1.18.33/{name}/opencode.db").harness_notes == ()


@pytest.mark.skipif(not GYM_ROLLOUTS.exists(), reason="the Gym rollouts lie beside the built repository only")
def test_real_rows_are_contradicted_by_nothing() -> None:
    """No file of them carries captures, native sessions or reverted turns, so these would be invented."""
    invented = {
        "earlier-answer-promoted",
        "harness-note-sent",
        "masked-multi-chain",
        "no-content-match",
        "records-disagree",
        "reward-contradicts-verdict",
        "scored-differs-from-store",
        "scored-text-from-subagent",
        "scored-text-is-summary",
        "scored-text-reverted",
    }
    found: set[str] = set()
    for rollout in open_paths([str(GYM_ROLLOUTS)]).rollouts():
        found |= codes(rollout)
    assert found & invented == set()
