"""Counting turns, calls and the last answer on raw items: the grouping of `responses_turns`, for lists only.

Imports next to nothing: helper processes run it.
"""

from __future__ import annotations

from typing import Any

TEXT_BLOCKS = frozenset({"output_text", "input_text", "text"})
INPUT_ROLES = frozenset({"user", "system", "developer", "tool"})
_UNFINISHED = frozenset({"incomplete", "in_progress"})
_DICT: Any = dict  # untyped, so that a type checker does not take an exact-type test for knowledge of the contents
_LIST: Any = list


class NotPlainError(Exception):
    """The row needs the full reading."""


def block_text(content: Any) -> Any:
    """As `responses_items.content_text` for a list of blocks."""
    if type(content) is not _LIST:
        if content is None:
            return None
        raise NotPlainError
    found: list[str] = []
    for block in content:
        if type(block) is not _DICT:
            raise NotPlainError
        kind = block.get("type")
        if (kind is None or kind in TEXT_BLOCKS) and type(block.get("text")) is str:
            found.append(block["text"])
    return "\n".join(found) if found else None


def turns_of(output: Any) -> tuple[int, int, int, bool]:
    """(turns, tool calls, length of the last turn's answer, whether nothing in it speaks against its standing).

    The grouping of `responses_turns.starts_turn`, on raw items.
    """
    turns = calls = 0
    other = True
    said: list[Any] = []
    called = False
    for item in output:
        kind = item.get("type")
        if kind == "function_call_output":
            other = True
        elif kind == "function_call":
            calls += 1
            if other:
                turns += 1
                other = False
                said = []
            called = True
        elif kind == "message" or (kind is None and "role" in item):
            role = item.get("role")
            if role in INPUT_ROLES:
                other = True
            elif role == "assistant":
                if other or said:
                    turns += 1
                    other = called = False
                    said = []
                said.append(item)
            else:
                raise NotPlainError
        elif kind == "reasoning":
            if other or said or called:
                turns += 1
                other = called = False
                said = []
        else:
            raise NotPlainError
    return turns, calls, *answer_of(said, called)


def answer_of(said: list[Any], called: bool) -> tuple[int, bool]:
    """(length of the answer of a turn with these messages, whether nothing in them speaks against its standing)."""
    stands = not called
    texts: list[str] = []
    for item in said:
        content = item.get("content")
        text = content if type(content) is str else block_text(content)
        if type(content) is _LIST and any("refusal" in block for block in content):
            raise NotPlainError
        if text is not None and text.strip():
            texts.append(text)
        if item.get("status") in _UNFINISHED:
            stands = False
    return sum(map(len, texts)) + max(len(texts) - 1, 0), stands


def keyed_turns_of(items: Any, keys: Any) -> tuple[int, int, int, bool, list[str]]:
    """As `turns_of`, where recorded turns say for item ids which turn they belong to; also the recorded turns met."""
    turns = calls = 0
    other = called = pending = False
    said: list[Any] = []
    current: Any = None
    waiting: dict[Any, int] = {}
    seen: set[str] = set()
    met: list[str] = []
    met_here = True
    for item in items:
        kind = item.get("type")
        if kind is None and "role" in item:
            kind = "message"
        call_id = item.get("call_id")
        for given in (item.get("id"), call_id):
            if given is not None and type(given) is not str:
                raise NotPlainError
        if kind == "function_call_output":
            other = True
            if waiting.get(call_id):
                waiting[call_id] -= 1
            else:
                pending = True
                seen.add(item.get("id") or call_id or "")
            continue
        if kind == "message" and item.get("role") in INPUT_ROLES:
            other = pending = True
            seen.add(item.get("id") or "")
            continue
        if kind not in _MODEL or (kind == "message" and item.get("role") != "assistant") or "output" in item:
            raise NotPlainError
        own = item.get("id") or call_id
        key = keys.get(item.get("id") or "") or keys.get(call_id or "")
        if not turns:
            starts = True
        elif key is not None and current is not None and not pending:
            starts = key != current
        else:
            starts = other or (kind == "reasoning" and (called or bool(said))) or (kind == "message" and bool(said))
        if starts:
            turns += 1
            said, called, pending, current, met_here = [], False, False, None, False
        current = current or key
        if kind == "message":
            said.append(item)
        elif kind == "function_call":
            calls += 1
            called = True
            waiting[call_id] = waiting.get(call_id, 0) + 1
        other = False
        if own and own not in seen:
            seen.add(own)
            if not met_here and own in keys:
                met.append(keys[own])
                met_here = True
    return turns, calls, *answer_of(said, called), met


_MODEL = frozenset({"message", "function_call", "reasoning"})
