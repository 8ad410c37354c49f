"""One pass over a byte range of a rollouts file: what a list needs of each plain row, as a flat tuple.

Runs in the process that lists and in helper processes beside it, so it imports next to nothing: no model, no rules.
A row that is not plain (observations, nested output, damage) is only located here; the full reading summarises it.
"""

from __future__ import annotations

import gc
import marshal
import sys
from collections.abc import Iterator
from struct import Struct
from typing import Any, Protocol

import orjson

BLOCK = 1 << 20
STEP = 8 << 20
HEADER = Struct("<QQ")
_TEXT_BLOCKS = frozenset({"output_text", "input_text", "text"})
_INPUT_ROLES = frozenset({"user", "system", "developer", "tool"})
_FULL = ("ng_agent_observations", "ng_trajectory")
_UNFINISHED = ("incomplete", "in_progress")
_DICT: Any = dict  # untyped, so that a type checker does not take an exact-type test for knowledge of the contents
_LIST: Any = list
_RARE = ("_ng_token_capture", "failure_kind", "failure_reason")


class Readable(Protocol):
    """What is needed of a binary file."""

    def seek(self, offset: int, /) -> int:
        """As of any file."""
        ...

    def readline(self) -> bytes:
        """As of any file."""
        ...

    def readinto(self, buffer: memoryview, /) -> int | None:
        """As of any unbuffered or buffered binary reader."""
        ...


class NotPlainError(Exception):
    """The row needs the full reading."""


def scan(file: Readable, start: int, end: int) -> tuple[int, list[tuple[Any, ...]]]:
    """Rows of the lines that begin in `[start, end)`: (number of lines, rows).

    A row is `(line number from 1, offset, terminated, plain fields or None)`; blank lines give none.
    """
    rows: list[tuple[Any, ...]] = []
    number = 0
    collecting = gc.isenabled()
    gc.disable()  # every row is dropped at once by its reference count; cycle collection costs a tenth
    try:
        for number, (offset, data, terminated) in enumerate(lines(file, start, end), 1):
            if len(data) < 3 and not bytes(data).strip():
                continue
            try:
                fields = plain_fields(orjson.loads(data))
            except (orjson.JSONDecodeError, NotPlainError, KeyError, TypeError, AttributeError, ValueError):
                if not bytes(data).strip():
                    continue
                fields = None
            rows.append((number, offset, terminated, fields))
    finally:
        if collecting:
            gc.enable()
    return number, rows


def lines(file: Readable, start: int, end: int) -> Iterator[tuple[int, memoryview, bool]]:
    """Lines that begin in `[start, end)` as `(offset, bytes without the newline, whether it had one)`.

    A view is of one reused buffer: it holds until the next line is asked for. Nothing is copied but the piece of a line
    that a block cuts off.
    """
    position = _first_line(file, start)
    file.seek(position)
    buffer = bytearray(BLOCK)
    view = memoryview(buffer)
    held = 0  # bytes of an unfinished line at the front
    while position < end:
        if held == len(buffer):
            buffer = buffer + bytearray(len(buffer))
            view = memoryview(buffer)
        filled = file.readinto(view[held:])
        if not filled:
            if held:
                yield position, view[:held], False
            return
        filled += held
        at = 0
        look = held
        while position < end:
            stop = buffer.find(b"\n", look, filled)
            if stop < 0:
                break
            yield position, view[at:stop], True
            position += stop - at + 1
            at = look = stop + 1
        held = filled - at
        buffer[:held] = buffer[at:filled]


def _first_line(file: Readable, start: int) -> int:
    """Offset of the first line that begins at or after `start`."""
    if start == 0:
        return 0
    file.seek(start - 1)
    return start - 1 + len(file.readline())


def plain_fields(row: Any) -> tuple[Any, ...]:
    """The fields of a plain row, in the order in which `gym_summary` reads them. Raises `NotPlainError`."""
    response = row["response"]
    if type(response) is not _DICT or "_ng_failure_record" in row or "_ng_failure_class" in row:
        raise NotPlainError
    for key in _FULL:
        if row.get(key):
            raise NotPlainError
    output = response.get("output")
    if output is None:
        output = ()
    elif type(output) is not _LIST:
        raise NotPlainError
    params = row.get("responses_create_params")
    given = None if params is None else params.get("input")
    agent, usage = row.get("agent_ref"), response.get("usage")
    config, metadata = row.get("instance_config"), response.get("metadata")
    error, details = response.get("error"), response.get("incomplete_details")
    status, timed_out = response.get("status"), row.get("agent_timed_out")
    if (status is not None and type(status) is not str) or (error and type(error) not in (_DICT, str)):
        raise NotPlainError
    if details and type(details.get("reason")) is not str:
        raise NotPlainError
    ended = not error and not details and status not in ("incomplete", "failed") and timed_out is not True
    rare = None
    if error or details or metadata or any(row.get(key) is not None for key in _RARE):
        rare = _rare(row, response)
        if ended and metadata and "agent_timed_out" in metadata:
            raise NotPlainError
    model = response.get("model")
    if not model or type(model) is not str:
        model = None if params is None else _word(params.get("model"))
    turns, calls, answer, stands = _turns(output)
    return (
        *_identity(row),
        _prompt(given),
        _word(agent.get("name")) if type(agent) is _DICT else None,
        model,
        _word(metadata.get("pi_version")) if type(metadata) is _DICT else None,
        (row.get("reward"), status, timed_out, row.get("mask_sample")),
        config.get("mask_sample") if type(config) is _DICT else None,
        rare,
        turns,
        calls,
        answer if turns else None,
        stands and ended and turns > 0,
        _usage(usage),
    )


