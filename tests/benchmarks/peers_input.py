"""The same 5,000 long rollouts in the format of each viewer: 39 messages each, 18 rounds of reasoning and a tool.

What each turn says starts with a mark of its own (`r2500t07`), by which it is found on a terminal or in a page.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.samples.gym_rows import Json, call, message, output, reasoning, row

from rollout_loaders.fast_dataclass import dataclass

TURNS = 18
NEEDLE, NEEDLE_TURN = "needle", 9
"""Stands once in each rollout, at the end of what the tool of that turn printed, before `haystackNNNN`."""
_REASONING, _SAID, _OUTPUT, _QUESTION, _ANSWER = 900, 200, 4_240, 1_500, 700
"""Characters; about 106 kB a rollout in all."""


@dataclass(frozen=True, slots=True)
class Round:
    """One turn: what was thought and said, the command and what it printed."""

    thought: str
    said: str
    command: str
    printed: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One rollout, of no format."""

    number: int
    question: str
    rounds: tuple[Round, ...]
    answer: str

    @property
    def reward(self) -> float:
        """Every second one passes."""
        return float(self.number % 2)


def mark(rollout: int, turn: int) -> str:
    """What stands at the start of what a turn says, the answer (turn 18) included; nowhere else in the input."""
    return f"r{rollout:04}t{turn:02}"


def conversations(number: int) -> Iterator[Conversation]:
    """As many, the same each time."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(3_000)]
    text = " ".join(chance.choices(words, k=300_000))
    lines = "\n".join(" ".join(chance.choices(words, k=12)) for _ in range(25_000))

    def cut(source: str, length: int) -> str:
        at = chance.randrange(len(source) - length)
        return source[at : at + length]

    for index in range(number):
        rounds = tuple(
            Round(
                cut(text, _REASONING),
                f"{mark(index, turn)} {cut(text, _SAID)}",
                f"grep -rn {cut(text, 60)!r} src",
                cut(lines, _OUTPUT) + (f"\n{NEEDLE} haystack{index:04}" if turn == NEEDLE_TURN else ""),
            )
            for turn in range(TURNS)
        )
        question = f"question{index:04} {cut(text, _QUESTION)}"
        yield Conversation(index, question, rounds, f"{mark(index, TURNS)} {cut(text, _ANSWER)}")


def write_gym(path: Path, number: int) -> None:
    """A NeMo Gym rollouts file: four rollouts a task, as Responses items."""
    with path.open("w") as file:
        for made in conversations(number):
            file.write(json.dumps(_gym_row(made)) + "\n")


def _gym_row(made: Conversation) -> Json:
    items: list[Json] = []
    for turn, each in enumerate(made.rounds):
        items += [
            reasoning(each.thought, f"rs_{turn}"),
            message(each.said, f"msg_{turn}"),
            call("bash", {"command": each.command}, f"call_{turn}"),
            output(f"call_{turn}", each.printed),
        ]
    items.append(message(made.answer, f"msg_{TURNS}"))
    return row(made.number // 4, made.number % 4, items, made.question) | {"reward": made.reward}


def _chat(made: Conversation, encode_call: Callable[[Json], object] = lambda call: call) -> list[Json]:
    """The completion as chat messages with `reasoning_content`."""
    messages: list[Json] = []
    for turn, each in enumerate(made.rounds):
        function = {"name": "bash", "arguments": json.dumps({"command": each.command})}
        calls = [encode_call({"id": f"call_{turn}", "type": "function", "function": function})]
        messages += [
            {"role": "assistant", "reasoning_content": each.thought, "content": each.said, "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": each.printed},
        ]
    return [*messages, {"role": "assistant", "content": made.answer}]


def _prompt(made: Conversation) -> list[Json]:
    return [{"role": "system", "content": "Use the shell."}, {"role": "user", "content": made.question}]


def write_verifiers(folder: Path, number: int) -> None:
    """`outputs/evals/bench--lab-model/run1/{results.jsonl,metadata.json}` below the folder."""
    run = folder / "outputs" / "evals" / "bench--lab-model" / "run1"
    run.mkdir(parents=True)
    with (run / "results.jsonl").open("w") as file:
        for made in conversations(number):
            file.write(json.dumps(_verifiers_row(made)) + "\n")
    metadata: Json = {
        "env_id": "bench",
        "model": "lab-model",
        "base_url": "",
        "num_examples": number // 4,
        "rollouts_per_example": 4,
        "sampling_args": {},
        "date": "2026-01-01",
        "time_ms": 1.0,
        "avg_reward": 0.5,
        "avg_metrics": {"passed": 0.5},
        "state_columns": [],
        "path_to_save": str(run),
    }
    (run / "metadata.json").write_text(json.dumps(metadata))


def _verifiers_row(made: Conversation) -> Json:
    return {
        "example_id": made.number // 4,
        "prompt": _prompt(made),
        "completion": _chat(made, json.dumps),  # verifiers writes each call as a string
        "answer": "4",
        "task": "bench",
        "info": {},
        "reward": made.reward,
        "metrics": {"passed": made.reward},
        "passed": made.reward,
        "timing": {"start_time": 1.0, "generation_ms": 1.0, "scoring_ms": 1.0, "total_ms": 2.0},
        "is_completed": True,
        "is_truncated": False,
        "stop_condition": "no_tools_called",
        "error": None,
        "tool_defs": [],
        "token_usage": {"input_tokens": 1_000.0, "output_tokens": 100.0},
    }


def write_mini_swe(folder: Path, number: int) -> None:
    """One `rNNNN.traj.json` a rollout."""
    folder.mkdir(parents=True)
    for made in conversations(number):
        info = {"exit_status": "Submitted", "submission": made.answer, "mini_version": "2.4.6"}
        trajectory = {
            "info": info,
            "messages": [*_prompt(made), *_chat(made)],
            "trajectory_format": "mini-swe-agent-1.1",
        }
        (folder / f"r{made.number:04}.traj.json").write_text(json.dumps(trajectory))


WRITE_INSPECT = """
import json, sys
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser, ContentReasoning
from inspect_ai.model import ContentText, ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall

