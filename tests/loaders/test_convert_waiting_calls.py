"""A result goes to the latest turn that waits for one under its id, there to the first call (formats 05f)."""

from __future__ import annotations

import time

from rollout_loaders.convert.waiting_calls import WaitingCalls
from rollout_loaders.formats.responses_items import item
from rollout_loaders.formats.responses_turns import group


def test_the_latest_turns_first_call_is_taken_first() -> None:
    waiting = WaitingCalls[str]()
    for turn, call in ((1, "a"), (1, "b"), (2, "c"), (2, "d")):
        waiting.add("id", turn, call)
    waiting.add(None, 3, "without an id")
    assert waiting.first("id") == "c"
    assert [waiting.take("id") for _ in range(5)] == [(2, "c"), (2, "d"), (1, "a"), (1, "b"), None]
    assert waiting.first("id") is None
    assert waiting.take("other") is None
    assert waiting.take("") is None
    assert waiting.take(None) == (3, "without an id")


def test_many_calls_of_one_id_take_linear_time() -> None:
    def seconds(calls: int) -> float:
        made = [item({"type": "function_call", "call_id": "x", "name": "f", "arguments": "{}"}) for _ in range(calls)]
        given = [item({"type": "function_call_output", "call_id": "x", "output": str(n)}) for n in range(calls)]
        keys = [f"output[{n}]" for n in range(2 * calls)]
        started = time.process_time()
        (turn,) = group([*made, *given], keys).turns
        taken = time.process_time() - started
        assert [call.output for call in turn.tool_calls] == [str(n) for n in range(calls)]
        return taken

    seconds(100)
    few = min(seconds(2_000) for _ in range(3))
    assert seconds(20_000) < 40 * few + 0.2  # quadratic would be 100 times
