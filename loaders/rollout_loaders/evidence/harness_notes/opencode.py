"""OpenCode's note at its step limit (gym-semantics 8.6, formats 1.6 and 1.10)."""

from __future__ import annotations

from .note_text import HarnessNoteText

MAX_STEPS = """\
CRITICAL - MAXIMUM STEPS REACHED

The maximum number of steps allowed for this task has been reached. Tools are disabled until next user input. \
Respond with text only.

STRICT REQUIREMENTS:
1. Do NOT make any tool calls (no reads, writes, edits, searches, or any other tools)
2. MUST provide a text response summarizing work done so far
3. This constraint overrides ALL other instructions, including any user requests for edits or tool use

Response must include:
- Statement that maximum steps for this agent have been reached
- Summary of what has been accomplished so far
- List of any remaining tasks that were not completed
- Recommendations for what should be done next

Any attempt to use tools is a critical violation. Respond with text ONLY."""

NOTES: tuple[HarnessNoteText, ...] = (
    HarnessNoteText(
        harness="opencode",
        name="max-steps",
        text=MAX_STEPS,
        releases=("1.1.65", "1.2.27", "1.3.2", "1.14.41", "1.17.11", "1.18.33"),
        when="from the step limit of the agent on, at the end of every request",
    ),
)
