"""The verdict line, which heads every view, export and `show` (CONTRACT 1)."""

from __future__ import annotations

from rollout_loaders.model import Grading, Rollout

from .formatting import quantity, reward_number

STATE_WORDS = {
    "graded": "graded",
    "invalid": "invalid",
    "not_graded": "not graded",
    "masked": "masked",
    "unreadable": "unreadable",
}


def verdict_line(rollout: Rollout) -> str:
    """Return e.g. `reward 0 · graded · completed · scored text: empty (turn 3) · no_content_match, masked`.

    Foreign text: pass it through `visible_line` before drawing.
    """
    unread = ", which this verifier does not read" if rollout.grading.reads_text is False else ""
    parts = [*_reward(rollout.grading), _outcome(rollout), f"scored text: {scored_words(rollout)}{unread}"]
    parts += [part for part in (_attribution(rollout), _gate(rollout)) if part]
    return " · ".join(parts)


def reward_words(state: str, reward: float | None) -> str:
    """Return a reward that never stands alone unless it is graded: `0`, `0 invalid`, `– not graded`."""
    word = STATE_WORDS.get(state, state)
    if state == "graded":
        return reward_number(reward) if reward is not None else "– graded without a reward"
    return f"– {word}" if reward is None else f"{reward_number(reward)} {word}"


def scored_words(rollout: Rollout) -> str:
    """Return `empty (turn 3)`, `612 characters (turn 7)`, `none`, with the subagent where one wrote it."""
    scored = rollout.scored
    if scored.final_text is None:
        return "none" if scored.final_index is None else "none (the graded item holds no text)"
    length = quantity(len(scored.final_text), "character") if scored.final_text else "empty"
    if scored.final_text and not scored.final_text.strip():
        length += ", all white space"
    origin = scored.origin
    root = rollout.root
    where = [] if origin.turn is None else [f"turn {origin.turn}"]
    if origin.invocation is not None and root is not None and origin.invocation != root.id:
        where.append(f"of subagent {origin.invocation}")
    return f"{length} ({' '.join(where)})" if where else length


def _reward(grading: Grading) -> list[str]:
    if grading.state == "graded":
        return [f"reward {reward_words('graded', grading.reward)}", "graded"]
    return [f"reward {reward_words(grading.state, grading.reward)}"]


def _outcome(rollout: Rollout) -> str:
    outcome = rollout.outcome
    return f"{outcome.status} ({outcome.failure_kind})" if outcome.failure_kind else outcome.status


def _attribution(rollout: Rollout) -> str:
    attribution = rollout.attribution
    words: list[str] = []
    if attribution.status in ("no_attribution", "error"):
        words += attribution.reasons or (attribution.status,)
    if attribution.masked:
        words.append("masked")
    return ", ".join(words)


def _gate(rollout: Rollout) -> str:
    if not rollout.route.forced:
        return ""
    return f"split forced {'on' if rollout.route.gym_reasoning else 'off'}"
