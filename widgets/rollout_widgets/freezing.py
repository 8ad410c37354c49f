"""Freezing a notebook: without its live widget outputs, so that it reads the same where no kernel runs.

A trusted notebook that still names a widget shows "model not found" in place of the HTML beside it, and saved widget
state makes nbconvert drop that HTML too. Both are cut out of the text of the file; every other byte stays as it was.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from .json_spans import Cut, JsonTextError, Member, after_space, cuts, members, without

VIEW = "application/vnd.jupyter.widget-view+json"
_STATE = "application/vnd.jupyter.widget-state+json"


class FreezeError(ValueError):
    """The file is no notebook that can be frozen; says why in one line."""


def freeze(notebook_path: str | os.PathLike[str]) -> bool:
    """Strip live widget outputs and saved widget state from a notebook, in place and atomically.

    Returns:
        Whether the file was changed: False for one that was frozen already.

    Raises:
        FreezeError: for a file that is no notebook of nbformat 4. It is left as it was.
        OSError: when it cannot be read or written.
    """
    path = Path(notebook_path).resolve()
    text = _read(path)
    made = frozen_text(text, str(notebook_path))
    if made == text:
        return False
    _replace(path, made)
    return True


def is_frozen(notebook_path: str | os.PathLike[str]) -> bool:
    """Tell whether `freeze` would leave the notebook as it is. Raises what `freeze` raises."""
    text = _read(Path(notebook_path).resolve())
    return frozen_text(text, str(notebook_path)) == text


def frozen_text(text: str, name: str = "notebook") -> str:
    """Return the text of a notebook without widget views and widget state. Raises `FreezeError`."""
    try:
        whole = json.loads(text)
        if not isinstance(whole, dict) or whole.get("nbformat") != 4 or not isinstance(whole.get("cells"), list):  # pyright: ignore[reportUnknownMemberType]
            raise FreezeError(f"{name}: no notebook of nbformat 4")
        made = without(text, _cuts(text))
        json.loads(made)
    except (JsonTextError, ValueError, RecursionError) as error:
        if isinstance(error, FreezeError):
            raise
        raise FreezeError(f"{name}: no readable notebook: {error}") from error
    return made


def _cuts(text: str) -> list[Cut]:
    top = _by_key(text, after_space(text, 0))
    made = cuts(text, top["metadata"].value, lambda key: key in ("widgets", _STATE)) if "metadata" in top else []
    for cell in members(text, top["cells"].value):
        outputs = _by_key(text, cell.value).get("outputs")
        for output in members(text, outputs.value) if outputs is not None else ():
            parts = _by_key(text, output.value)
            for name in ("data", "metadata"):
                if name in parts and text[parts[name].value] == "{":
                    made += cuts(text, parts[name].value, lambda key: key in (VIEW, _STATE))
    return made


def _by_key(text: str, start: int) -> dict[str, Member]:
    return {member.key: member for member in members(text, start)} if text[start : start + 1] == "{" else {}


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise FreezeError(f"{path}: not UTF-8: {error}") from error


def _replace(path: Path, text: str) -> None:
    """Write beside and rename, so that no reader ever sees half a notebook."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(path.stat().st_mode & 0o7777)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
