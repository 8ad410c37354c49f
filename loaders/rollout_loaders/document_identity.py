"""The parts of the JSON document that a list line has too: what a rollout is, where it stands, what it used."""

from __future__ import annotations

from .model import Harness, JsonObject, JsonValue, Place, SourceRef, Task, Usage


def source_document(source: SourceRef) -> JsonObject:
    """The object `source`."""
    return {
        "path": source.path,
        "format": source.format,
        "locator": source.locator,
        "artifacts": list(source.artifacts),
    }


def harness_document(harness: Harness) -> JsonObject:
    """The object `harness`, without its provider, which a list line leaves out."""
    return {"name": harness.name, "version": harness.version, "agent": harness.agent, "model": harness.model}


def task_document(task: Task) -> JsonObject:
    """The object `task`."""
    return {
        "task_index": task.task_index,
        "rollout_index": task.rollout_index,
        "attempt": task.attempt,
        "task_id": task.task_id,
        "prompt": task.prompt,
    }


def usage_document(usage: Usage) -> JsonObject:
    """The object `usage`."""
    return {
        "input": usage.input,
        "output": usage.output,
        "reasoning": usage.reasoning,
        "cached": usage.cached,
        "cost": usage.cost,
        "counted_by": usage.counted_by,
    }


def place_document(place: Place | None) -> JsonValue:
    """A place as `{invocation, turn, item_id}`, or null."""
    if place is None:
        return None
    return {"invocation": place.invocation, "turn": place.turn, "item_id": place.item_id}
