"""`walk --record`: asks which facts to pin, writes the fixture, says what was redacted."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from rollout_loaders.errors import RolloutError
from rollout_loaders.fixtures.making import FACTS, facts_of, make_fixture, write_expectation
from rollout_loaders.model import JsonValue
from rollout_views.foreign import visible_line
from rollout_views.formatting import one_line
from rollout_views.json_text import compact
from rollout_views.redaction import redact, report

from .arguments import Reading

NO_WHY = "recorded; say here which rule it holds"


def record_fixture(
    folder: Path,
    path: str,
    pin: tuple[str, ...],
    title: str | None,
    why: str | None,
    reading: Reading,
) -> int:
    """Make a fixture of the one rollout that `path` names, in the new folder `folder`. Returns the exit code."""
    unknown = [name for name in pin if name not in FACTS]
    if unknown:
        raise click.BadParameter(f"no fact is called {unknown[0]} ({', '.join(FACTS)})", param_hint="--pin")
    with reading.collection([path]) as collection:
        found = list(collection.rollouts())
    if len(found) != 1:
        raise RolloutError(f"{path}: names {len(found)} rollouts; name one, as {path}#ROLLOUT")
    options = reading.options
    counts: Counter[str] = Counter()

    def redacted(text: str) -> str:
        done = redact(text)
        counts.update(done.counts)
        return done.text

    rollout = make_fixture(found[0], folder, redacted, options)
    asking = sys.stdin.isatty() and not pin
    facts = {
        name: fact
        for name, fact in facts_of(rollout, pin or FACTS).items()
        if not asking or click.confirm(_question(name, fact), default=True)
    }
    description: dict[str, JsonValue] = {"title": title or folder.name, "why": why or NO_WHY}
    given = {"gym_reasoning": options.gym_reasoning, "max_answer_chars": options.max_answer_chars}
    forced: dict[str, JsonValue] = {key: value for key, value in given.items() if value is not None}
    if forced:
        description["options"] = forced
    write_expectation(folder, description, facts)
    click.echo(visible_line(f"{folder}: pinned {', '.join(facts) or 'nothing'}; {report(counts)}"))
    return 0


def _question(name: str, fact: JsonValue) -> str:
    return f"pin {name}: {one_line(visible_line(compact(fact)), 100)}"
