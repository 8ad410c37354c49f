"""One pass over a byte range of a rollouts file: what a list needs of each plain row, as a flat tuple.

Runs in the process that lists and in helper processes beside it, so it imports next to nothing: no model, no rules.
A row that is not plain (observations, nested output, damage) is only located here; the full reading summarises it.
"""

from __future__ import annotations

import gc
import importlib
import marshal
import sys
from collections.abc import Callable, Iterator
from struct import Struct
from typing import Any

import orjson

from rollout_loaders.first_line import known

from .gym_blocks import Readable, lines
from .gym_scan_turns import NotPlainError, block_text, turns_of

Plain = Callable[[Any], tuple[Any, ...]]
STEP = 8 << 20
HEADER = Struct("<QQ")
_BEYOND = 2**63  # as `fields.BEYOND`: what does not fit 64 bits is no count and no index
_UNFINISHED = ("incomplete", "in_progress")
_DICT: Any = dict  # untyped, so that a type checker does not take an exact-type test for knowledge of the contents
_LIST: Any = list
_RARE = ("_ng_token_capture", "failure_kind", "failure_reason")


def scan(file: Readable, start: int, end: int, plain: Plain) -> tuple[int, list[tuple[Any, ...]]]:
    """Rows of the lines that begin in `[start, end)`: (number of lines, rows). `plain` as `plain_fields`.

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
                row = known(data)
                fields = plain(orjson.loads(data) if row is None else row)
            except (orjson.JSONDecodeError, NotPlainError, KeyError, TypeError, AttributeError, ValueError):
                if not bytes(data).strip():
                    continue
                fields = None
            rows.append((number, offset, terminated, fields))
    finally:
        if collecting:
            gc.enable()
    return number, rows


def plain_fields(row: Any) -> tuple[Any, ...]:
    """The fields of a plain row, in the order in which `gym_summary` reads them. Raises `NotPlainError`."""
    response = row["response"]
    if type(response) is not _DICT or "_ng_failure_record" in row or "_ng_failure_class" in row:
        raise NotPlainError
    if row.get("verifier_error"):  # an extra that says that the reward does not count
        raise NotPlainError
    source, started, *counted = _conversation(row, response)
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
    turns, calls, answer, stands = counted
    return (
        *_identity(row),
        _prompt(given),
        _word(agent.get("name")) if type(agent) is _DICT else None,
        model,
        _word(metadata.get("pi_version")) if type(metadata) is _DICT else None,
        source,
        started,
        (row.get("reward"), status, timed_out, row.get("mask_sample")),
        config.get("mask_sample") if type(config) is _DICT else None,
        rare,
        turns,
        calls,
        answer if turns else None,
        stands and ended and turns > 0,
        _usage(usage),
    )


def _conversation(row: Any, response: Any) -> tuple[Any, ...]:
    """(source, start, turns, calls, length of the answer, whether it stands) of the row's conversations."""
    if row.get("ng_agent_observations") or row.get("ng_trajectory"):
        from .gym_scan_observed import observed_turns

        return observed_turns(row)
    output = response.get("output")
    if output is not None and type(output) is not _LIST:
        raise NotPlainError
    return None, None, *turns_of(output or ())


def _word(value: Any) -> Any:
    return value if type(value) is str else None


def _identity(row: Any) -> tuple[Any, ...]:
    task, rollout, attempt = row.get("_ng_task_index"), row.get("_ng_rollout_index"), row.get("_ng_attempt_index")
    for index in (task, rollout, attempt):
        if index is not None and (type(index) is not int or not -_BEYOND < index < _BEYOND):
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
            text = content if type(content) is str else block_text(content)
            if text is not None:
                return text
    return None


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
        if count is not None and (type(count) is not int or not -_BEYOND < count < _BEYOND):
            raise NotPlainError
    return counts


def plain_of(module: str) -> Plain:
    """`plain_fields` of a module of this package: of this one, or of another format's scan."""
    found: Plain = importlib.import_module(f"{__package__}.{module}").plain_fields
    return found


def packed(file: Readable, start: int, end: int, plain: Plain) -> Iterator[tuple[int, bytes]]:
    """`scan` in steps of `STEP` bytes: (number of lines, marshalled rows), so that rows never all lie unpacked."""
    for low in range(start, end, STEP):
        number, rows = scan(file, low, min(low + STEP, end), plain)
        yield number, marshal.dumps(rows)


def serve() -> None:
    """A helper process: `path start end module` as arguments; on standard output the pieces of `packed`, sized."""
    path, start, end, module = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    out = sys.stdout.buffer
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - pathlib costs a tenth of the start-up time
        for number, piece in packed(file, start, end, plain_of(module)):
            out.write(HEADER.pack(number, len(piece)))
            out.write(piece)
    out.write(HEADER.pack(0, 0))
    out.flush()
