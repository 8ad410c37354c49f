"""The rollout of a row of verifiers' `results.jsonl` (verifiers 0.1: RolloutOutput).

The completion is what was scored and the reward is in the row. Which of its messages the rubric read depends on the
environment's parser, which no row records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.convert.logged import LoggedConversation
from rollout_loaders.convert.scored import ROW, scored_of
from rollout_loaders.model import (
    Diagnostic,
    Ending,
    Evidence,
    Invocation,
    Item,
    JsonObject,
    JsonValue,
    Reason,
    Rollout,
    Route,
    RowRecord,
    SourceRef,
    StoredPart,
    Task,
    Usage,
)

from . import fields
from .chat_messages import fold
from .gym_row import reward_of
from .logged_file import utc
from .verifiers_rows import Run

_NO_EXTRA = frozenset(
    {
        *("prompt", "completion", "reward", "error", "timing", "token_usage", "tool_defs", "trajectory", "metrics"),
        *("is_completed", "is_truncated", "stop_condition", "error_chain", "long_error_chain"),
    }
)
_UNREAD = ("prompt", "completion")
_PARSER = Reason(
    "Which message of the completion the rubric read depends on the environment's parser, which is not recorded: "
    "`Parser` takes the last assistant message, `XMLParser` the last one that has the field.",
    rests_on="completion",
)


def rollout_of(row: JsonObject, source: SourceRef, run: Run, diagnostics: Sequence[Diagnostic]) -> Rollout:
    """The rollout of a row, which is called by its line."""
    conversation = LoggedConversation("root")
    # Assistant messages of the prompt (few-shot) came in: this rollout did not write them.
    fold(conversation, row.get("prompt"), "prompt", came_in=True)
    fold(conversation, row.get("completion"), "completion", scored=True)
    for key, value in row.items():
        if key not in _UNREAD:
            conversation.part(StoredPart(key, "", "field", {key: value}, locator=key))
    root = _root(conversation, row)
    scored = scored_of(ROW, conversation.output)
    return Rollout(
        id=source.locator or "",
        source=replace(source, artifacts=run.artifacts),
        harness=run.harness,
        route=Route(because="the row records what was scored"),
        task=_task(row, root),
        invocations=(root,),
        final_answer=final_answer_of(root),
        scored=scored,
        usage=usage_of(_counts(row)),
        diagnostics=tuple(diagnostics),
        evidence=Evidence(row=record_of(row, run.metadata, conversation.output), ending=ending_of(row, _replies(root))),
        notes=tuple(_notes(row)),
        extra={"metadata": run.metadata} if run.metadata else {},
    )


def _root(conversation: LoggedConversation, row: JsonObject) -> Invocation:
    timing = fields.mapping(row, "timing")
    generation = fields.mapping(timing, "generation")
    if conversation.drafts:
        last = conversation.drafts[-1]
        last.completed_at = utc(generation.get("end")) if generation.get("end") else None
        if fields.flag(row, "is_truncated") is True:
            last.unfinished = "the last turn was cut off: is_truncated is true"
        if row.get("error") is not None:
            last.unfinished = last.unfinished or "the run broke off with an error"
    started = timing.get("start_time") or generation.get("start")
    return conversation.invocation(status=_status(row), started_at=utc(started) if started else None)


def _status(row: JsonObject) -> str:
    if row.get("error") is not None:
        return "failed"
    if fields.flag(row, "is_truncated") is True:
        return "incomplete"
    return "completed" if fields.flag(row, "is_completed") is True else "unknown"


def task_index_of(example: JsonValue) -> int | None:
    """An example that is a whole number of 64 bits; another is a name only."""
    is_whole = isinstance(example, int) and not isinstance(example, bool)
    return fields.integer({"example": example}, "example") if is_whole else None


def _task(row: JsonObject, root: Invocation) -> Task:
    """The example is the task; which of its rollouts this is no row records."""
    example = row.get("example_id", row.get("id"))
    prompts = [message.text for turn in root.turns for message in turn.input if message.role == "user"]
    prompts += [message.text for message in root.trailing_input if message.role == "user"]
    return Task(
        task_index=task_index_of(example),
        task_id=None if example is None else str(example),
        prompt=prompts[0] if prompts else None,
    )


def _counts(row: JsonObject) -> tuple[int | None, int | None] | None:
    usage = fields.mapping(row, "token_usage")
    return (fields.integer(usage, "input_tokens"), fields.integer(usage, "output_tokens")) if usage else None


def usage_of(counts: tuple[int | None, int | None] | None) -> Usage:
    """Of input and output tokens; None where none are recorded."""
    if counts is None:
        return Usage()
    return Usage(
        input=counts[0],
        output=counts[1],
        counted_by="verifiers token_usage: a context shared by several turns is counted at each",
    )


def record_of(row: JsonObject, metadata: JsonObject, scored: Sequence[Item] = ()) -> RowRecord:
    """The row as rules read it; `scored` are the items of its completion."""
    reward, literal = reward_of(row)
    return RowRecord(
        reward=reward,
        reward_literal=literal,
        has_reward=row.get("reward") is not None,
        reward_components=fields.mapping(row, "metrics"),
        extras={key: value for key, value in row.items() if key not in _NO_EXTRA},
        agent_name=fields.text(metadata, "env_id"),
        output_texts=tuple(item.text for item in scored if item.is_assistant_message and item.text is not None),
        run_error=_error(row),
    )


def _error(row: JsonObject) -> str | None:
    """The words of `error`: text in older rows, `{error, error_chain_repr, error_chain_str}` in newer ones."""
    error = row.get("error")
    if error is None:
        return None
    if isinstance(error, str):
        return error
    said = fields.mapping(row, "error")
    return fields.text(said, "error_chain_str") or fields.text(said, "error") or ""


def _replies(root: Invocation) -> int:
    """Turns of a run that ended with a reply, not with a call."""
    return 0 if root.turns and root.turns[-1].tool_calls else len(root.turns)


def ending_of(row: JsonObject, replies: int) -> Ending:
    """How the row says that its run ended, after so many replies."""
    recorded: dict[str, JsonValue] = {
        key: row[key] for key in ("is_completed", "is_truncated") if row.get(key) is not None
    }
    return Ending(
        says="stop_condition",
        word=fields.text(row, "stop_condition"),
        error=_error(row),
        cut_off="is_truncated" if fields.flag(row, "is_truncated") is True else None,
        rests_on="error" if row.get("error") is not None else "stop_condition",
        replies=replies,
        recorded=recorded,
    )


def _notes(row: JsonObject) -> Iterator[Reason]:
    yield _PARSER
    if not fields.mapping(row, "metrics") and fields.number(row, "reward") == 0:
        yield Reason(
            "No metric is recorded beside the reward 0: verifiers writes the same where nothing was scored.",
            rests_on="metrics",
        )
