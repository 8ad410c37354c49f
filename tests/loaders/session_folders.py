"""Builders of small OpenCode and Pi artifacts of one session, in the shapes of formats 1.2 and 2.1."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from tests.loaders import pi_logs

SESSION = "ses_dd307a1c8ffeb3CkXuKXCc2V47"
CHILD = "ses_dd2fcf729ffeHkcQOQLqV6W83k"
T0 = 1_796_050_800_000


def messages(session: str, *answers: str) -> list[dict[str, Any]]:
    """A prompt and its replies, as an export holds them."""
    made: list[dict[str, Any]] = [
        {
            "info": {"id": "msg_0001", "sessionID": session, "role": "user", "time": {"created": T0}},
            "parts": [
                {"id": "prt_0001", "messageID": "msg_0001", "sessionID": session, "type": "text", "text": "2+2?"}
            ],
        }
    ]
    for number, answer in enumerate(answers, 2):
        message, part = f"msg_{number:04}", f"prt_{number:04}"
        made.append(
            {
                "info": {
                    "id": message,
                    "sessionID": session,
                    "role": "assistant",
                    "parentID": "msg_0001",
                    "providerID": "nemo",
                    "modelID": "lab-model",
                    "finish": "stop",
                    "time": {"created": T0 + number * 1000, "completed": T0 + number * 1000 + 500},
                    "tokens": {"input": 10, "output": 2, "reasoning": 0, "cache": {"read": 0, "write": 0}},
                },
                "parts": [{"id": part, "messageID": message, "sessionID": session, "type": "text", "text": answer}],
            }
        )
    return made


def write_export(path: Path, session: str = SESSION, *answers: str, parent: str | None = None) -> Path:
    """`opencode export` of one session."""
    info: dict[str, Any] = {"id": session, "version": "1.18.33", "title": "Demo", "time": {"created": T0}}
    if parent is not None:
        info["parentID"] = parent
    path.write_text(json.dumps({"info": info, "messages": messages(session, *answers)}))
    return path


def write_database(path: Path, *sessions: tuple[str, str | None, tuple[str, ...]]) -> Path:
    """A database of (session, parent, answers); message and part ids are made unique by the session's index."""
    connection = sqlite3.connect(path)
    connection.executescript(
        "create table session(id text primary key, parent_id text, title text, version text, time_created integer);"
        "create table message(id text primary key, session_id text, time_created integer, data text);"
        "create table part(id text primary key, message_id text, session_id text, time_created integer, data text);"
    )
    for index, (session, parent, answers) in enumerate(sessions):
        connection.execute("insert into session values (?,?,?,?,?)", (session, parent, "Demo", "1.18.33", T0 + index))
        for message in messages(session, *answers):
            info = dict(message["info"])
            message_id = f"{info.pop('id')}{index}"
            created = info["time"]["created"]
            connection.execute("insert into message values (?,?,?,?)", (message_id, session, created, json.dumps(info)))
            for part in message["parts"]:
                data = {k: v for k, v in part.items() if k in ("type", "text")}
                row = (f"{part['id']}{index}", message_id, session, created, json.dumps(data))
                connection.execute("insert into part values (?,?,?,?,?)", row)
    connection.commit()
    connection.close()
    return path


def pi_run(*answers: str, session: str = pi_logs.SESSION) -> list[dict[str, Any]]:
    """One Pi run of several replies."""
    replies = [pi_logs.end(pi_logs.assistant(pi_logs.text(answer))) for answer in answers]
    return [pi_logs.header(session), *pi_logs.run(*replies)[1:]]


def write_pi_log(path: Path, *answers: str, session: str = pi_logs.SESSION, timed: bool = False) -> Path:
    """Bare events, or the runner's `[time, event]` pairs."""
    records: list[Any] = pi_run(*answers, session=session)
    path.write_bytes(pi_logs.lines_of([[1.0, record] for record in records] if timed else records))
    return path


def write_pi_session(path: Path, *answers: str, session: str = pi_logs.SESSION) -> Path:
    """A session file of one branch."""
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [pi_logs.header(session), pi_logs.entry("e0", None, message=pi_logs.user())]
    for number, answer in enumerate(answers, 1):
        reply = pi_logs.assistant(pi_logs.text(answer))
        records.append(pi_logs.entry(f"e{number}", f"e{number - 1}", message=reply))
    path.write_bytes(pi_logs.lines_of(records))
    return path


def write_requests(path: Path, *sessions: str | None) -> Path:
    """`requests.jsonl`: one captured request a session (formats 0)."""
    lines: list[dict[str, Any]] = []
    for number, session in enumerate(sessions):
        headers = {} if session is None else {"x-session-id": session}
        body = {"model": "lab-model", "messages": [{"role": "user", "content": "2+2?"}]}
        lines.append({"n": number, "time": 1.0, "path": "/v1/chat/completions", "x_headers": headers, "body": body})
    path.write_bytes(pi_logs.lines_of(lines))
    return path


def write_result(path: Path, return_code: int = 0, **fields: Any) -> Path:
    """`result.json` of a runner's session (gym-semantics 4.1)."""
    result = {"return_code": return_code, "timed_out": False, "cleanup_confirmed": True, "error": None, **fields}
    path.write_text(json.dumps(result))
    return path
