"""Every other verifier: which recorded fields say why (order: gym-semantics 9.3); no rule, so nothing recomputed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from rollout_loaders.evidence.extras import as_list, as_object, finite, text
from rollout_loaders.evidence.quoting import figure, quote
from rollout_loaders.model import JsonObject, JsonValue, JudgeCall, Reason, Verdict

from .verifier import Case, Explanation, Verifier

MAX_FIELDS = 6
"""Fields named in one sentence; the rest are counted, and all stand in the extras."""
MAX_DEPTH = 3

_TASK_FIELDS = frozenset(
    [
        "id",
        "uuid",
        "uid",
        "name",
        "question",
        "prompt",
        "text",
        "context",
        "rubric",
        "category",
        "task",
        "task_name",
        "task_idx",
        "instance_id",
        "problem_id",
        "source_id",
        "provenance_id",
        "grading_id",
        "options",
        "kwargs",
        "instruction_id_list",
        "split",
        "subset",
        "seed",
        "config",
        "difficulty",
        "problem_type",
        "reference_solution",
        "model_patch",
        "log_dir",
        "image",
        "verifier_metadata",
        "template_metadata",
    ]
)
"""Fields of the task, not of its verification."""


class _Name:
    """The last part of a field's path, taken apart once: `Judge-Score` is `judge` and `score`."""

    __slots__ = ("parts", "text")

    def __init__(self, path: str) -> None:
        self.text = path.rsplit(".", 1)[-1].lower()
        self.parts = re.split(r"[^a-z0-9]+", self.text)


class _Words:
    """Words of which a field's name may hold one."""

    __slots__ = ("_beginnings", "_whole")

    def __init__(self, *words: str) -> None:
        self._whole = frozenset((*words, *(f"{word}s" for word in words)))
        self._beginnings = tuple(word for word in words if len(word) > 4)

    def __call__(self, name: _Name, _value: JsonValue = None) -> bool:
        """Whether a part of the name is one of the words or begins with a longer one; `generated` holds no `rate`."""
        return any(part in self._whole or part.startswith(self._beginnings) for part in name.parts)


_VERDICT = _Words("verdict", "grade", "class")
_JUDGE = _Words("judge", "verdict", "rubric", "judgment", "judgement", "rationale", "critique")
_ANSWERS = _Words("extracted", "expected", "predicted", "parsed", "selected", "gold")
_BOOLEANS = _Words(
    *("resolved", "match", "correct", "pass", "success", "valid", "equivalent", "hit", "failure", "accuracy"),
    *("complete", "follow", "mismatch", "invalid", "timed"),
)
_SCORES = _Words(
    *(
        "score",
        "reward",
        "accuracy",
        "similarity",
        "overlap",
        "rate",
        "wer",
        "chrf",
        "bleu",
        "spbleu",
        "rmsle",
        "distance",
    ),
    *("must", "correctness", "return", "format", "percent", "fraction", "iou", "f1", "win"),
    *("loss", "tie", "partial", "quality", "acceptance", "exact"),
)
_ERRORS = _Words("error", "exception", "skipped")
_CUTS = ("truncated", "terminated")
_ENDINGS = ("result", "status", "resolution", "feedback", "termination_reason", "class")


def explain(case: Case) -> Explanation:
    """The fields that say why; where none does, that the row holds none and what it does hold."""
    found = list(telling_fields(case))
    if case.reward is None and not found:
        return Explanation(())
    components = case.row.reward_components
    return Explanation(
        (_headline(case, found), *_components(components), *_open_errors(found)),
        expected=_first(case.fields, ("expected_answer", "expected", "gold", "expected_grade")),
        extracted=_first(case.fields, ("extracted_answer", "extracted_grade", "predicted_answer")),
        judge_calls=_judge_calls(case.fields),
        verdicts=(*_item_verdicts(case.fields), *_component_verdicts(components)),
    )


def telling_fields(case: Case) -> Iterator[tuple[str, JsonValue]]:
    """`(path, value)` of the fields that explain a reward, most telling first."""
    row = case.row
    if row.failure_reason is not None:
        yield "failure_reason", row.failure_reason
    if row.failure_kind is not None:
        yield "failure_kind", row.failure_kind
    components = row.reward_components
    leaves = [
        (path, value)
        for path, value in _leaves(case.fields, "", 0)
        if value is not None and not (path in components and components[path] == value)
    ]
    named = [(path, _Name(path), value) for path, value in leaves]
    told: set[str] = set()
    for tells in _ORDER:
        for path, name, value in named:
            if path not in told and tells(name, value):
                told.add(path)
                yield path, value


