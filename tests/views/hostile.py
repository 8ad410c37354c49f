"""One corpus of hostile texts, and a rollout that carries one of them in every field a view may draw."""

from __future__ import annotations

import unicodedata

from tests.factories import invocation, part, rollout, tool_call, turn

from rollout_loaders.model import (
    Attempt,
    Attribution,
    Branch,
    Compaction,
    Diagnostic,
    FinalAnswer,
    Finding,
    Gap,
    Grading,
    Harness,
    HarnessNote,
    Health,
    HealthCheck,
    InputMessage,
    Item,
    JudgeCall,
    OtherReading,
    Outcome,
    OutcomeReading,
    Place,
    Reason,
    Retry,
    Rollout,
    Scored,
    SourceRef,
    Task,
    TextPiece,
    TurnError,
    Verdict,
)

TEXTS: dict[str, str] = {
    "osc-52": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "osc-title": "\x1b]0;owned\x1b\\",
    "clear-screen": "a\x1b[2Jb\x1b[?1003h",
    "c1-csi": "x\x9b2Jy\x9d52;c;AA\x9c",
    "bidi": "user\u202egnp.exe\u2066 \u200f\u061c",
    "nul": "a\x00b\x08c\x7fd\rvisible",
    "surrogates": "lone \ud83d and \udc00",
    "separators": "one\u2028two\u2029three\x85four\x0bfive\x0csix",
    "zero-width": "sk\u200b-\u200dsecret\ufeff\u2060",
    "tags": "hello\U000e0041\U000e0042\U000e007f",
    "fillers": "\u3164\u115f\uffa0\u00ad",
    "script": "<script>window.__pwn=1</script>",
    "onerror": '<img src=x onerror="window.__pwn=1">',
    "svg": "<svg/onload=window.__pwn=1>",
    "close-pre": "</pre></code></p></details></section></main><script>window.__pwn=1</script>",
    "attribute": '" onmouseover="window.__pwn=1" x=\'',
    "entity": "&lt;script&gt; &#60;b&#62; &amp;",
    "javascript": "javascript:window.__pwn=1",
    "autolink": "see https://evil.example/pixel.png and www.evil.example",
    "markdown-link": "[click](javascript:window.__pwn=1) ![p](https://evil.example/p.png)",
    "markdown-html": "<details open><summary>x</summary><iframe src=//evil.example></iframe></details>",
    "mention": "@everyone #1 GH-1 evil/repo#2 :tada:",
    "fence": "```\n</details>\n````\n~~~\n`` ` ```` `",
    "heading": "# title\n\n---\n\n> quote\n\n1. list\n\n| a | b |\n|---|---|",
    "markup": "[bold red]x[/] [link=https://evil.example]y[/link] [[[",
    "badge": "4 ◆ scored",
    "form": "⟨ESC⟩ ⟨U+202E⟩ ⟨U+27E8⟩ESC⟩",
    "blank-lines": "\n\n  \n\ttab\n\n",
    "long-line": "x" * 20_000 + "\x1b[2J",
    "template": "{{7*7}} ${7*7} <%= 7 %> {% raw %}",
    "math": "$\\href{javascript:alert(1)}{x}$ $$\\unicode{x}$$",
}


_DRAWN_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
"""Prepended concatenation marks: category Cf, but they draw a sign of their own."""
_JOINERS = "\u200c\u200d"


def is_unsafe(char: str) -> bool:
    """Tell whether a terminal would obey this character or an eye would miss it, by Unicode's own categories."""
    if char in "\n\t":
        return False
    category = unicodedata.category(char)
    return category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and char not in _JOINERS + _DRAWN_FORMATS)


def unsafe_in(text: str) -> set[str]:
    """Return the unsafe characters of a text as code points."""
    if text.isprintable():  # says by the same categories that there is none
        return set()
    return {f"U+{ord(char):04X}" for char in set(text) if is_unsafe(char)}