def _word(value: Any) -> Any:
    return value if type(value) is str else None


def _identity(row: Any) -> tuple[Any, ...]:
    task, rollout, attempt = row.get("_ng_task_index"), row.get("_ng_rollout_index"), row.get("_ng_attempt_index")
    for index in (task, rollout, attempt):
        if index is not None and type(index) is not int:
            raise NotPlainError
    own = row.get("_ng_rollout_id")
    native = row.get("_ng_task_id")
    named = native.get("task_id") if type(native) is _DICT else None
    if named is None:
        named = row.get("task_id")
    if named is None:
        named = row.get("problem_id")
    if named is None:
        named = row.get("instance_id")
    if (named is not None and type(named) is not str) or (own is not None and type(own) is not str):
        raise NotPlainError
    return own, task, rollout, attempt, named


def _rare(row: Any, response: Any) -> Any:
    """The few fields of a row that only outcome and grading rules read, for rows that have any of them."""
    keys = ("error", "incomplete_details", "metadata", "status")
    held = {key: row[key] for key in _RARE if key in row}
    return {**held, "response": {key: response[key] for key in keys if key in response}}


def _prompt(given: Any) -> Any:
    if given is None or type(given) is str:
        return given
    if type(given) is not _LIST:
        raise NotPlainError
    for item in reversed(given):
        if type(item) is _DICT and item.get("role") == "user":
            content = item.get("content")
            text = content if type(content) is str else _block_text(content)
            if text is not None:
                return text
    return None


def _block_text(content: Any) -> Any:
    if type(content) is not _LIST:
        if content is None:
            return None
        raise NotPlainError
    found: list[str] = []
    for block in content:
        if type(block) is not _DICT:
            raise NotPlainError
        kind = block.get("type")
        if (kind is None or kind in _TEXT_BLOCKS) and type(block.get("text")) is str:
            found.append(block["text"])
    return "\n".join(found) if found else None


def _turns(output: Any) -> tuple[int, int, int, bool]:
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
        elif kind == "message":
            role = item.get("role")
            if role in _INPUT_ROLES:
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
    return turns, calls, *_answer(said, called)


def _answer(said: list[Any], called: bool) -> tuple[int, bool]:
    stands = not called
    texts: list[str] = []
    for item in said:
        content = item.get("content")
        text = content if type(content) is str else _block_text(content)
        if type(content) is _LIST and any("refusal" in block for block in content):
            raise NotPlainError
        if text is not None and text.strip():
            texts.append(text)
        if item.get("status") in _UNFINISHED:
            stands = False
    return sum(map(len, texts)) + max(len(texts) - 1, 0), stands


def _usage(usage: Any) -> Any:
    """(input, output, reasoning, cached), None without usage."""
    if not usage:
        return None
    out, given = usage.get("output_tokens_details"), usage.get("input_tokens_details")
    counts = (
        usage.get("input_tokens"),
        usage.get("output_tokens"),
        out.get("reasoning_tokens") if type(out) is _DICT else None,
        given.get("cached_tokens") if type(given) is _DICT else None,
    )
    for count in counts:
        if count is not None and type(count) is not int:
            raise NotPlainError
    return counts


def packed(file: Readable, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """`scan` in steps of `STEP` bytes: (number of lines, marshalled rows), so that rows never all lie unpacked."""
    for low in range(start, end, STEP):
        number, rows = scan(file, low, min(low + STEP, end))
        yield number, marshal.dumps(rows)


def serve() -> None:
    """A helper process: `path start end` as arguments; on standard output the pieces of `packed`, sized."""
    path, start, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    out = sys.stdout.buffer
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - pathlib costs a tenth of the start-up time
        for number, piece in packed(file, start, end):
            out.write(HEADER.pack(number, len(piece)))
            out.write(piece)
    out.write(HEADER.pack(0, 0))
    out.flush()
