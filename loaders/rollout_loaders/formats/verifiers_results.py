"""Reader of verifiers' `results.jsonl`, with the `metadata.json` beside it (verifiers 0.1: RolloutOutput).

The completion is what was scored and the reward is in the row. Which of its messages the rubric read depends on the
environment's parser, which no row records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rollout_loaders import source
from rollout_loaders.convert.final_answer import final_answer_of
from rollout_loaders.convert.logged import LoggedConversation
from rollout_loaders.convert.scored import ROW, scored_of
from rollout_loaders.errors import ReadError
from rollout_loaders.model import (
    Diagnostic,
    Ending,
    Evidence,
    Harness,
    Invocation,
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
from rollout_loaders.reader import Confidence, ReadOptions

from . import fields
from .chat_messages import fold
from .gym_rollouts import first_objects
from .gym_row import reward_of
from .line_records import Record, records
from .logged_file import LoggedFile, document, refuse_forced_split, utc

METADATA = "metadata.json"
_SIGNS = frozenset({"example_id", "is_completed", "is_truncated", "stop_condition", "timing", "metrics", "token_usage"})
_OLD_SIGNS = frozenset({"generation_ms", "scoring_ms", "total_ms"})
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


class VerifiersResultsReader:
    """The format `verifiers-results`."""

    name = "verifiers-results"

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """By the first records: prompt, completion and reward beside what `RolloutOutput` always has."""
        if b'"completion"' not in head and len(head) < source.HEAD_SIZE:
            return Confidence.NO
        if not head.lstrip().startswith(b"{") or b'"responses_create_params"' in head:
            return Confidence.NO
        for row in first_objects(path, head):
            if not {"completion", "reward", "prompt"} <= row.keys() or "response" in row:
                return Confidence.NO
            if len(_SIGNS & row.keys()) > 1:
                return Confidence.CERTAIN
            return Confidence.LIKELY if (_SIGNS | _OLD_SIGNS) & row.keys() else Confidence.MAYBE
        return Confidence.NO

    def open(self, path: Path, shown: str, options: ReadOptions) -> LoggedFile:
        """Open the file. Raises `ReadError` where the think split is forced on."""
        refuse_forced_split(shown, options)
        return LoggedFile(path, shown, self.name, options, _rollouts, _one)


@dataclass(frozen=True, slots=True)
class _File:
    """What all rows of a file share."""

    shown: str
    metadata: JsonObject
    artifacts: tuple[str, ...]


def _rollouts(
    path: Path,
    shown: str,
    options: ReadOptions,  # noqa: ARG001 - nothing can be forced
    left_over: list[Diagnostic],
) -> Iterator[Rollout]:
    return _read(path, shown, left_over)


def _one(path: Path, shown: str, options: ReadOptions, number: int) -> Rollout | None:  # noqa: ARG001
    return next(_read(path, shown, [], number), None)


def _read(path: Path, shown: str, left_over: list[Diagnostic], only: int | None = None) -> Iterator[Rollout]:
    file = _file(path, shown, left_over)
    diagnostics: list[Diagnostic] = []
    for record in records(path, diagnostics, only):
        own, diagnostics[:] = tuple(diagnostics), ()
        if record.data is None or "completion" not in record.data:
            left_over.extend(own)
            if record.data is not None:
                left_over.append(
                    Diagnostic("not-a-rollout", "an object without `completion`, so no rollout", record.where)
                )
            continue
        yield _rollout(record, record.data, file, own)
    left_over.extend(diagnostics)


def _file(path: Path, shown: str, left_over: list[Diagnostic]) -> _File:
    beside = path.parent / METADATA
    if not beside.is_file():
        return _File(shown, {}, ())
    name = f"{shown.rpartition('/')[0]}/{METADATA}" if "/" in shown else METADATA
    try:
        metadata = document(beside, name, [])
    except ReadError as error:
        left_over.append(Diagnostic("evidence-unreadable", error.reason, name))
        return _File(shown, {}, ())
    return _File(shown, metadata, (name,)) if "env_id" in metadata or "model" in metadata else _File(shown, {}, ())


def _rollout(record: Record, row: JsonObject, file: _File, diagnostics: Sequence[Diagnostic]) -> Rollout:
    conversation = LoggedConversation("root")
    # Assistant messages of the prompt (few-shot) came in: this rollout did not write them.
    fold(conversation, row.get("prompt"), "prompt", came_in=True)
    fold(conversation, row.get("completion"), "completion", scored=True)
    for key, value in row.items():
        if key not in _UNREAD:
            conversation.part(StoredPart(key, "", "field", {key: value}, locator=key))
    root = _root(conversation, row)
    scored = scored_of(ROW, conversation.output)
    version = fields.mapping(file.metadata, "version_info")
    return Rollout(
        id=record.where,
        source=SourceRef(file.shown, "verifiers-results", record.where, file.artifacts),
        harness=Harness(
            name="verifiers",
            version=fields.text(version, "vf_version"),
            agent=fields.text(file.metadata, "env_id"),
            model=fields.text(file.metadata, "model"),
        ),
        route=Route(because="the row records what was scored"),
        task=_task(row, root),
        invocations=(root,),
        final_answer=final_answer_of(root),
        scored=scored,
        usage=_usage(row),
        diagnostics=tuple(diagnostics),
        evidence=Evidence(row=_row(row, file.metadata, conversation), ending=_ending(row, root)),
        notes=tuple(_notes(row)),
        extra={"metadata": file.metadata} if file.metadata else {},
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


def _task(row: JsonObject, root: Invocation) -> Task:
    """The example is the task; which of its rollouts this is no row records."""
    example = row.get("example_id", row.get("id"))
    prompts = [message.text for turn in root.turns for message in turn.input if message.role == "user"]
    prompts += [message.text for message in root.trailing_input if message.role == "user"]
    return Task(
        task_index=example if isinstance(example, int) and not isinstance(example, bool) else None,
        task_id=None if example is None else str(example),
        prompt=prompts[0] if prompts else None,
    )


def _usage(row: JsonObject) -> Usage:
    usage = fields.mapping(row, "token_usage")
    if not usage:
        return Usage()
    return Usage(
        input=fields.integer(usage, "input_tokens"),
        output=fields.integer(usage, "output_tokens"),
        counted_by="verifiers token_usage: a context shared by several turns is counted at each",
    )


def _row(row: JsonObject, metadata: JsonObject, conversation: LoggedConversation) -> RowRecord:
    reward, literal = reward_of(row)
    return RowRecord(
        reward=reward,
        reward_literal=literal,
        has_reward=row.get("reward") is not None,
        reward_components=fields.mapping(row, "metrics"),
        extras={key: value for key, value in row.items() if key not in _NO_EXTRA},
        agent_name=fields.text(metadata, "env_id"),
        output_texts=tuple(i.text for i in conversation.output if i.is_assistant_message and i.text is not None),
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


def _ending(row: JsonObject, root: Invocation) -> Ending:
    recorded: dict[str, JsonValue] = {
        key: row[key] for key in ("is_completed", "is_truncated") if row.get(key) is not None
    }
    return Ending(
        says="stop_condition",
        word=fields.text(row, "stop_condition"),
        error=_error(row),
        cut_off="is_truncated" if fields.flag(row, "is_truncated") is True else None,
        rests_on="error" if row.get("error") is not None else "stop_condition",
        replies=len(root.turns) if not (root.turns and root.turns[-1].tool_calls) else 0,
        recorded=recorded,
    )


def _notes(row: JsonObject) -> Iterator[Reason]:
    yield _PARSER
    if not fields.mapping(row, "metrics") and fields.number(row, "reward") == 0:
        yield Reason(
            "No metric is recorded beside the reward 0: verifiers writes the same where nothing was scored.",
            rests_on="metrics",
        )


READER = VerifiersResultsReader()
