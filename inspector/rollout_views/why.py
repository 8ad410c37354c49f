"""The Why panel: what the reward is, whether it counts, and every sentence that explains it, each with its jump."""

from __future__ import annotations

from rollout_loaders.model import Grading, JsonValue, Place, Rollout

from .block import Block, Tone
from .ending_blocks import final_words
from .formatting import exact, quantity, reward_number
from .json_text import compact, pretty
from .reason_blocks import links_to, reason_blocks
from .scored_mark import BADGE
from .verdict import verdict_line

SHORT = 60
"""Longest expected or extracted value that stands on one line."""


def why_blocks(rollout: Rollout) -> tuple[Block, ...]:
    """Return the panel's blocks: verdict, errors found, grading, answers, the verifier's own words, outcome, tokens."""
    grading = rollout.grading
    blocks = [_verdict(rollout), *_findings(rollout, "error")]
    blocks += reason_blocks("why:grading", "reward", grading.because, _tone_of(grading))
    if not grading.because:
        blocks.append(_silent(grading))
    blocks += _compared(grading)
    blocks.append(_scored(rollout))
    blocks.append(_final(rollout))
    blocks += _criteria(grading)
    blocks += _judge(grading)
    blocks += reason_blocks("why:outcome", "outcome", rollout.outcome.because)
    blocks += reason_blocks("why:attribution", "tokens", rollout.attribution.because)
    blocks += _readings(rollout)
    blocks += _findings(rollout, "warning")
    return tuple(blocks)


def needs_explaining(rollout: Rollout) -> bool:
    """Tell whether a rollout opens on Why: always, unless nothing was graded, said or found about it."""
    grading = rollout.grading
    return bool(
        grading.because
        or grading.reward is not None
        or grading.state != "not_graded"
        or rollout.outcome.because
        or any(finding.severity != "info" for finding in rollout.findings)
    )


def _tone_of(grading: Grading) -> Tone:
    return "problem" if grading.state in ("invalid", "unreadable") else "normal"


def _verdict(rollout: Rollout) -> Block:
    tone: Tone = _tone_of(rollout.grading)
    return Block("why:verdict", "verdict", tone, verdict_line(rollout), rule=False)


def _silent(grading: Grading) -> Block:
    said = {
        "graded": "the record holds the reward and nothing that says how it came about",
        "not_graded": "no reward is recorded, and nothing in the record says why",
    }
    title = said.get(grading.state, f"the record is {grading.state}, and nothing in it says why")
    return Block("why:silent", "reward", "muted", title)


def _compared(grading: Grading) -> list[Block]:
    blocks: list[Block] = []
    if grading.expected is not None:
        blocks.append(_value("expected", grading.expected))
    if grading.extracted is not None:
        blocks.append(_value("extracted", grading.extracted))
    elif grading.expected is not None:
        blocks.append(Block("why:extracted", "extracted", "muted", "·  (nothing was extracted, or it is not recorded)"))
    return blocks


def _value(label: str, value: JsonValue) -> Block:
    if isinstance(value, str):
        if value and len(value) <= SHORT and "\n" not in value:
            return Block(f"why:{label}", label, "normal", value)
        title = "(empty text)" if not value else quantity(len(value), "character")
        return Block(f"why:{label}", label, "normal", title, value, foldable=bool(value), folded=len(value) > 2_000)
    line = compact(value)
    if len(line) <= SHORT:
        return Block(f"why:{label}", label, "normal", line)
    return Block(f"why:{label}", label, "normal", "", pretty(value), "json", foldable=True, folded=len(line) > 2_000)


def _scored(rollout: Rollout) -> Block:
    scored = rollout.scored
    text = scored.final_text
    if text is None:
        title = "none: no assistant message item was there to grade"
    else:
        title = quantity(len(text), "character") if text else "(empty)"
    return Block(
        id="why:scored",
        label="scored",
        tone="scored" if text else "problem",
        title=f"{title} · reading: {scored.reading}",
        body=text or "",
        foldable=bool(text),
        folded=bool(text) and len(text or "") > 600,
        badge=BADGE if text is not None else "",
        place=scored.origin,
        links=links_to(scored.origin),
    )


def _final(rollout: Rollout) -> Block:
    final = rollout.final_answer
    same = final.stands and final.text is not None and final.text == rollout.scored.final_text
    words = final_words(rollout)
    title = f"{words}; it is the scored text" if same else words
    body = "" if same else final.text or ""
    last = bool(body) and not final.stands
    root = rollout.root
    place = rollout.scored.origin
    if root is not None and final.turn is not None:
        place = type(place)(root.id, final.turn, final.item_id)
    return Block(
        id="why:final",
        label="final",
        tone="answer" if final.stands else "problem",
        title=f"{title}; last text:" if last else title,
        body=body,
        foldable=bool(body),
        folded=len(body) > 600,
        place=place,
        links=links_to(place) if final.turn is not None else (),
    )


def _criteria(grading: Grading) -> list[Block]:
    words = {True: "passed", False: "failed", None: "not decided"}
    return [
        Block(
            id=f"why:criterion:{index}",
            label="criterion",
            tone="problem" if verdict.passed is False else "normal",
            title=f"{words[verdict.passed]} · {verdict.name}"
            + ("" if verdict.score is None else f" · score {reward_number(verdict.score)}"),
            body=verdict.detail or "",
            foldable=bool(verdict.detail),
            folded=bool(verdict.detail) and len(verdict.detail or "") > 400,
        )
        for index, verdict in enumerate(grading.verdicts)
    ]


def _judge(grading: Grading) -> list[Block]:
    blocks: list[Block] = []
    total = len(grading.judge_calls)
    for index, call in enumerate(grading.judge_calls):
        words = [f"call {index + 1} of {total}" if total > 1 else "", "order swapped" if call.swapped else ""]
        words.append(call.verdict or "no verdict found in it")
        words.append(f"label {call.verdict_label}" if call.verdict_label else "")
        words.append("this one decided" if call.decided else "")
        reply = call.response_text
        blocks.append(
            Block(
                id=f"why:judge:{index}",
                label="judge",
                tone="note",
                title=" · ".join(word for word in words if word) + ("" if reply else " · its reply is not recorded"),
                body=reply or "",
                foldable=bool(reply),
                folded=len(reply or "") > 1_200,
            )
        )
        if call.request_text:
            title = f"what the judge was asked, {quantity(len(call.request_text), 'character')}"
            blocks.append(
                Block(f"why:asked:{index}", "asked", "muted", title, call.request_text, foldable=True, folded=True)
            )
    return blocks


def _readings(rollout: Rollout) -> list[Block]:
    own = {invocation.id for invocation in rollout.invocations}
    return [
        Block(
            id=f"why:reading:{index}",
            label="reading",
            tone="problem",
            title=f"{other.reading} ends in {_length(other.final_text)}; {other.because}",
            # The whole store's reading may end in another root's text, which is no place of this rollout.
            place=other.place if other.place.invocation in own else Place(),
            links=links_to(other.place) if other.place.invocation in own else (),
        )
        for index, other in enumerate(rollout.scored.others)
    ]


def _length(text: str | None) -> str:
    return "no text" if text is None else f"{exact(len(text))} characters" if text else "an empty text"


def _findings(rollout: Rollout, severity: str) -> list[Block]:
    return [
        Block(
            id=f"why:finding:{index}",
            label="finding",
            tone="problem" if finding.severity == "error" else "note",
            title=f"{finding.severity} · {finding.code}: {finding.message}",
            links=links_to(finding.where),
        )
        for index, finding in enumerate(rollout.findings)
        if finding.severity == severity
    ]
