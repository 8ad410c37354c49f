"""`python -m rollout_inspector`, the same as `rollout-inspect`."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main()
