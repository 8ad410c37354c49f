"""Pi session files: the tree, its leaf path, branches, compactions, entries that are no messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.loaders.pi_logs import (
    SESSION,
    Event,
    assistant,
    call,
    entry,
    header,
    lines_of,
    read_session,
    text,
    thinking,
    tool_result,
    user,
)

from rollout_loaders.document import document, encode
from rollout_loaders.locator import locate
from rollout_loaders.model import Rollout
from rollout_views import transcript

START = [
    header(),
    entry("m0", None, "model_change", provider="nemo", modelId="lab-model"),
    entry("t0", "m0", "thinking_level_change", thinkingLevel="medium"),
    entry("u1", "t0", message=user("first")),
    entry("a1", "u1", message=assistant(text("first 4"))),
]


def turns(rollout: Rollout) -> list[tuple[int, str, str]]:
    assert rollout.root is not None
    return [(turn.number, turn.message_id, turn.answer_text) for turn in rollout.root.turns]


def test_a_linear_session(tmp_path: Path) -> None:
    rollout = read_session(
        tmp_path, [*START, entry("u2", "a1", message=user("again")), entry("a2", "u2", message=assistant(text("4")))]
    )
    assert turns(rollout) == [(1, "a1", "first 4"), (2, "a2", "4")]
    assert (rollout.id, rollout.source.format) == (SESSION, "pi-session")
    assert (rollout.final_answer.text, rollout.scored.final_text) == ("4", "4")
    assert rollout.root is not None
    assert rollout.root.turns[0].completed_at == "2026-11-30T15:06:01.000Z"
    assert [part.type for part in rollout.root.parts][:4] == [
        "session",
        "model_change",
        "thinking_level_change",
        "message",
    ]


def tree(from_id: str) -> list[Event]:
    """Two abandoned branches, then one that begins with a summary of the second (formats `14d`)."""
    return [
        *START,
        entry("u2", "a1", message=user("old branch")),
        entry("a2", "u2", message=assistant(text("abandoned 5"))),
        entry("u3", "a1", message=user("new branch")),
        entry("a3", "u3", message=assistant(text("new 6"))),
        entry("s1", "a1", "branch_summary", fromId=from_id, summary="What the branch was about"),
        entry("u4", "s1", message=user("third")),
        entry("a4", "u4", message=assistant(text("summary 7"))),
    ]


@pytest.mark.parametrize(
    "from_id", ["a1", "a3"], ids=["to 0.80.2: the target again", "from 0.86.1: the leaf that was left"]
)
def test_branches_are_reachable_and_in_no_total(from_id: str, tmp_path: Path) -> None:
    rollout = read_session(tmp_path, tree(from_id))
    assert turns(rollout) == [(1, "a1", "first 4"), (2, "a4", "summary 7")]
    assert rollout.root is not None
    shown = [
        (one.leaf, one.forked_at, one.summary, [turn.answer_text for turn in one.turns])
        for one in rollout.root.branches
    ]
    assert shown == [
        ("a2", "a1", None, ["abandoned 5"]),
        ("a3", "a1", "What the branch was about", ["new 6"]),
    ]
    assert [turn.number for one in rollout.root.branches for turn in one.turns] == [2, 2]
    assert [message.text for message in rollout.root.branches[0].turns[0].input] == ["old branch"]
    assert rollout.usage.input == 200
    assert [(message.kind, message.synthetic) for message in rollout.root.turns[1].input] == [
        ("branch_summary", True),
        ("text", False),
    ]


def test_the_leaf_is_the_last_line_whatever_it_is(tmp_path: Path) -> None:
    rollout = read_session(tmp_path, [*tree("a3"), entry("l1", "a2", "label", targetId="u1", label="here")])
    assert turns(rollout) == [(1, "a1", "first 4"), (2, "a2", "abandoned 5")]
    assert rollout.root is not None
    assert [one.leaf for one in rollout.root.branches] == ["a3", "a4"]


def test_a_branch_of_a_branch_is_listed_once(tmp_path: Path) -> None:
    rollout = read_session(
        tmp_path,
        [
            *START,
            entry("u2", "a1", message=user("b")),
            entry("a2", "u2", message=assistant(text("b1"))),
            entry("a3", "u2", message=assistant(text("b2"))),
            entry("u5", "a1", message=user("main")),
            entry("a5", "u5", message=assistant(text("end"))),
        ],
    )
    assert rollout.root is not None
    assert [(one.forked_at, [turn.answer_text for turn in one.turns]) for one in rollout.root.branches] == [
        ("a1", ["b1"]),
        ("u2", ["b2"]),
    ]


def test_what_came_in_on_an_abandoned_branch_is_in_the_document_and_drawn(tmp_path: Path) -> None:
    """Nothing that is stored is hidden: a branch may end in messages that were never answered there."""
    left = [entry("u2", "a1", message=user("left behind")), entry("u3", "a1", message=user("taken"))]
    rollout = read_session(tmp_path, [*START, *left, entry("a3", "u3", message=assistant(text("6")))])
    found: Any = json.loads(encode(document(rollout)))
    (branch,) = found["invocations"][0]["branches"]
    assert [message["text"] for message in branch["trailing_input"]] == ["left behind"]
    shown = [block for block in transcript.blocks(rollout, "observed") if block.body == "left behind"]
    assert ["never answered" in block.mark for block in shown] == [True]
    assert locate(rollout, shown[0].place).item_id == "u2"


def test_a_message_that_no_turn_answered_belongs_to_none(tmp_path: Path) -> None:
    rollout = read_session(tmp_path, [*START, entry("u2", "a1", message=user("again"))])
    assert rollout.root is not None
    assert [(item.text, item.place.turn) for item in rollout.root.items][-1] == ("again", None)


def test_many_branches_take_linear_time(tmp_path: Path) -> None:
    forks = [entry(f"b{index}", "a1", message=user(str(index))) for index in range(3000)]
    long = [entry(f"c{index}", f"c{index - 1}" if index else "a1", message=user(str(index))) for index in range(3000)]
    rollout = read_session(tmp_path, [*START, *forks, *long])
    assert rollout.root is not None
    assert len(rollout.root.branches) == 3000
    assert len(rollout.root.trailing_input) == 3000
    assert rollout.root.branches[7].trailing_input[0].text == "7"


KEPT: list[tuple[str, str | None, int | None]] = [
    # kept entry, first kept item, first kept turn
    ("a1", "msg-0", 1),
    ("a2", "reasoning-1", 2),
    ("a3", "c1", 3),
    ("u2", None, 2),
    ("r3", None, 4),
    ("gone", None, None),
]


@pytest.mark.parametrize(("kept", "item", "turn"), KEPT)
def test_a_compaction_is_resolved_to_the_first_item_of_its_tail(
    kept: str, item: str | None, turn: int | None, tmp_path: Path
) -> None:
    """CONTRACT 4.5: the first item emitted for the tail message; an input leaves the item open and names the turn."""
    rollout = read_session(
        tmp_path,
        [
            *START,
            entry("u2", "a1", message=user("again")),
            entry("a2", "u2", message=assistant(text("second"), thinking("hm"))),
            entry("a3", "a2", message=assistant(call("c1"), stop="toolUse")),
            entry("r3", "a3", message=tool_result("c1")),
            entry("k1", "r3", "compaction", summary="SUM", firstKeptEntryId=kept, tokensBefore=164, fromHook=False),
            entry("u4", "k1", message=user("go on")),
            entry("a4", "u4", message=assistant(text("end"))),
        ],
    )
    assert rollout.root is not None
    (found,) = rollout.root.compactions
    assert (found.first_kept_item_id, found.first_kept_turn, found.after_turn) == (item, turn, 3)
    assert (found.outcome, found.summary, found.tokens_before) == ("completed", "SUM", 164)
    assert [gap.code for gap in rollout.gaps] == ([] if item else ["compaction_first_kept_item_unavailable"])
    if turn is not None:
        assert [one.in_context_at_end for one in rollout.root.turns] == [
            one.number >= turn for one in rollout.root.turns
        ]


def test_a_refused_reply_stays_a_turn_and_is_in_no_context(tmp_path: Path) -> None:
    rollout = read_session(
        tmp_path,
        [
            *START,
            entry("e1", "a1", message=assistant(error="503 overloaded")),
            entry("a2", "e1", message=assistant(text("4"))),
        ],
    )
    assert turns(rollout) == [(1, "a1", "first 4"), (2, "e1", ""), (3, "a2", "4")]
    assert rollout.root is not None
    assert [turn.in_context_at_end for turn in rollout.root.turns] == [True, False, True]


def test_a_context_edit_takes_a_message_out(tmp_path: Path) -> None:
    rollout = read_session(
        tmp_path,
        [
            *START,
            entry("x1", "a1", "context_edit", targetId="a1", replacement=None),
            entry("a2", "x1", message=assistant(text("4"))),
        ],
    )
    assert rollout.root is not None
    assert [turn.in_context_at_end for turn in rollout.root.turns] == [False, True]


def test_entries_that_are_no_messages_are_kept(tmp_path: Path) -> None:
    extra: list[Any] = [
        entry("c1", "a1", "custom", customType="my-state", data={"count": 42}),
        entry("c2", "c1", "custom_message", customType="my-note", content="Injected", display=True),
        entry("l1", "c2", "label", targetId="u1", label="checkpoint"),
        entry("i1", "l1", "session_info", name="Demo"),
        entry("b1", "i1", message={"role": "bashExecution", "command": "ls", "output": "a\n", "exitCode": 0}),
        entry("f1", "b1", "from_the_future", text="kept"),
    ]
    rollout = read_session(tmp_path, [*START, *extra, entry("a2", "f1", message=assistant(text("4")))])
    assert rollout.root is not None
    assert [(message.kind, message.text, message.synthetic) for message in rollout.root.turns[1].input] == [
        ("custom", "Injected", True),
        ("shell", "$ ls\na\n", False),
    ]
    assert rollout.root.title == "Demo"
    stored = [dict(part.data) for part in rollout.root.parts]
    assert all(one in stored for one in extra)


def test_a_fork_names_the_session_it_came_from(tmp_path: Path) -> None:
    rollout = read_session(tmp_path, [{**header(), "parentSession": "old.jsonl"}, *START[1:]])
    assert isinstance(rollout.extra["session"], dict)
    assert rollout.extra["session"]["parentSession"] == "old.jsonl"


# -- damage ----------------------------------------------------------------------------------------------------------


def test_a_lost_line_loses_only_itself(tmp_path: Path) -> None:
    raw = (
        lines_of(START)
        + b'{"type":"message","id":"u2","parentId":"a1","mess\n'
        + lines_of([entry("a2", "u2", message=assistant(text("4")))])
    )
    rollout = read_session(tmp_path, raw)
    assert turns(rollout) == [(1, "a1", "first 4"), (2, "a2", "4")]
    assert [(d.code, d.locator) for d in rollout.diagnostics] == [("record-unreadable", "L6"), ("parent-missing", "L7")]


def test_a_torn_last_line(tmp_path: Path) -> None:
    rollout = read_session(tmp_path, lines_of(START) + b'{"type":"message","id":"u2"')
    assert [(d.code, d.locator) for d in rollout.diagnostics] == [("torn-line", "L6")]
    assert rollout.final_answer.text == "first 4"


def test_a_last_line_without_newline(tmp_path: Path) -> None:
    rollout = read_session(tmp_path, lines_of(START)[:-1])
    assert [(d.code, d.locator) for d in rollout.diagnostics] == [("no-final-newline", "L5")]
    assert rollout.final_answer.text == "first 4"


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"type": "message", "id": "u1", "parentId": "u1"},
        {"type": "message", "id": "zz", "parentId": "zz", "message": None},
        {"type": "message", "parentId": 4, "message": {"role": []}},
        {"type": "compaction", "id": "k", "parentId": "a1", "timestamp": "yesterday", "tokensBefore": -1},
        {"type": "branch_summary", "id": "s", "parentId": "a1", "fromId": 3, "summary": None},
        {"type": "context_edit", "id": "x", "parentId": "a1"},
        [1],
        "text",
    ],
)
def test_odd_entries_neither_crash_nor_hide(odd: Any, tmp_path: Path) -> None:
    rollout = read_session(tmp_path, [*START, odd, entry("a2", "a1", message=assistant(text("4")))])
    assert rollout.final_answer.text == "4"
    assert [answer for _, _, answer in turns(rollout)] == ["first 4", "4"]


def test_an_empty_file_holds_no_session(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not enough values"):
        read_session(tmp_path, b"")


def test_a_header_alone_is_a_session_without_turns(tmp_path: Path) -> None:
    rollout = read_session(tmp_path, [header()])
    assert (rollout.id, turns(rollout), rollout.final_answer.text) == (SESSION, [], None)
    assert rollout.scored.final_text == ""