def hostile_rollout(text: str) -> Rollout:
    """Return a rollout with `text` in every field that holds foreign text."""
    reason = Reason(text, Place(text, 1, text), text)
    thinking = turn(
        1,
        message_id=text,
        input=(
            InputMessage(f"1{text}", "user", text),
            InputMessage(f"2{text}", text, text, synthetic=True, ignored=True, kind=text, reverted=True),
        ),
        reasoning=[TextPiece(f"{text}-reasoning", text, interrupted=True)],
        answer=[TextPiece(text, text)],
        tools=(
            tool_call(
                text, {text: text, "n": [text, {text: text}]}, text, call_id=text, error=text, attachments=(text,)
            ),
            tool_call("bash", {"command": text}, text, call_id=f"a{text}", pruned=True, child=text),
            tool_call("edit", {"oldString": text, "newString": f"{text}!"}, None, call_id=f"b{text}", status=text),
            tool_call("write", {"content": f"{text}\n{text}"}, "", call_id=f"c{text}", invalid=True),
            tool_call("raw", text, None, call_id=f"d{text}", status="incomplete", interrupted=True),
        ),
        error=TurnError(text, text, 400),
        retries=(Retry(1, text, text),),
        started_at=text,
        completed_at=text,
        finish=text,
        partial=True,
    )
    child = invocation(turn(1, message_id=f"c{text}", answer=[TextPiece(f"c{text}", text)]), ident=text, title=text)
    boundary = Compaction(
        id=text, trigger=text, outcome=text, summary=text, first_kept_item_id=text, after_turn=1, error=text
    )
    own = invocation(
        thinking,
        compactions=(boundary,),
        title=text,
        branches=(Branch(text, text, text, text, (turn(1, message_id=f"x{text}", answer=[TextPiece("q", text)]),)),),
        trailing_input=(InputMessage(f"t{text}", "user", text),),
        parts=(
            part("p1", text=text, role=text, turn=1),
            part("p2", text, data={text: text, "more": [text]}),
            part("p3", "tool", data={"tool": text, "state": {"status": text, "input": {text: text}, "output": text}}),
            part("p4", "reasoning", text=text),
            part("p5", "toolCall", data={"name": text, "arguments": {text: text}}),
        ),
    )
    items = (
        Item("message", {"content": [{"type": text, "text": text}], text: text}, text, "assistant", text),
        Item("reasoning", {"summary": text}, text, None, text),
        Item("function_call", {"arguments": text, "status": text}, text, None, text, text, text),
        Item("function_call_output", {"output": [{"type": text}]}, text, None, text, text),
        Item(text, {text: text}, text, text, text, text, text),
    )
    return rollout(
        invocations=(own, child),
        id=text,
        source=SourceRef(path=f"runs/{text}.jsonl", format="gym-rollouts", locator="L1", artifacts=(text,)),
        harness=Harness(text, text, text, text, text),
        task=Task(task_id=text, prompt=text),
        final_answer=FinalAnswer(text, 1, text, False, text),
        scored=Scored("row", items, text, text, 0, Place(own.id, 1, text), (OtherReading(text, text, text),)),
        outcome=Outcome(
            "failed", text, text, False, text, (reason,),
            readings=(OutcomeReading(text, text, text, True, text, text),), recorded={text: text},
        ),
        attempts=(Attempt(1, "failure", text, text, text, text, text, text),),
        grading=Grading(
            "graded", 0.0, text, text, text, {text: [text] * 40}, because=(reason,), extras={text: text},
            judge_calls=(JudgeCall(text, text, text, text),), verdicts=(Verdict(text, False, 0.5, text),),
        ),
        attribution=Attribution(
            "no_attribution", text, (text,), text, text, 2, 2, True, text, (reason,), 0.5, (text, text), {text: text}
        ),
        harness_notes=(HarnessNote(text, text, text, 0, 1, text, text, text),),
        health=Health("unhealthy", (HealthCheck(text, text, text),), (text,)),
        gaps=(Gap(text, text, text, text),),
        findings=(Finding(text, "error", text, Place(own.id, 1, text)),),
        diagnostics=(Diagnostic(text, text, text),),
        notes=(reason,),
        extra={text: text},
    )  # fmt: skip
