"""Mutation of JSON values by their structure: the shapes stay near enough to real ones to get past the first check."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, cast

from tests.views.hostile import TEXTS

Json = Any
_RAW = "@@raw {}@@"
RAW: tuple[str, ...] = (
    *("NaN", "Infinity", "-Infinity", "1e400", "-1e999", "-0", "1E5", "0.1e-400", "9" * 5000, "1" + "0" * 30),
    *("[" * 300 + "]" * 300, '{"a":' * 300 + "1" + "}" * 300, "[" * 3000 + "]" * 3000, '{"a":[' * 2000 + "]}" * 2000),
    *('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '{"a": 1, "a": 2}', '"\\uD83D\\uDE00"'),
)
"""Literals that `json.dumps` cannot write; put in by text."""
NUMBERS: tuple[Json, ...] = (
    *(0, 1, -1, 2, 3, 7, 100, 2**31, 2**53 + 1, 2**63, 2**64, 10**30, -(10**18), 10**15, 253402300800000),
    *(-62135596800001, 0.0, -0.0, 0.5, -0.5, 1e-320, 1.7e308, 3.0, 1e22),
)
_STRINGS = """
x null true 0 -1 1.5 NaN ses_1 msg_1 prt_1 <think> </think> <think></think> <think>a</think> <think>a</think>4
<think>a<think>b</think>c</think> completed error running stop length tool-calls assistant user system tool text
reasoning compaction message function_call function_call_output session toolResult unknown 2026-13-99T00:00:00Z
2026-11-30T15:23:39.003Z 0001-01-01T00:00:00Z ../../etc/passwd /dev/null a/b " \\ %s%n {0} $(id) =1+1 L1 3-1-a2
"""
STRINGS: tuple[str, ...] = (
    *("", " ", "\n", "\t \r\n", "\u2028", "\x85", "a" * 5000, "\u0e01\u0e33" * 50, "'; DROP TABLE part; --"),
    *_STRINGS.split(),
    *TEXTS.values(),
)
UNITS = ("A", "<think>", "</think>", "\n", "\u4e2d", "\x1b", "\u202e", "@#", "`", "|", " ", "{", '"', "\\")
CORNERS = [
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[[]]",
    "[null]",
    '{"":null}',
    "[{}]",
    '{"type":"text"}',
    '[["x"],["y"]]',
]


class Texts:
    """What a mutation wrote: canaries to look for, and literals that the encoder puts in."""

    def __init__(self, escaped: bool = False) -> None:
        self.raw: list[str] = []
        self.escaped = escaped

    def literal(self, text: str) -> str:
        """A stand-in for `text`, which `dump` writes as it is."""
        self.raw.append(text)
        return _RAW.format(len(self.raw) - 1)

    def dump(self, value: Json) -> bytes:
        """JSON with the literals in it."""
        text = json.dumps(value, ensure_ascii=self.escaped)
        for index, raw in enumerate(self.raw):
            text = text.replace(f'"{_RAW.format(index)}"', raw)
        return text.encode("utf-8", "surrogatepass")


def mutate(rng: Random, value: Json, texts: Texts, steps: int, others: Sequence[Json] = ()) -> Json:
    """`value` after some random changes. It is changed in place; the result may be another value."""
    holder: list[Json] = [value]
    for _ in range(steps):
        places = _places(holder)
        if not places:
            break
        container, key = rng.choice(places)
        rng.choice(_OPERATIONS)(rng, container, key, places, texts, others)
    return holder[0] if holder else None


def _places(root: Json) -> list[tuple[Json, Json]]:
    found: list[tuple[Json, Json]] = []
    waiting: list[Json] = [root]
    while waiting and len(found) < 20_000:
        item = waiting.pop()
        keys: list[Json] = list(cast("dict[str, Json]", item)) if isinstance(item, dict) else list(range(len(item)))
        box: Json = cast("Json", item)
        for key in keys:
            found.append((box, key))
            if isinstance(box[key], dict | list):
                waiting.append(box[key])
    return found


def any_value(rng: Random, texts: Texts) -> Json:
    """A value from the corners."""
    kind = rng.randrange(10)
    if kind < 3:
        return rng.choice(NUMBERS)
    if kind < 7:
        return rng.choice(STRINGS)
    if kind == 7:
        return texts.literal(rng.choice(RAW))
    return json.loads(rng.choice(CORNERS))


_Op = Callable[[Random, Json, Json, "list[tuple[Json, Json]]", Texts, Sequence[Json]], None]


def _delete(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    if len(places) > 1:
        del box[key]


def _replace(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    box[key] = any_value(rng, texts)


def _retype(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    value = box[key]
    shapes: list[Json]
    if isinstance(value, str):
        shapes = [[value], {"text": value}, [{"type": "text", "text": value}], {"value": value, "id": value}]
    elif isinstance(value, bool) or value is None:
        shapes = ["true", 0, 1, [], {}]
    elif isinstance(value, int | float):
        shapes = [str(value), [value], -value, value * 1000, value + 10**13, {"n": value}]
    elif isinstance(value, dict):
        shapes = [list(cast("dict[str, Json]", value).values()), [value], json.dumps(value, default=str)]
    else:
        shapes = [{str(i): v for i, v in enumerate(value)}, [value], value[:1], json.dumps(value, default=str)]
    box[key] = rng.choice(shapes)


def _copy_here(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    source, at = rng.choice(places)
    try:
        taken = json.loads(json.dumps(source[at]))
    except (KeyError, IndexError, RecursionError):
        return
    box[key] = taken


def _swap(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    other, at = rng.choice(places)
    try:
        one, two = json.dumps(box[key]), json.dumps(other[at])
        box[key], other[at] = json.loads(two), json.loads(one)
    except (KeyError, IndexError, RecursionError):
        return


def _same_string(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    """Ids repeat, parents turn in rings: a string becomes another one of the same document."""
    strings = [c[k] for c, k in places if isinstance(c[k], str)] if isinstance(box[key], str) else []
    ids = [text for text in strings if "_" in text or len(text) < 40]
    if ids:
        box[key] = rng.choice(ids)


def _all_equal(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    """Every field of this name gets one value."""
    value = box[key] if isinstance(box[key], str | int | float) else any_value(rng, texts)
    for container, name in places:
        if name == key and isinstance(container, dict) and rng.random() < 0.8:
            container[name] = value


def _repeat(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    if isinstance(box, list) and len(places) < 5000:
        box[key:key] = [json.loads(json.dumps(box[key])) for _ in range(rng.choice([1, 1, 2, 5, 30]))]


def _shuffle(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    value: object = box[key]
    if isinstance(value, list):
        items = cast("dict[Json, list[Json]]", box)[key]
        rng.shuffle(items)
    elif isinstance(value, dict):
        fields = cast("dict[str, Json]", value)
        names, taken = list(fields), list(fields.values())
        rng.shuffle(names)
        fields.update(dict(zip(names, taken, strict=True)))


def _rename(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    if isinstance(box, dict):
        names = [name for _, name in places if isinstance(name, str)]
        fields = cast("dict[str, Json]", box)
        value = fields.pop(key)
        fields[rng.choice([*names, "", "x", "\x1b[2J", "__proto__", "\ud800"])] = value


def _add(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    names = [name for _, name in places if isinstance(name, str)] or ["x"]
    if isinstance(box, dict):
        box[rng.choice([*names, "new field", "<b>"])] = any_value(rng, texts)
    else:
        box.insert(key, any_value(rng, texts))


def _graft(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    """Something of another record or format."""
    if others:
        grafted = rng.choice(_places([rng.choice(others)]))
        box[key] = json.loads(json.dumps(grafted[0][grafted[1]]))


def _text(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    strings = [(c, k) for c, k in places if isinstance(c[k], str)]
    if strings:
        container, name = rng.choice(strings)
        old = container[name]
        cut = rng.randrange(len(old) + 1)
        inside = old[:cut] + rng.choice(STRINGS) + old[cut:]
        container[name] = rng.choice([old[:cut], old[cut:], inside, inside, old + old, old.upper()])


def _long(rng: Random, box: Json, key: Json, places: Json, texts: Texts, others: Json) -> None:
    if rng.random() < 0.08:
        unit = rng.choice(UNITS)
        box[key] = unit * (rng.choice([20_000, 900_000]) // len(unit.encode()))


_OPERATIONS: tuple[_Op, ...] = (
    *(_delete, _delete, _replace, _replace, _replace, _retype, _retype, _copy_here, _swap, _same_string, _same_string),
    *(_all_equal, _repeat, _shuffle, _rename, _add, _graft, _text, _text, _long),
)