def _leaves(fields: JsonObject, prefix: str, depth: int) -> Iterator[tuple[str, JsonValue]]:
    """Every value outside the task's own fields; objects are entered, lists are given as they are."""
    for key, value in fields.items():
        if (depth == 0 and key in _TASK_FIELDS) or key in ("responses_create_params", "response", "instance_config"):
            continue
        inner = as_object(value)
        if inner and depth < MAX_DEPTH:
            yield from _leaves(inner, f"{prefix}{key}.", depth + 1)
        else:
            yield f"{prefix}{key}", value


def _flag(name: _Name, value: JsonValue) -> bool:
    return isinstance(value, bool) and _BOOLEANS(name)


def _figure(name: _Name, value: JsonValue) -> bool:
    if not _SCORES(name):
        return False
    return finite(value) is not None or all(finite(one) is not None for one in as_list(value) or ("",))


def _error(name: _Name, value: JsonValue) -> bool:
    return value is not False and value != "" and _ERRORS(name)


def _cut(name: _Name, value: JsonValue) -> bool:
    return value is True and name.text in _CUTS


def _ending(name: _Name, value: JsonValue) -> bool:
    return isinstance(value, str) and name.text in _ENDINGS


_ORDER: tuple[Callable[[_Name, JsonValue], bool], ...] = (
    _error,
    _VERDICT,
    _JUDGE,
    _ANSWERS,
    _flag,
    _ending,
    _figure,
    _cut,
)


def _shown(value: JsonValue) -> str:
    items = [as_object(one).get("passed") for one in as_list(value) or ()]
    if items and all(isinstance(one, bool) for one in items):
        return f"a list of which {sum(1 for one in items if one)} of {len(items)} passed"
    number = finite(value)
    if number is not None:
        return figure(number)
    if isinstance(value, bool):
        return str(value).lower()
    return quote(value)


def _headline(case: Case, found: list[tuple[str, JsonValue]]) -> Reason:
    if not found:
        return Reason(f"{case.headline}: {_nothing(case)}.", rests_on="reward")
    said = "; ".join(f"`{path}` is {_shown(value)}" for path, value in found[:MAX_FIELDS])
    more = f"; {len(found) - MAX_FIELDS} more such fields are recorded" if len(found) > MAX_FIELDS else ""
    return Reason(f"{case.headline}: {said}{more}.", rests_on=found[0][0])


def _components(components: JsonObject) -> list[Reason]:
    if not components:
        return []
    said = ", ".join(f"`{name}` {_shown(value)}" for name, value in components.items())
    return [Reason(f"Its components are {said}.", rests_on="reward_components")]


def _nothing(case: Case) -> str:
    if case.row.reward_components:
        return "it is made of components"
    names = list(case.fields)
    if not names:
        return "the row holds no field that says why; beside the response and the reward the verifier recorded nothing"
    listed = ", ".join(f"`{name}`" for name in names[:MAX_FIELDS])
    more = f" and {len(names) - MAX_FIELDS} more" if len(names) > MAX_FIELDS else ""
    return f"the row holds no field that says why; it also holds {listed}{more}"


def _open_errors(found: list[tuple[str, JsonValue]]) -> list[Reason]:
    errors = [path for path, value in found if _error(_Name(path), value)]
    if not errors:
        return []
    return [
        Reason(
            f"An error is recorded beside the reward (`{errors[0]}`): whether the reward measures the policy is not "
            "decided by the records.",
            rests_on=errors[0],
        )
    ]


def _first(fields: JsonObject, names: tuple[str, ...]) -> JsonValue:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


_REPLIES = {
    "judge_output": "verdict",
    "judge_response": "verdict",
    "judgement_gen_base": "verdict_gen_base",
    "judgement_base_gen": "verdict_base_gen",
}
"""Fields that hold a judge's words, and where the verdict read from them stands."""


def _judge_calls(fields: JsonObject) -> tuple[JudgeCall, ...]:
    """Judge replies whose verdict stands beside them; without one nothing is said about what was found in them."""
    found = [(text(fields, reply), text(fields, verdict)) for reply, verdict in _REPLIES.items()]
    return tuple(JudgeCall(None, reply, verdict, verdict=verdict) for reply, verdict in found if reply and verdict)


def _item_verdicts(fields: JsonObject) -> tuple[Verdict, ...]:
    """Lists of judged items: objects with a `passed` flag under any key."""
    found: list[Verdict] = []
    for name, value in fields.items():
        for at, member in enumerate(as_list(value) or ()):
            item = as_object(member)
            passed = item.get("passed")
            if isinstance(passed, bool):
                label = item.get("criterion") or item.get("name") or item.get("question")
                raw = item.get("raw")
                found.append(
                    Verdict(
                        label if isinstance(label, str) else f"{name}[{at}]",
                        passed,
                        detail=raw if isinstance(raw, str) else None,
                    )
                )
    return tuple(found)


def _component_verdicts(components: JsonObject) -> tuple[Verdict, ...]:
    return tuple(Verdict(name, None, finite(value)) for name, value in components.items())


VERIFIER = Verifier("generic", lambda _case: True, explain, "generic")
