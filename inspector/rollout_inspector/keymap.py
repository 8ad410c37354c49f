"""The user's own keys: a TOML file with `[keys]`, binding ids on the left (help lists them), keys on the right."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import cast


def keymap_path() -> Path:
    """Return where the keymap is looked for (XDG Base Directory Specification)."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "rollout-inspect" / "keymap.toml"


def read_keymap(path: Path | None = None) -> tuple[dict[str, str], str | None]:
    """Read the keymap; returns it and a problem in one line, if there is one."""
    path = path or keymap_path()
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}, None
    except (OSError, ValueError) as error:
        return {}, f"{path}: {error}"
    table: object = document.get("keys", {})
    if not isinstance(table, dict):
        return {}, f"{path}: [keys] is no table"
    keys = cast("dict[str, object]", table)
    wrong = [name for name, value in keys.items() if not isinstance(value, str)]
    if wrong:
        return {}, f'{path}: {", ".join(wrong)}: a key is written as a string, such as "n,right"'
    return {name: str(value) for name, value in keys.items()}, None
