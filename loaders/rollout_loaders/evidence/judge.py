"""Judge evaluations of a row: the question, the reply, the label that stands first in it (gym-semantics 9.1, 9.2)."""

from __future__ import annotations

from collections.abc import Sequence

from rollout_loaders.model import JsonObject, JsonValue, JudgeCall

from .extras import as_list, as_object, mapping, text

EQUAL = "[[A=B]]"
NOT_EQUAL = "[[A!=B]]"
OLD_NO_ANSWER = "[NO VALID ANSWER EXTRACTED]"
"""What older equivalence judges were sent in place of an empty answer (gym-semantics 9.1)."""


def judge_calls(evaluations: Sequence[JsonObject]) -> tuple[JudgeCall, ...]:
    """Every evaluation in order. After an equal first the second is the swapped one, else the full-text rescue."""
    calls: list[JudgeCall] = []
    for position, evaluation in enumerate(evaluations):
        reply = last_judge_text(mapping(evaluation, "response"))
        label = first_label(reply)
        swapped = position == 1 and calls[0].verdict_label == EQUAL
        calls.append(
            JudgeCall(
                request_text=request_text(evaluation.get("responses_create_params")),
                response_text=reply,
                verdict_label=label,
                verdict=None if label is None else ("equal" if label == EQUAL else "not equal"),
                swapped=swapped,
                decided=position == len(evaluations) - 1,
                data=evaluation,
            )
        )
    return tuple(calls)


def first_label(reply: str | None, equal: str = EQUAL, not_equal: str = NOT_EQUAL) -> str | None:
    """The label that stands first in the reply; None where there is none, which Gym counts as not equal."""
    if reply is None:
        return None
    at_equal, at_not_equal = reply.find(equal), reply.find(not_equal)
    if at_equal < 0 and at_not_equal < 0:
        return None
    return equal if at_equal >= 0 and (at_not_equal < 0 or at_equal < at_not_equal) else not_equal


def last_judge_text(response: JsonObject) -> str | None:
    """The last content text of the last output item, the only text Gym looks at; None where that item is no message."""
    output = as_list(response.get("output"))
    if not output:
        return None
    last = as_object(output[-1])
    if last.get("type") != "message":
        return None
    content = last.get("content")
    if isinstance(content, str):
        return content
    blocks = as_list(content)
    return text(as_object(blocks[-1]), "text") if blocks else None


def request_text(params: JsonValue) -> str | None:
    """All message texts of the judge's request as `role: text` lines; a string request counts as the user's."""
    request = as_object(params)
    lines: list[str] = []
    instructions = text(request, "instructions")
    if instructions:
        lines.append(f"system: {instructions}")
    given = request.get("input")
    if isinstance(given, str):
        lines.append(f"user: {given}")
    for item in as_list(given) or ():
        message = as_object(item)
        body = _content_text(message.get("content"))
        if body is not None:
            lines.append(f"{text(message, 'role') or 'unknown'}: {body}")
    return "\n".join(lines) if lines else None


def _content_text(content: JsonValue) -> str | None:
    if isinstance(content, str):
        return content
    blocks = as_list(content)
    if blocks is None:
        return None
    texts = [found for block in blocks if (found := text(as_object(block), "text")) is not None]
    return "\n".join(texts) if texts else None
