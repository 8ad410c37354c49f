"""Pairing of calls and results by their place in the message (CONTRACT 4.8, formats trap 13)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loaders.stored_sessions import call, message, reply, session

from rollout_loaders.convert.host_response import host_response
from rollout_loaders.convert.observed import observed
from rollout_loaders.convert.session_output import session_output
from rollout_loaders.convert.session_rollout import StoredRollout, rollout_of
from rollout_loaders.convert.stored import PartOrder
from rollout_loaders.convert.turns import turns
from rollout_loaders.model import Item, SourceRef

CALLS = st.lists(
    st.tuples(st.sampled_from(["same", "other", None]), st.one_of(st.none(), st.text(min_size=1, max_size=5))),
    max_size=8,
)


def pairs(items: tuple[Item, ...]) -> list[tuple[str | None, str | None]]:
    """Each call with the output that directly follows it."""
    found: list[tuple[str | None, str | None]] = []
    for item in items:
        if item.type == "function_call":
            found.append((item.call_id, None))
        elif item.type == "function_call_output":
            assert found[-1] == (item.call_id, None)
            found[-1] = (item.call_id, item.text)
    return found


@given(CALLS)
def test_nothing_is_lost_and_nothing_invented_also_with_repeated_ids(
    listed: list[tuple[str | None, str | None]],
) -> None:
    stored = session(*(message("assistant", call(name, output)) for name, output in listed))
    outputs = [output for _, output in listed]
    (rest) = turns(stored, gate=True).turns
    assert [one.output for turn in rest for one in turn.tool_calls] == outputs
    assert [one.call_id for turn in rest for one in turn.tool_calls] == [name for name, _ in listed]
    for items in (host_response([stored], gate=True), observed(stored, gate=True).items):
        assert [output for _, output in pairs(items)] == outputs
        assert [name for name, _ in pairs(items) if not (name or "").startswith("call-")] == [n for n, _ in listed if n]
    assert [output for _, output in pairs(session_output(stored, gate=True).items)] == [o or "" for o in outputs]


def test_a_missing_call_id_is_made_from_the_part_and_always_the_same() -> None:
    stored = session(message("assistant", call(None)))
    first, second = (observed(stored, gate=True).items[0].call_id for _ in range(2))
    assert first == second
    assert first is not None
    assert len(first) == len("call-") + 8
    assert turns(stored, gate=True).turns[0].tool_calls[0].call_id is None
    rollout = rollout_of(StoredRollout((stored,), PartOrder.ROW_TIME, SourceRef("x", "y"), "host-response"))
    assert [gap.detail for gap in rollout.gaps if gap.code == "tool_call_identity_unavailable"] == ["prt_00_0"]


@pytest.mark.parametrize(
    ("stored_status", "status", "item_status"),
    [
        ("completed", "completed", "completed"),
        ("error", "failed", "incomplete"),
        ("running", "incomplete", "incomplete"),
        ("pending", "incomplete", "incomplete"),
        ("dreaming", "unknown", "incomplete"),
        (None, "unknown", "incomplete"),
    ],
)
def test_status_words(stored_status: str | None, status: str, item_status: str) -> None:
    """gym-semantics 4.3; the host response always says completed (4.2)."""
    stored = session(message("assistant", call("c", status=stored_status)))
    assert turns(stored, gate=True).turns[0].tool_calls[0].status == status
    assert observed(stored, gate=True).items[0].data["status"] == item_status
    assert session_output(stored, gate=True).items[0].data["status"] == item_status
    assert host_response([stored], gate=True)[0].data["status"] == "completed"


def test_an_invalid_call_is_marked_though_its_status_is_completed() -> None:
    """Formats trap 7."""
    stored = session(message("assistant", call("c", name="invalid", arguments={"tool": "no_such_tool"})))
    (one,) = turns(stored, gate=True).turns[0].tool_calls
    assert (one.invalid, one.status) == (True, "completed")


@pytest.mark.parametrize(
    ("arguments", "decoded"), [({"a": "é漢"}, {"a": "é漢"}), ([], []), (None, {}), ("{broken", None), (3, 3)]
)
def test_arguments_are_a_json_string_in_items_and_as_stored_in_turns(arguments: Any, decoded: Any) -> None:
    stored = session(message("assistant", call("c", arguments=arguments)))
    written = observed(stored, gate=True).items[0].data["arguments"]
    assert isinstance(written, str)
    assert written == arguments if decoded is None else json.loads(written) == decoded
    assert turns(stored, gate=True).turns[0].tool_calls[0].arguments == arguments


def test_times_that_contradict_each_other_are_no_duration() -> None:
    """gym-semantics 4.3: times only if both are valid and end >= start."""
    stored = session(
        message("assistant", call("c", started_ms=2000, ended_ms=2500), call("d", started_ms=9, ended_ms=1), reply("x"))
    )
    first, second = turns(stored, gate=True).turns[0].tool_calls
    assert (first.started_at, first.duration_ms) == ("1970-01-01T00:00:02.000Z", 500)
    assert second.duration_ms is None
