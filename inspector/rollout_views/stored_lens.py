"""The lens `stored`: what the harness wrote, verbatim, every part in store order, think tags and all (CONTRACT 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby

from rollout_loaders.fast_dataclass import dataclass
from rollout_loaders.model import Invocation, JsonValue, Place, Rollout, StoredPart

from .arguments import argument_text
from .block import Block, BodyFormat, Section, SectionKind, Tone
from .formatting import count, quantity
from .json_text import pretty
from .scored_mark import BADGE, ScoredMark, scored_mark

SPLIT_LATER = "stored whole; the observed lens shows the leading <think> block apart from the answer"


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """The parts of one message that stand together in the store."""

    message_id: str
    parts: tuple[StoredPart, ...]

    @property
    def role(self) -> str:
        """The role of the message, `message` where it is not recorded."""
        return next((part.role for part in self.parts if part.role), "message")

    @property
    def turn(self) -> int | None:
        """The turn that the message is, None for inputs and summaries."""
        return next((part.turn for part in self.parts if part.turn is not None), None)


def problem(rollout: Rollout) -> str | None:
    """Return why this lens has nothing to show, or None."""
    if any(one.parts or any(branch.parts for branch in one.branches) for one in rollout.invocations):
        return None
    return f"this record ({rollout.source.format}) holds no parts as the harness stored them"


def sections(invocation: Invocation) -> tuple[Section, ...]:
    """Return one section a message, then the abandoned branches."""
    made: list[Section] = []
    for message_id, group in groupby(invocation.parts, key=_message_id):
        message = StoredMessage(message_id, tuple(group))
        made.append(_section(message, len(made), invocation))
    for branch in invocation.branches:
        for message_id, group in groupby(branch.parts, key=_message_id):
            made.append(_section(StoredMessage(message_id, tuple(group)), len(made), invocation, "branch"))
    return tuple(made)


def section_blocks(rollout: Rollout, invocation: Invocation, section: Section) -> list[Block]:
    """Return one message: its head, then one block a part (more where a part holds call and result)."""
    message = section.source
    if not isinstance(message, StoredMessage):
        raise TypeError(f"not a section of the stored lens: {section.key}")
    turn = message.turn
    role = message.role
    where = f"turn {turn}" if turn is not None else "no turn"
    branch = "abandoned branch · " if section.kind == "branch" else ""
    head = Block(
        id=f"{message.message_id}:head:{section.index}",
        label="message",
        tone="normal",
        title=f"{branch}{role} · {where} · {quantity(len(message.parts), 'part')} · {message.message_id}",
        place=Place(invocation.id, turn),
        rule=True,
    )
    blocks = [head]
    mark = None if section.kind == "branch" else scored_mark(rollout)
    for part in message.parts:
        place = Place(invocation.id, part.turn, part.id)
        drawn = _DRAWN.get(part.type, _other)(part, role)
        badge = BADGE if _is_scored(part, mark, invocation) else ""
        blocks += [
            _block(f"{part.id}:stored{f':{index}' if index else ''}", one, place, badge if not index else "", rollout)
            for index, one in enumerate(drawn)
        ]
    return blocks


@dataclass(frozen=True, slots=True)
class _Drawn:
    label: str
    tone: Tone
    title: str
    body: str = ""
    format: BodyFormat = "text"
    folded: bool = False


def _block(ident: str, drawn: _Drawn, place: Place, badge: str, rollout: Rollout) -> Block:
    split = rollout.route.gym_reasoning and drawn.label == "text" and drawn.body.startswith("<think>")
    return Block(
        id=ident,
        label=drawn.label,
        tone=drawn.tone,
        title=drawn.title,
        body=drawn.body,
        format=drawn.format,
        foldable=bool(drawn.body),
        folded=drawn.folded,
        badge=badge,
        mark=SPLIT_LATER if split and drawn.tone == "answer" else "",
        place=place,
    )


def _message_id(part: StoredPart) -> str:
    return part.message_id


def _section(message: StoredMessage, index: int, invocation: Invocation, kind: SectionKind = "turn") -> Section:
    number = message.turn
    return Section(kind, f"{index}:{message.message_id}", index, "normal", invocation.id, number, message, _title)


def _title(message: StoredMessage) -> str:
    number = message.turn
    words = [message.role if number is None else f"{number} {message.role}"]
    shown = message.parts[:6]
    words += [f"{part.type} {count(len(text))}" if (text := part_text(part)) else part.type for part in shown]
    if len(message.parts) > len(shown):
        words.append(f"+{len(message.parts) - len(shown)}")
    return " · ".join(words)


def part_text(part: StoredPart) -> str | None:
    """Return the text of a part whatever its harness calls it, or None."""
    return next((value for _, value in _texts(part)), None)


def _texts(part: StoredPart) -> Iterator[tuple[str, str]]:
    for name in ("text", "thinking"):
        value = part.data.get(name)
        if isinstance(value, str):
            yield name, value


def _repeats(part: StoredPart) -> frozenset[str]:
    """Keys that only repeat where the part stands; of another value or type they are shown."""
    same = {"id": part.id, "type": part.type, "messageID": part.message_id}
    session = {"sessionID"} if isinstance(part.data.get("sessionID"), str) else set[str]()
    return frozenset({key for key, value in same.items() if part.data.get(key) == value} | session)


def _own_fields(part: StoredPart) -> frozenset[str]:
    """Keys that the drawing of a text part shows, or that only repeat where it stands."""
    return _repeats(part) | frozenset(name for name, _ in list(_texts(part))[:1])


def _is_scored(part: StoredPart, mark: ScoredMark | None, invocation: Invocation) -> bool:
    if mark is None or mark.invocation != invocation.id:
        return False
    if mark.compaction is not None:
        summaries = [one.summary_message_ids for one in invocation.compactions if one.id == mark.compaction]
        return part.type == "text" and any(part.message_id in ids for ids in summaries)
    return part.id in mark.pieces


def _rest(part: StoredPart, shown: frozenset[str]) -> list[_Drawn]:
    """What the part holds beside what was drawn: verbatim JSON, folded."""
    rest = {name: value for name, value in part.data.items() if name not in shown}
    return [_Drawn("fields", "muted", ", ".join(rest), pretty(rest), "json", folded=True)] if rest else []


def _text(part: StoredPart, role: str) -> list[_Drawn]:
    text = part_text(part)
    tone: Tone = "answer" if role == "assistant" else "user" if role == "user" else "note"
    title = "(no text recorded)" if text is None else "" if text else "(empty)"
    flags = [name for name in ("synthetic", "ignored") if part.data.get(name) is True]
    title = " · ".join(word for word in (title, *flags) if word)
    return [_Drawn("text", tone, title, text or ""), *_rest(part, _own_fields(part))]


def _reasoning(part: StoredPart, _role: str) -> list[_Drawn]:
    text = part_text(part)
    title = "(no text recorded)" if text is None else "" if text else "(empty)"
    return [_Drawn("think", "reasoning", title, text or "", folded=True), *_rest(part, _own_fields(part))]


def _tool(part: StoredPart, role: str) -> list[_Drawn]:
    """An OpenCode tool part: `state` holds input, output or error, and more (gym-semantics 4.1)."""
    state = part.data.get("state")
    name, status = part.data.get("tool"), ""
    if not isinstance(state, Mapping):
        return _other(part, role)
    status = f"  ({state['status']})" if isinstance(state.get("status"), str) else ""
    shown = argument_text(state.get("input"))
    tone: Tone = "problem" if state.get("status") == "error" else "tool"
    drawn = [
        _Drawn("tool", tone, f"{name}{'  ' + shown.beside if shown.beside else ''}{status}", shown.body, shown.format)
    ]
    taken = {"input", "status"}
    for key, label in (("output", "result"), ("error", "error")):
        value = state.get(key)
        if isinstance(value, str):
            taken.add(key)
            drawn.append(_Drawn(label, "problem" if key == "error" else "tool", "" if value else "(empty)", value))
    rest: dict[str, JsonValue] = {key: value for key, value in state.items() if key not in taken}
    outer = {key: value for key, value in part.data.items() if key not in _repeats(part) | {"tool", "state"}}
    whole: dict[str, JsonValue] = {**outer, **({"state": rest} if rest else {})}
    if whole:
        drawn.append(_Drawn("fields", "muted", ", ".join([*outer, *rest]), pretty(whole), "json", folded=True))
    return drawn


def _tool_call(part: StoredPart, _role: str) -> list[_Drawn]:
    """A Pi `toolCall` block (formats 2.1)."""
    shown = argument_text(part.data.get("arguments"))
    title = f"{part.data.get('name')}{'  ' + shown.beside if shown.beside else ''}"
    return [
        _Drawn("tool", "tool", title, shown.body, shown.format),
        *_rest(part, _repeats(part) | {"name", "arguments"}),
    ]


def _message(part: StoredPart, _role: str) -> list[_Drawn]:
    """What the store holds of the message or the session itself, beside its parts."""
    return _rest(part, frozenset()) or [_Drawn("fields", "muted", f"none stored for this {part.type}")]


def _other(part: StoredPart, _role: str) -> list[_Drawn]:
    """Whatever it is, it is shown as it is stored."""
    data = dict(part.data)
    return [_Drawn("part", "muted", f"{part.type}{'' if data else '  (no fields)'}", pretty(data), "json", folded=True)]


_DRAWN: dict[str, Callable[[StoredPart, str], list[_Drawn]]] = {
    "text": _text,
    "reasoning": _reasoning,
    "thinking": _reasoning,
    "tool": _tool,
    "toolCall": _tool_call,
    "message": _message,
    "session": _message,
}
