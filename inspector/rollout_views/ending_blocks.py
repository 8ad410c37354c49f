"""How a conversation begins and ends: the call that started a subagent, what was never answered, the last line."""

from __future__ import annotations

from rollout_loaders.model import Invocation, Place, Rollout, ToolCall, Turn

from .block import Block, Link, Tone
from .formatting import quantity
from .input_blocks import input_block
from .scored_mark import BADGE, find_turn
from .turn_blocks import Scene
from .verdict import scored_words


def spawning_calls(rollout: Rollout, invocation: Invocation) -> list[tuple[Invocation, Turn, ToolCall]]:
    """Return the tool calls that spawned (first) or resumed this conversation, each with its parent and turn."""
    return [
        (parent, turn, call)
        for parent in rollout.invocations
        if parent is not invocation
        for turn in parent.turns
        for call in turn.tool_calls
        if call.child == invocation.id
    ]


def invocation_name(invocation: Invocation) -> str:
    """Return the title of a conversation, else its agent's name, else its id."""
    return invocation.title or invocation.agent or invocation.id


def head_blocks(rollout: Rollout, invocation: Invocation) -> list[Block]:
    """Return the line above a subagent's conversation, with the link back to the call that started it."""
    found = next(iter(spawning_calls(rollout, invocation)), None)
    parent = invocation.parent_id or "a conversation that is not recorded"
    links: tuple[Link, ...] = ()
    if found is None:
        start = f"the call that started it is not in this record; parent {parent}"
    else:
        home, turn, call = found
        place = Place(home.id, turn.number, call.id)
        where = f"turn {turn.number} of {invocation_name(home)}"
        start = f"started by {call.name} in {where}"
        links = (Link(f"back to {where}", place),)
    agent = (
        f" · agent {invocation.agent}" if invocation.agent and invocation.agent != invocation_name(invocation) else ""
    )
    title = f"subagent {invocation_name(invocation)}{agent} · {invocation.status} · {start}"
    return [
        Block(
            id=f"{invocation.id}:agent-head",
            label="agent",
            tone="boundary" if found is not None else "problem",
            title=title,
            place=Place(invocation.id),
            links=links,
            rule=True,
        )
    ]


def ending_blocks(scene: Scene) -> list[Block]:
    """Return what came in after the last turn and was never answered, then how the conversation ended."""
    invocation = scene.invocation
    blocks = [
        input_block(message, invocation.id, None, unanswered=not message.ignored)
        for message in invocation.trailing_input
    ]
    if not invocation.turns:
        blocks.append(_no_turn(scene))
    blocks += _unlinked(scene) if scene.is_root else []
    blocks.append(_root_end(scene) if scene.is_root else _child_end(scene))
    return blocks


def _no_turn(scene: Scene) -> Block:
    gaps = [gap.code for gap in scene.rollout.gaps if gap.invocation_id in (None, scene.invocation.id)]
    why = f"; recorded gaps: {', '.join(gaps)}" if gaps else "; the record does not say why"
    return Block(
        id=f"{scene.invocation.id}:no-turn",
        label="note",
        tone="problem",
        title=f"no turn is recorded: the model wrote nothing that was kept{why}",
        place=Place(scene.invocation.id),
    )


def _unlinked(scene: Scene) -> list[Block]:
    """Subagents that no recorded call leads to would else never be seen from here."""
    invocations = scene.rollout.invocations
    called = {call.child for one in invocations for turn in one.turns for call in turn.tool_calls}
    lead = "no recorded call leads to it"
    return [
        Block(
            id=f"{child.id}:unlinked",
            label="agent",
            tone="problem",
            title=f"subagent {invocation_name(child)} ({quantity(len(child.turns), 'turn')}): {lead}",
            place=Place(child.id),
            links=(Link(f"subagent {invocation_name(child)}", Place(child.id, 1 if child.turns else None)),),
        )
        for child in invocations[1:]
        if child.id not in called
    ]


def _root_end(scene: Scene) -> Block:
    rollout = scene.rollout
    outcome = rollout.outcome
    kind = f" ({outcome.failure_kind})" if outcome.failure_kind else ""
    title = f"{outcome.status}{kind} · {final_words(rollout)} · scored text: {scored_words(rollout)}"
    origin = rollout.scored.origin
    links = (Link("the scored text", origin),) if origin.turn is not None else ()
    return Block(
        id=f"{scene.invocation.id}:end",
        label="end",
        tone="problem" if outcome.status == "failed" else "boundary",
        title=title,
        body=outcome.error or "",
        badge=BADGE if scene.mark is not None and not scene.mark.placed else "",
        place=Place(scene.invocation.id),
        links=links,
    )


def _child_end(scene: Scene) -> Block:
    invocation = scene.invocation
    found = spawning_calls(scene.rollout, invocation)
    places = [f"turn {turn.number} of {invocation_name(home)}" for home, turn, _ in found]
    back = f"; it returned to {', then '.join(places)}" if places else ""
    links = tuple(
        Link(f"back to turn {turn.number}", Place(home.id, turn.number, call.id)) for home, turn, call in found
    )
    tone: Tone = "problem" if invocation.status == "failed" else "boundary"
    title = f"subagent {invocation.status}{back}"
    return Block(f"{invocation.id}:end", "end", tone, title, place=Place(invocation.id), links=links)


def final_words(rollout: Rollout) -> str:
    """Return `final answer: 612 characters (turn 7)`, `final answer: (empty) (turn 3)` or `no final answer: …`."""
    final = rollout.final_answer
    if final.text is None or not final.stands:
        return "no final answer" + (f": {final.because}" if final.because else "")
    turn = "" if final.turn is None or find_turn(rollout.root, final.turn) is None else f" (turn {final.turn})"
    return f"final answer: {quantity(len(final.text), 'character') if final.text else '(empty)'}{turn}"
