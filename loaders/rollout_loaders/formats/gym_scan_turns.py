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


_MODEL = frozenset({"message", "function_call", "reasoning"})


def keyed_turns_of(items: Any, keys: Any) -> tuple[int, int, int, bool, list[str]]:
    """As `turns_of`, where recorded turns say for item ids which turn they belong to; also the recorded turns met."""
    count = _KeyedCount(keys)
    for item in items:
        count.take(item)
    return count.turns, count.calls, *answer_of(count.said, count.called), count.met


class _KeyedCount:
    """The state of one pass over a conversation."""

    def __init__(self, keys: Any) -> None:
        self.keys = keys
        self.turns = self.calls = 0
        self.said: list[Any] = []
        self.met: list[str] = []
        self.called = self.pending = False
        self.other = self.met_here = True
        self.current: Any = None
        self.waiting: dict[Any, int] = {}
        self.seen: set[str] = set()

    def take(self, item: Any) -> None:
        kind, own, call_id = item.get("type"), item.get("id"), item.get("call_id")
        if kind is None and "role" in item:
            kind = "message"
        for given in (own, call_id):
            if given is not None and type(given) is not str:
                raise NotPlainError
        if kind == "function_call_output":
            self.came_in(own or call_id, self.waiting.get(call_id, 0) > 0, call_id)
        elif kind == "message" and item.get("role") in INPUT_ROLES:
            self.came_in(own, False, None)
        elif kind not in _MODEL or (kind == "message" and item.get("role") != "assistant") or "output" in item:
            raise NotPlainError
        else:
            self.wrote(item, kind, own, call_id)

    def came_in(self, own: Any, answers: bool, call_id: Any) -> None:
        self.other = True
        if answers:
            self.waiting[call_id] -= 1
        else:
            self.pending = True
            self.seen.add(own or "")

    def wrote(self, item: Any, kind: str, own: Any, call_id: Any) -> None:
        key = self.keys.get(own or "") or self.keys.get(call_id or "")
        if self.starts(kind, key):
            self.turns += 1
            self.said, self.called, self.pending, self.current, self.met_here = [], False, False, None, False
        self.current = self.current or key
        self.other = False
        if kind == "message":
            self.said.append(item)
        elif kind == "function_call":
            self.calls += 1
            self.called = True
            self.waiting[call_id] = self.waiting.get(call_id, 0) + 1
        name = own or call_id
        if name and name not in self.seen:
            self.seen.add(name)
            if not self.met_here and name in self.keys:
                self.met.append(self.keys[name])
                self.met_here = True

    def starts(self, kind: str, key: Any) -> bool:
        if not self.turns:
            return True
        if key is not None and self.current is not None and not self.pending:
            return bool(key != self.current)
        if kind == "reasoning":
            return self.other or self.called or bool(self.said)
        return self.other or (kind == "message" and bool(self.said))