def message(raw):
    role = raw["role"]
    if role != "assistant":
        kind = {"system": ChatMessageSystem, "user": ChatMessageUser, "tool": ChatMessageTool}[role]
        return kind(content=raw["content"], **({"tool_call_id": raw["tool_call_id"]} if role == "tool" else {}))
    thought = [ContentReasoning(reasoning=raw["reasoning_content"])] if "reasoning_content" in raw else []
    calls = [json.loads(each) for each in raw.get("tool_calls", [])]
    calls = [ToolCall(id=c["id"], function="bash", arguments=json.loads(c["function"]["arguments"])) for c in calls]
    return ChatMessageAssistant(content=[*thought, ContentText(text=raw["content"])], tool_calls=calls or None)

samples = []
for number, line in enumerate(open(sys.argv[1])):
    row = json.loads(line)
    messages = [message(raw) for raw in row["prompt"] + row["completion"]]
    score = {"bench": Score(value="C" if row["reward"] else "I")}
    output = ModelOutput.from_content("lab-model", messages[-1].text)
    samples.append(EvalSample(id=f"sample{number:04}", epoch=1, input=row["prompt"][1]["content"], target="4",
                              messages=messages, output=output, scores=score))
spec = EvalSpec(created="2026-01-01T00:00:00+00:00", task="bench", model="lab-model", config=EvalConfig(),
                dataset=EvalDataset(name="bench", samples=len(samples), sample_ids=[each.id for each in samples]))
write_eval_log(EvalLog(status="success", eval=spec, samples=samples), sys.argv[2])
"""
"""A program for a Python that has inspect_ai: a verifiers file to one `.eval` log. Samples hold messages, no events."""
