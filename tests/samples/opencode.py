"""Samples made from OpenCode recordings."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from .recording import Tables, data_of, export, first_model_requests, set_data, write_database, write_json, write_lines
from .sample import sample

NEW = "opencode-1.18.33"


def _parts(tables: Tables, kind: str) -> list[dict[str, Any]]:
    return sorted((row for row in tables["part"] if data_of(row)["type"] == kind), key=lambda row: row["id"])


@sample(
    "split-reply",
    "A reply split into reasoning and answer",
    "A text part that starts with one closed think block, through a Gym Model Server, is "
    "reasoning and answer; the graded text is the answer alone.",
)
def split_reply(recordings: Path, folder: Path) -> dict[str, Any]:
    write_database(folder, recordings / NEW / "03a-think-answer", wal=True)
    return {
        "route": {"gym_reasoning": True, "forced": False},
        "invocations": [
            {
                "turns": [
                    {
                        "number": 1,
                        "reasoning": [{"text": "\nTwo and two make four.\n", "id": {"$re": "^prt_.*-reasoning$"}}],
                        "answer": [{"text": "4", "id": {"$re": "^prt_[^-]*$"}}],
                    }
                ]
            }
        ],
        "final_answer": {"text": "4", "turn": 1, "stands": True},
        "scored": {"reading": "host-response", "final_text": "4"},
        "outcome": {"status": "completed"},
    }


def _answer_at_last(tables: Tables) -> None:
    row = _parts(tables, "text")[-1]
    set_data(row, {**data_of(row), "text": "<think>\nThe check passed.\n</think>\n\nThe answer is 4."})


@sample(
    "think-only-tool-turn",
    "A turn that is only reasoning followed by a tool call",
    "Such a turn has reasoning and its tool call, and no answer item, not an empty one.",
    "the last reply's text is given an answer after its think block, so that only the tool turns are without one",
)
def think_only_tool_turn(recordings: Path, folder: Path) -> dict[str, Any]:
    write_database(folder, recordings / NEW / "03b-think-tools-empty-final", _answer_at_last)
    return {
        "invocations": [
            {
                "turns": [
                    {
                        "reasoning": [{"text": "\nI should list the files first.\n"}],
                        "answer": [],
                        "tool_calls": {"$len": 1},
                    },
                    {"answer": [{"text": "4"}], "tool_calls": {"$len": 1}},
                    {"answer": [{"text": "The answer is 4."}], "tool_calls": []},
                ]
            }
        ],
        "final_answer": {"text": "The answer is 4.", "turn": 3, "stands": True},
        "scored": {"final_text": "The answer is 4."},
    }


@sample(
    "empty-final-answer",
    "The last reply is only its reasoning: the answer is empty, not the earlier 4",
    "Removing reasoning never promotes an earlier turn's text into the final answer.",
)
def empty_final_answer(recordings: Path, folder: Path) -> dict[str, Any]:
    write_database(folder, recordings / NEW / "03b-think-tools-empty-final")
    return {
        "invocations": [{"turns": {"$len": 3}}],
        "final_answer": {"text": "", "turn": 3, "stands": True},
        "scored": {"final_text": "", "from": {"turn": 3}},
        "outcome": {"status": "completed"},
        "findings": {"$contains": [{"code": "empty-final-answer"}]},
    }


@sample(
    "empty-final-answer-export",
    "The same in an export: read as session output, the empty answer stays",
    "The export path keeps the empty message too.",
)
def empty_final_answer_export(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "03b-think-tools-empty-final"))
    return {
        "final_answer": {"text": "", "turn": 3},
        "scored": {"reading": "session-output", "final_text": ""},
    }


@sample(
    "empty-final-answer-storage",
    "The same in the JSON store of OpenCode 1.1",
    "What holds for one reader holds for all: the JSON store goes through the same core.",
)
def empty_final_answer_storage(recordings: Path, folder: Path) -> dict[str, Any]:
    shutil.copytree(
        recordings / "opencode-1.1.65" / "03b-think-tools-empty-final" / "storage",
        folder / "storage",
        ignore=shutil.ignore_patterns("session_diff", "todo"),
    )
    return {
        "harness": {"name": "opencode", "version": "1.1.65"},
        "invocations": [{"turns": {"$len": 3}}],
        "final_answer": {"text": "", "turn": 3},
        "scored": {"final_text": ""},
    }


@sample(
    "reasoning-beside-text",
    "A reasoning-only part beside a text part 4: the answer is 4",
    "A message that has answer text in another part keeps it and gets no empty answer.",
    "the reply's one text part is cut in two: its think block, and a second text part `4`",
)
def reasoning_beside_text(recordings: Path, folder: Path) -> dict[str, Any]:
    def cut(tables: Tables) -> None:
        row = _parts(tables, "text")[-1]
        second = {**row, "id": row["id"][:-1] + "z"}
        set_data(second, {**data_of(row), "text": "4"})
        set_data(row, {**data_of(row), "text": "<think>\nTwo and two make four.\n</think>"})
        tables["part"].append(second)

    write_database(folder, recordings / NEW / "03a-think-answer", cut)
    return {
        "invocations": [{"turns": [{"reasoning": {"$len": 1}, "answer": [{"text": "4"}]}]}],
        "final_answer": {"text": "4", "stands": True},
        "scored": {"final_text": "4", "items": {"$contains": [{"type": "message", "role": "assistant"}]}},
    }


@sample(
    "literal-tags",
    "Two think blocks: only the first is split, the second is the model's own text",
    "Only the first block is reasoning; every other tag is literal text.",
)
def literal_tags(recordings: Path, folder: Path) -> dict[str, Any]:
    write_database(folder, recordings / NEW / "04c-two-think-blocks")
    return {
        "invocations": [{"turns": [{"reasoning": [{"text": "one"}], "answer": [{"text": "<think>two</think>\n4"}]}]}],
        "final_answer": {"text": "<think>two</think>\n4"},
        "scored": {"final_text": "<think>two</think>\n4"},
    }


@sample(
    "leading-whitespace-tags",
    "White space before the tag: nothing is split",
    "Only a block at offset 0 is reasoning.",
)
def leading_whitespace(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "04d-leading-whitespace-think"))
    return {
        "invocations": [{"turns": [{"reasoning": []}]}],
        "final_answer": {"text": "\n\n  <think>spaced</think>\n\n4"},
        "scored": {"final_text": "\n\n  <think>spaced</think>\n\n4"},
    }


@sample(
    "typed-reasoning",
    "Typed reasoning beside a leading think block",
    "A typed reasoning part is reasoning as it is; the think block of the text part is split as well.",
)
def typed_reasoning(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "04h-typed-reasoning-plus-leading-think"))
    return {
        "invocations": [
            {"turns": [{"reasoning": [{"text": "typed"}, {"text": "\ntagged\n"}], "answer": [{"text": "4"}]}]}
        ],
        "final_answer": {"text": "4"},
        "scored": {"final_text": "4"},
    }


@sample(
    "compaction-split-tail",
    "A compaction whose kept tail starts at a split reply",
    "`first_kept_item_id` is the reasoning item, `{part id}-reasoning`.",
    "the compaction's `tail_start_id` is set to the assistant message `second answer`",
)
def compaction_split_tail(recordings: Path, folder: Path) -> dict[str, Any]:
    document = export(recordings / NEW / "07j-tail-start-id")
    part_id = tail = ""
    for message in document["messages"]:
        for part in message["parts"]:
            if part.get("text", "").endswith("second answer"):
                tail, part_id = message["info"]["id"], part["id"]
    for message in document["messages"]:
        for part in message["parts"]:
            if part["type"] == "compaction":
                part["tail_start_id"] = tail
    write_json(folder / "export.json", document)
    return {
        "invocations": [
            {
                "turns": {"$len": 4},
                "compactions": [
                    {
                        "outcome": "completed",
                        "summary": "TAIL SUMMARY",
                        "first_kept_item_id": f"{part_id}-reasoning",
                        "first_kept_turn": 2,
                        "after_turn": 3,
                    }
                ],
            }
        ],
        "final_answer": {"text": "4", "turn": 4, "stands": True},
    }


@sample(
    "compaction-user-tail",
    "A compaction whose kept tail starts at a user message",
    "No item can be named; the gap says so and the next turn is given.",
)
def compaction_user_tail(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "07j-tail-start-id"))
    return {
        "invocations": [{"compactions": [{"first_kept_item_id": None, "first_kept_turn": 2}]}],
        "gaps": {"$contains": [{"code": "compaction_first_kept_item_unavailable"}]},
    }


@sample(
    "compaction-failed",
    "The summary call fails: the last text is no answer",
    "A failed compaction follows the last turn, so no answer stands; the run failed.",
)
def compaction_failed(recordings: Path, folder: Path) -> dict[str, Any]:
    write_database(folder, recordings / NEW / "07c-compaction-summary-503")
    return {
        "invocations": [{"turns": {"$len": 2}, "compactions": [{"outcome": "failed"}]}],
        "final_answer": {"text": "step two", "turn": 2, "stands": False},
        "outcome": {"status": "failed"},
        "findings": {"$contains": [{"code": "compaction-failed"}, {"code": "no-final-answer"}]},
    }


@sample(
    "pruned-output",
    "Tool outputs that later model inputs no longer saw",
    "The output is kept in full, marked pruned; the observation shows the literal that the model saw.",
    "long tool outputs are cut to their first 200 characters",
)
def pruned_output(recordings: Path, folder: Path) -> dict[str, Any]:
    document = export(recordings / NEW / "07g-pruned")
    for message in document["messages"]:
        for part in message["parts"]:
            state: dict[str, Any] = part.get("state") or {}
            metadata: dict[str, Any] = state.get("metadata") or {}
            for holder in (state, metadata):
                if isinstance(holder.get("output"), str):
                    holder["output"] = holder["output"][:200]
    write_json(folder / "export.json", document)
    return {
        "invocations": [
            {
                "turns": {
                    "$contains": [{"number": 1, "tool_calls": {"$contains": [{"pruned": True}, {"pruned": False}]}}]
                }
            }
        ],
        "final_answer": {"text": "4", "turn": 6},
    }


@sample(
    "subagent",
    "A subagent: its conversation is an invocation of its own",
    "The host response interleaves it, the final answer is the root's.",
)
def subagent(recordings: Path, folder: Path) -> dict[str, Any]:
    write_database(folder, recordings / NEW / "08a-subagent")
    return {
        "invocations": [
            {"parent_id": None, "turns": [{"tool_calls": [{"name": "task", "child": {"$re": "^ses_"}}]}, {}]},
            {"parent_id": {"$re": "^ses_"}, "spawned_by": {"$re": "."}, "turns": {"$len": 2}},
        ],
        "final_answer": {"text": "The subagent says 4.", "turn": 2, "stands": True},
        "scored": {
            "final_text": "The subagent says 4.",
            "items": {"$contains": [{"type": "message", "content": [{"text": "child looks"}]}]},
        },
    }


@sample(
    "killed-run",
    "A run killed inside a tool",
    "No finish, so incomplete; the turn called tools, so its text is no final answer.",
)
def killed_run(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "10c-sigkill-in-tool"))
    return {
        "invocations": [{"turns": [{"partial": True, "finish": None, "tool_calls": {"$len": 2}}]}],
        "final_answer": {"text": "Sleeping.", "stands": False},
        "outcome": {"status": "incomplete"},
    }


@sample(
    "reverted-turn",
    "A turn that the user took back is still stored, and was scored",
    "Reverted messages stay in the store: the turn is counted, and `stands` is false.",
)
def reverted_turn(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "11c-reverted-session"))
    return {
        "invocations": [{"turns": [{"reverted": False}, {"reverted": False}, {"reverted": True}, {"reverted": True}]}],
        "final_answer": {"text": "second done", "turn": 4, "stands": False, "because": {"$re": "reverted"}},
        "findings": {"$contains": [{"code": "scored-text-reverted"}]},
    }


@sample(
    "deprecated-agent",
    "A session of the deprecated agent: the text stays raw",
    "Provider nemo_gym does not opt in to the split.",
    "provider `nemo` becomes `nemo_gym` in every message and in the session's model",
)
def deprecated_agent(recordings: Path, folder: Path) -> dict[str, Any]:
    document = export(recordings / NEW / "03a-think-answer")
    document["info"]["model"]["providerID"] = "nemo_gym"
    for message in document["messages"]:
        info = message["info"]
        if "providerID" in info:
            info["providerID"] = "nemo_gym"
        if "model" in info:
            info["model"]["providerID"] = "nemo_gym"
    write_json(folder / "export.json", document)
    return {
        "route": {"gym_reasoning": False},
        "invocations": [{"turns": [{"reasoning": []}]}],
        "final_answer": {"text": "<think>\nTwo and two make four.\n</think>\n\n4"},
        "scored": {"final_text": "<think>\nTwo and two make four.\n</think>\n\n4"},
    }


@sample(
    "retried-in-place",
    "A stream that broke and was tried again inside one message",
    "Two step-starts in one message; the broken try's reasoning stays, the answer is the second try's.",
)
def retried_in_place(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "06g2-drop-midstream-slow"))
    return {
        "invocations": [{"turns": [{"retries": {"$len": 1}, "answer": [{"text": "4"}]}]}],
        "final_answer": {"text": "4", "stands": True},
        "findings": {"$contains": [{"code": "retried-in-place"}]},
    }


@sample(
    "permission-denied",
    "A denied permission stops the loop: there is no answer",
    "The program exits with 0, but the last message asked for tools and nothing came after: incomplete.",
)
def permission_denied(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "05e-permission-denied"))
    return {
        "invocations": [{"turns": [{"answer": [], "tool_calls": [{"status": "failed"}, {"status": "failed"}]}]}],
        "final_answer": {"text": "", "stands": False, "because": {"$re": "called tools"}},
        "outcome": {"status": "incomplete"},
        "findings": {"$contains": [{"code": "no-final-answer"}]},
    }


@sample(
    "step-limit-note",
    "The harness speaks in the model's name at its step limit",
    "The note is on the wire only; no store keeps it and the model never wrote it.",
)
def step_limit_note(recordings: Path, folder: Path) -> dict[str, Any]:
    recording = recordings / NEW / "09a-steps-limit"
    write_json(folder / "export.json", export(recording))
    write_lines(folder / "requests.jsonl", first_model_requests(recording / "requests.jsonl"))
    return {
        "final_answer": {"text": "Stopped at the limit; the answer is 4.", "turn": 3},
        "harness_notes": [{"harness": "opencode", "turn": 3, "role_on_wire": "assistant", "forwarded_as": "user"}],
        "findings": {"$contains": [{"code": "harness-note-sent"}]},
    }


@sample(
    "truncated-export",
    "An export that a pipe cut off",
    "Every complete message and part before the cut is read; the cut is a finding with its byte offset.",
    "the export is cut in the middle of its last message (peers 1.1: truncated JSON when piped)",
)
def truncated_export(recordings: Path, folder: Path) -> dict[str, Any]:
    write_json(folder / "export.json", export(recordings / NEW / "03b-think-tools-empty-final"))
    text = (folder / "export.json").read_bytes()
    (folder / "export.json").write_bytes(text[: text.index(b"The check passed")])
    return {
        "invocations": [{"turns": {"$len": 3}}],
        "findings": {"$contains": [{"code": "artifact-truncated"}]},
    }


@sample(
    "missing-wal",
    "A database copied without its -wal is empty",
    "The data lies only in the -wal; an empty database without it says so.",
    "only the main file of the recording's database is kept",
)
def missing_wal(recordings: Path, folder: Path) -> dict[str, Any]:
    shutil.copy(recordings / NEW / "01-plain" / "opencode.db", folder / "opencode.db")
    return {"collection": {"diagnostics": {"$contains": [{"code": "wal-missing"}]}}}


@sample(
    "part-order",
    "Parts whose row times contradict their ids",
    "Turns take parts by id, the host response by (time_created, id), as Gym does: they end differently.",
    "the reply is cut into two text parts; the second one's row time is set before the first one's",
)
def part_order(recordings: Path, folder: Path) -> dict[str, Any]:
    def cut(tables: Tables) -> None:
        row = _parts(tables, "text")[-1]
        second = {**row, "id": row["id"][:-1] + "z", "time_created": row["time_created"] - 5}
        set_data(second, {**data_of(row), "text": "second by id"})
        set_data(row, {**data_of(row), "text": "first by id"})
        tables["part"].append(second)

    write_database(folder, recordings / NEW / "03a-think-answer", cut)
    return {
        "invocations": [{"turns": [{"answer": [{"text": "first by id"}, {"text": "second by id"}]}]}],
        "final_answer": {"text": "first by id\nsecond by id"},
        "scored": {"reading": "host-response", "final_text": "first by id"},
    }


@sample(
    "blank-part",
    "A blank text part: nothing in the host response",
    "A blank text part gives no item in the host response.",
    "the reply's text becomes white space",
)
def blank_part(recordings: Path, folder: Path) -> dict[str, Any]:
    def blank(tables: Tables) -> None:
        row = _parts(tables, "text")[-1]
        set_data(row, {**data_of(row), "text": "  \n"})

    write_database(folder, recordings / NEW / "03a-think-answer", blank)
    return {
        "invocations": [{"turns": [{"answer": []}]}],
        "final_answer": {"text": ""},
        # No assistant message item at all: Gym appends one empty message (gym-semantics 4.2).
        "scored": {"final_text": "", "items": [{"type": "message", "role": "assistant"}]},
    }


@sample(
    "blank-part-export",
    "A blank text part in an export: an empty message in session output",
    "Gym's session converter keeps it.",
    "the reply's text becomes white space",
)
def blank_part_export(recordings: Path, folder: Path) -> dict[str, Any]:
    document = export(recordings / NEW / "03b-think-tools-empty-final")
    for part in document["messages"][-1]["parts"]:
        if part["type"] == "text":
            part["text"] = "  \n"
    write_json(folder / "export.json", document)
    return {"final_answer": {"text": ""}, "scored": {"reading": "session-output", "final_text": {"$re": r"^\s*$"}}}
