"""The three readings of one rollout, by name, for a command line that is read before rollouts are."""

from __future__ import annotations

from typing import Literal

Lens = Literal["stored", "observed", "scored"]
LENSES: tuple[Lens, ...] = ("stored", "observed", "scored")
