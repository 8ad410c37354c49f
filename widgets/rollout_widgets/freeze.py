"""`python -m rollout_widgets.freeze [--check] FILE…`: freeze notebooks before a commit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rollout_views.foreign import visible_line

from .freezing import FreezeError, freeze, is_frozen


def main(arguments: Sequence[str] | None = None) -> int:
    """Freeze the named notebooks. Returns 0; 1 when `--check` found one that is not frozen; 2 for one that is none."""
    parser = argparse.ArgumentParser(
        prog="python -m rollout_widgets.freeze",
        description="Strip live widget outputs and saved widget state from notebooks; everything else stays.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a notebook (.ipynb)")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if a notebook is not frozen")
    named = parser.parse_args(arguments)
    code = 0
    for file in named.files:
        try:
            if named.check:
                changed, word = not is_frozen(file), "not frozen"
            else:
                changed, word = freeze(file), "frozen"
        except FreezeError as error:
            code = _say(str(error), 2)
            continue
        except OSError as error:
            code = _say(f"{file}: {error.strerror or error}", 2)
            continue
        if changed:
            sys.stdout.write(visible_line(f"{file}: {word}") + "\n")
            code = max(code, 1) if named.check else code
    return code


def _say(message: str, code: int) -> int:
    sys.stderr.write(visible_line(message) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
