"""Findings about what stands as the answer, and what a verifier read in its place."""

from __future__ import annotations

import re

from rollout_loaders.convert.think import CLOSE, OPEN, split
from rollout_loaders.model import Place, Rollout, Turn
from rollout_loaders.reader import ReadOptions

from .graded_origin import graded_place, origin_turn
from .rule import FindingRule, Found, characters

EMPTY_FINAL_ANSWER = "empty_final_answer"
TOO_LONG = re.compile(r"final_answer_too_long: (\d+) characters exceeds (\d+)")


def _root_place(rollout: Rollout, turn: int | None, item_id: str | None = None) -> Place:
    return Place(invocation=None if rollout.root is None else rollout.root.id, turn=turn, item_id=item_id)


def _last_turn(rollout: Rollout) -> Turn | None:
    return rollout.root.turns[-1] if rollout.root is not None and rollout.root.turns else None


def _recorded_empty(rollout: Rollout) -> bool:
    row = rollout.evidence.row
    return row is not None and row.failure_reason == EMPTY_FINAL_ANSWER


def empty_final_answer(rollout: Rollout, _options: ReadOptions) -> Found:
    """The last reply ended well and holds no answer text, or the verifier says so."""
    answer = rollout.final_answer
    if _recorded_empty(rollout):
        yield (
            "The verifier found the final answer empty (failure_reason empty_final_answer).",
            graded_place(rollout) or _root_place(rollout, answer.turn),
        )
    elif answer.stands and answer.text is not None and not answer.text.strip():
        last = _last_turn(rollout)
        held = "only reasoning" if last is not None and last.reasoning_text.strip() else "no text at all"
        where = _root_place(rollout, answer.turn, answer.item_id)
        yield f"The final answer is empty: the last reply (turn {answer.turn}) holds {held}.", where


def no_final_answer(rollout: Rollout, _options: ReadOptions) -> Found:
    """There are turns, and the last one's text does not stand as an answer."""
    answer = rollout.final_answer
    if rollout.root is None or answer.stands:
        return
    if not rollout.root.turns and not (rollout.root.trailing_input or rollout.scored.items):
        return
    yield f"No final answer: {answer.because or 'nothing stands as one'}.", _root_place(rollout, answer.turn)


def _came_early(rollout: Rollout) -> tuple[Turn, Turn] | None:
    """(the turn that wrote the graded text, the root's last turn), when the first stands before the second."""
    text = rollout.scored.final_text
    root, last, wrote = rollout.root, _last_turn(rollout), origin_turn(rollout)
    if root is None or last is None or wrote is None or not (text or "").strip():
        return None
    if rollout.scored.origin.invocation != root.id or wrote.number >= last.number:
        return None
    return wrote, last


def _ended_without_text(turn: Turn) -> bool:
    broken = turn.partial or turn.error is not None or turn.unfinished is not None
    return not broken and not turn.tool_calls and not turn.answer_text.strip()


def earlier_answer_promoted(rollout: Rollout, _options: ReadOptions) -> Found:
    """The scored text is an earlier turn's answer, word for word, and the last reply ended with no answer text."""
    early = _came_early(rollout)
    if early is None or not _ended_without_text(early[1]):
        return
    wrote, last = early
    text = (rollout.scored.final_text or "").strip()
    if text != wrote.answer_text.strip() and text not in {piece.text.strip() for piece in wrote.answer}:
        return
    held = "only reasoning" if last.reasoning_text.strip() else "no text"
    yield (
        f"The scored text is the answer of turn {wrote.number}: the last reply (turn {last.number}) holds {held}, "
        "so a verifier that reads the last assistant message reads the earlier one.",
        graded_place(rollout),
    )


def scored_text_from_earlier_turn(rollout: Rollout, _options: ReadOptions) -> Found:
    """The scored text is an earlier turn's, because the last turn broke off, failed or only called tools."""
    early = _came_early(rollout)
    if early is None or _ended_without_text(early[1]) or early[1].answer_text.strip():
        return
    wrote, last = early
    what = "failed" if last.error is not None else "called tools" if last.tool_calls else "broke off"
    yield (
        f"The scored text was written in turn {wrote.number}; the last turn ({last.number}) {what} and wrote no text.",
        graded_place(rollout),
    )


