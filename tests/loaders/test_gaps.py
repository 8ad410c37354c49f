"""Gap codes and their meaning (gym-semantics 3.8)."""

from __future__ import annotations

import re

import pytest
from tests.factories import rollout, turn
from tests.paths import SHARED

from rollout_loaders.evidence.gap_codes import GAP_CODES
from rollout_loaders.evidence.gaps import gaps_of, meaning_of
from rollout_loaders.model import Evidence, Gap

REFERENCE = SHARED / "reference" / "gym-semantics.md"


def test_known_gaps_get_a_meaning_and_unknown_ones_stay() -> None:
    before = rollout(turn(1, answer="4"), gaps=(Gap("no_sandbox_runtime", "ses_1"), Gap("quantum_foam", detail="x")))
    known, unknown = gaps_of(before)
    assert known.meaning == "The agent ran on the host, so there is no sandbox evidence."
    assert known.invocation_id == "ses_1"
    assert (unknown.code, unknown.detail, unknown.meaning) == ("quantum_foam", "x", None)


def test_a_gap_of_bundle_and_trajectory_is_given_once() -> None:
    gap = Gap("turns_unavailable", detail="msg_1")
    other = Gap("turns_unavailable", detail="msg_2")
    before = rollout(turn(1), gaps=(gap,), evidence=Evidence(trajectory_gaps=(gap, other)))
    assert [found.detail for found in gaps_of(before)] == ["msg_1", "msg_2"]


def test_a_meaning_that_the_reader_gave_stands() -> None:
    before = rollout(turn(1), gaps=(Gap("no_sandbox_runtime", meaning="said by the reader"),))
    assert gaps_of(before)[0].meaning == "said by the reader"


@pytest.mark.parametrize("code", sorted(GAP_CODES))
def test_meanings_are_one_sentence(code: str) -> None:
    meaning = meaning_of(code)
    assert meaning is not None
    assert re.fullmatch(r"[A-Z].*\.", meaning)
    assert ". " not in meaning


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference lies beside this repository only where it is built")
def test_every_code_of_the_reference_is_there() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    table = text[text.index("### 3.8 Gap codes") : text.index("## 4. OpenCode agent")]
    named: set[str] = set()
    for line in table.splitlines():
        if line.startswith("| `"):
            cell = line.split("|")[1]
            first = ""
            for written in re.findall(r"`([a-z_]+)`", cell):
                # "`a_unmatched` / `_ambiguous`" shortens the second code to the end that differs.
                code = written if not written.startswith("_") else first.rsplit("_", 1)[0] + written
                first = first if written.startswith("_") else written
                named.add(code)
    # These two shorten by more than their last word; the sentence names them in full.
    named -= {"opencode_message_call_ownership_conflict", "opencode_message_call_scope_unavailable"}
    assert len(named) > 90
    assert named - set(GAP_CODES) == set()
