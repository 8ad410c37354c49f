"""What a list needs of a plain row of verifiers' results, without building its conversation.

Follows `verifiers_results` step by step; whatever would need more raises `NotPlainError`, and the row is read in full.
Imports next to nothing: helper processes run it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .gym_scan_turns import TEXT_BLOCKS, NotPlainError

_BEYOND = 2**63
_DICT: Any = dict  # untyped, so that a type checker does not take an exact-type test for knowledge of the contents
_LIST: Any = list


def plain_fields(row: Any) -> tuple[Any, ...]:
    """The fields in the order in which `verifiers_rows` reads them. Raises `NotPlainError`."""
    completion, error = row["completion"], row.get("error")
    if row.get("verifier_error"):  # an extra that says that the reward does not count
        raise NotPlainError
    truncated = row.get("is_truncated") is True
    turns, calls, last = _turns(completion)
    stands = not truncated and error is None
    answer = None
    if last is not None:
        answer, may_stand = _answer(last)
        stands = stands and may_stand
    replies = 0 if last is not None and _calls(last) else turns
    word = row.get("stop_condition")
    return (
        _example(row),
        _prompt(row.get("prompt"), completion),
        row.get("reward"),
        (error is not None, truncated, word if type(word) is str else None, replies == 1),
        *_times(row.get("timing"), turns),
        turns,
        calls,
        answer,
        stands and turns > 0,
        _usage(row.get("token_usage")),
    )


def _turns(completion: Any) -> tuple[int, int, Any]:
    """(turns, tool calls, the last reply): every reply is a turn."""
    if type(completion) is str:
        return 1, 0, {"content": completion}
    turns = calls = 0
    last = None
    for message in completion if type(completion) is _LIST else ():
        if type(message) is _DICT and message.get("role") == "assistant":
            turns += 1
            calls += _calls(message)
            last = message
    return turns, calls, last


def _calls(message: Any) -> int:
    calls = message.get("tool_calls")
    if type(calls) is _LIST:
        return len(calls)
    return int(type(message.get("function_call")) is _DICT)


def _answer(message: Any) -> tuple[int, bool]:
    """(length of a reply's text, whether nothing in the reply speaks against its standing)."""
    said, refusal = _text(message.get("content")), message.get("refusal")
    if refusal:
        raise NotPlainError
    return len(said) if said.strip() else 0, not _calls(message)


def _text(content: Any) -> str:
    """As `chat_messages.content_text` of content without files."""
    if type(content) is str:
        return content
    if content is None:
        return ""
    if type(content) is not _LIST:
        raise NotPlainError
    texts: list[str] = []
    for block in content:
        if type(block) is not _DICT or block.get("type") not in TEXT_BLOCKS or type(block.get("text")) is not str:
            raise NotPlainError
        texts.append(block["text"])
    return "\n".join(texts)


def _prompt(prompt: Any, completion: Any) -> Any:
    """The first text of a user, wherever it came in."""
    if type(prompt) is str:
        return prompt
    for message in _messages(prompt, completion):
        if type(message) is _DICT and message.get("role") == "user":
            if _calls(message):
                raise NotPlainError
            return _text(message.get("content"))
    return None


def _messages(*talks: Any) -> Iterator[Any]:
    for talk in talks:
        if type(talk) is _LIST:
            yield from talk


def _example(row: Any) -> Any:
    example = row["example_id"] if "example_id" in row else row.get("id")
    if example is not None and type(example) not in (int, str):
        raise NotPlainError
    return example


def _times(timing: Any, turns: int) -> tuple[Any, Any]:
    """(start of the run, end of its last turn) as recorded, None where they are not."""
    if type(timing) is not _DICT:
        return None, None
    generation: Any = timing.get("generation")
    generation = generation if type(generation) is _DICT else {}
    started, ended = timing.get("start_time") or generation.get("start"), generation.get("end")
    return _time(started), _time(ended) if turns else None


def _time(value: Any) -> Any:
    if not value:
        return None
    if type(value) is str or (type(value) in (int, float) and -_BEYOND < value < _BEYOND):
        return value
    raise NotPlainError


def _usage(usage: Any) -> Any:
    """(input, output), None without usage."""
    if type(usage) is not _DICT or not usage:
        return None
    return _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))


def _count(value: Any) -> Any:
    """As `fields.integer`."""
    if type(value) not in (int, float) or not -_BEYOND < value < _BEYOND:
        return None
    return int(value) if value == int(value) else None