def answer_too_long(rollout: Rollout, options: ReadOptions) -> Found:
    """The scored text is over the verifier's limit: the one in `failure_reason`, or the one that the user states."""
    row = rollout.evidence.row
    said = TOO_LONG.search((row.failure_reason or "") if row is not None else "")
    if said is not None:
        length, limit = int(said[1]), int(said[2])
        yield _over(length, limit, "failure_reason final_answer_too_long"), graded_place(rollout)
    elif options.max_answer_chars is not None:
        length = len((rollout.scored.final_text or "").strip())
        if length > options.max_answer_chars:
            yield _over(length, options.max_answer_chars, "--max-answer-chars"), graded_place(rollout)


def _over(length: int, limit: int, source: str) -> str:
    return f"The scored text has {length:,} characters, {length - limit:,} over the limit of {limit:,} ({source})."


def think_block_in_scored_text(rollout: Rollout, _options: ReadOptions) -> Found:
    """The text that the verifier read holds a think tag."""
    text = rollout.scored.final_text or ""
    if OPEN not in text and CLOSE not in text:
        return
    yield f"The scored text {_think_tags(text)}.", graded_place(rollout)


def _think_tags(text: str) -> str:
    block = split(text)
    if block.reasoning is not None:
        rest = "nothing after it" if not block.answer else f"{characters(block.answer)} of answer after it"
        length = len(text) - len(block.removed) - len(block.answer)
        return f"starts with a think block of {length:,} characters, {rest}"
    if text.lstrip().startswith(OPEN):
        closed = "after white space with a think block" if CLOSE in text else "with a think block that is never closed"
        return f"starts {closed}"
    before, close, after = text.partition(CLOSE)
    if close and "<think" not in before.lower():
        return (
            f"has {characters(before)} before a closing think tag that nothing opens, and {characters(after)} after it"
        )
    return "holds a think tag inside its text"


def think_block_in_judge_request(rollout: Rollout, _options: ReadOptions) -> Found:
    """What the judge was asked holds a think block."""
    for number, call in enumerate(rollout.grading.judge_calls, start=1):
        if call.request_text is not None and OPEN in call.request_text and CLOSE in call.request_text:
            yield f"The request of judge call {number} holds a think block: the judge read reasoning.", None


RULES = (
    FindingRule(
        "empty-final-answer",
        "warning",
        "The rollout's last reply ended well and holds no answer text; a last-message verifier reads ''.",
        "CONTRACT 3 final_answer, 4.4; gym-semantics 9.1",
        empty_final_answer,
    ),
    FindingRule(
        "no-final-answer",
        "warning",
        "The root's last turn called tools, was cut off, failed, was refused or reverted, or a failed or unfinished "
        "compaction follows it: its text is no final answer.",
        "CONTRACT 3 final_answer",
        no_final_answer,
    ),
    FindingRule(
        "earlier-answer-promoted",
        "error",
        "The text that was scored is an earlier turn's answer, because the last reply holds no answer text.",
        "CONTRACT 4.4; gym-semantics 4.7",
        earlier_answer_promoted,
    ),
    FindingRule(
        "scored-text-from-earlier-turn",
        "warning",
        "The text that was scored is an earlier turn's, because the last turn failed, broke off or only called tools.",
        "CONTRACT 4.4, 4.6",
        scored_text_from_earlier_turn,
    ),
    FindingRule(
        "answer-too-long",
        "warning",
        "The scored text is longer than the verifier's limit, so it is scored 0 without being judged.",
        "gym-semantics 9.1 max_answer_chars",
        answer_too_long,
    ),
    FindingRule(
        "think-block-in-scored-text",
        "warning",
        "The text that the verifier read holds a think tag: reasoning may have been graded as answer.",
        "gym-semantics 4.7",
        think_block_in_scored_text,
    ),
    FindingRule(
        "think-block-in-judge-request",
        "warning",
        "A judge was sent a think block: it read reasoning and answer together.",
        "gym-semantics 4.7, 9.1",
        think_block_in_judge_request,
    ),
)
