"""Tool arguments as a reviewer reads them: the command, the edit as a diff, the written text, else the JSON object.

Which form it takes is decided by the names of the arguments, since every harness names its tools in its own way. What
does not go into the body stands in the title, so that nothing is left out.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import JsonObject, JsonValue

from .block import BodyFormat
from .json_text import compact, pretty

MAX_BESIDE = 200
"""Longest text of the remaining arguments that still fits beside the tool's name."""
MAX_INLINE = 100
"""Longest text of all arguments that is shown on the tool's own line instead of as JSON below it."""
MAX_COMPARED = 400
"""Lines up to which an edit is compared; longer ones are shown as all old lines, then all new ones."""


@dataclass(frozen=True, slots=True)
class ArgumentText:
    """Arguments ready to draw."""

    beside: str
    """What stands beside the tool's name."""
    body: str
    format: BodyFormat


def argument_text(arguments: JsonValue) -> ArgumentText:
    """Return the arguments of a tool call as text."""
    if not isinstance(arguments, Mapping):
        if isinstance(arguments, str):
            return ArgumentText("(no JSON object)" if arguments else "(empty arguments)", arguments, "text")
        return ArgumentText("", "" if arguments is None else pretty(arguments), "json")
    for form in _FORMS:
        shown = form(arguments)
        if shown is not None:
            return shown
    inline = _beside(arguments, ())
    if inline is not None and len(inline) <= MAX_INLINE:
        return ArgumentText(inline or "(no arguments)", "", "json")
    return ArgumentText("", pretty(arguments), "json")


def _beside(arguments: JsonObject, taken: Sequence[str]) -> str | None:
    """The arguments that the body does not show, on one line; None when they are too long for that."""
    rest = "  ".join(f"{name}={compact(value)}" for name, value in arguments.items() if name not in taken)
    return rest if len(rest) <= MAX_BESIDE else None


def _of_one_text(
    names: Sequence[str], form: BodyFormat, least_lines: int
) -> Callable[[JsonObject], ArgumentText | None]:
    def shown(arguments: JsonObject) -> ArgumentText | None:
        for name in names:
            value = arguments.get(name)
            if not isinstance(value, str) or value.count("\n") + 1 < least_lines:
                continue
            rest = _beside(arguments, (name,))
            if rest is not None:
                return ArgumentText(rest, value, form)
        return None

    return shown


def _of_edit(arguments: JsonObject) -> ArgumentText | None:
    for old_name, new_name in _EDIT_NAMES:
        old, new = arguments.get(old_name), arguments.get(new_name)
        if isinstance(old, str) and isinstance(new, str):
            rest = _beside(arguments, (old_name, new_name))
            return None if rest is None else ArgumentText(rest, edit_lines(old, new), "diff")
    return None


def _of_edits(arguments: JsonObject) -> ArgumentText | None:
    edits = arguments.get("edits")
    if not isinstance(edits, Sequence) or isinstance(edits, str) or not edits:
        return None
    shown = [_of_edit(edit) if isinstance(edit, Mapping) else None for edit in edits]
    rest = _beside(arguments, ("edits",))
    if rest is None or any(one is None for one in shown):
        return None
    heads = (f"@@ edit {number} of {len(edits)}" for number in range(1, len(edits) + 1))
    bodies = [
        f"{head}{'  ' + one.beside if one.beside else ''}\n{one.body}"
        for head, one in zip(heads, shown, strict=True)
        if one is not None
    ]
    return ArgumentText(rest, "\n".join(bodies), "diff")


def edit_lines(old: str, new: str) -> str:
    """Return an edit as lines that begin with `-`, `+` or a space; every line of both texts is in it."""
    before, after = old.split("\n"), new.split("\n")
    if len(before) + len(after) > MAX_COMPARED:
        return "\n".join([f"-{line}" for line in before] + [f"+{line}" for line in after])
    lines: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, from_old, to_old, from_new, to_new in matcher.get_opcodes():
        if tag == "equal":
            lines += [f" {line}" for line in before[from_old:to_old]]
            continue
        lines += [f"-{line}" for line in before[from_old:to_old]]
        lines += [f"+{line}" for line in after[from_new:to_new]]
    return "\n".join(lines)


_EDIT_NAMES = (("oldString", "newString"), ("old_string", "new_string"), ("oldText", "newText"), ("old_str", "new_str"))

_FORMS: tuple[Callable[[JsonObject], ArgumentText | None], ...] = (
    _of_one_text(("command", "cmd", "script"), "shell", 1),
    _of_edit,
    _of_edits,
    _of_one_text(("patchText", "patch", "diff"), "diff", 2),
    _of_one_text(("content", "file_text", "code"), "text", 1),
    _of_one_text(("prompt", "text", "message"), "text", 2),
)
