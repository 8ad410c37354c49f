"""Reader of verifiers' `results.jsonl`, with the `metadata.json` beside it (verifiers 0.1: RolloutOutput)."""

from __future__ import annotations

from pathlib import Path

from rollout_loaders import source
from rollout_loaders.reader import Confidence, ReadOptions

from .gym_file import GymFile
from .gym_rollouts import first_objects
from .line_records import BOM
from .logged_file import refuse_forced_split
from .verifiers_rows import FORMAT, VerifiersKind

_SIGNS = frozenset({"example_id", "is_completed", "is_truncated", "stop_condition", "timing", "metrics", "token_usage"})
_OLD_SIGNS = frozenset({"generation_ms", "scoring_ms", "total_ms"})


class VerifiersResultsReader:
    """The format `verifiers-results`."""

    name = FORMAT

    def sniff(self, path: Path, head: bytes) -> Confidence:
        """By the first records: prompt, completion and reward beside what `RolloutOutput` always has."""
        if b'"completion"' not in head and len(head) < source.HEAD_SIZE:
            return Confidence.NO
        if not head.removeprefix(BOM).lstrip().startswith(b"{") or b'"responses_create_params"' in head:
            return Confidence.NO
        for row in first_objects(path, head):
            if not {"completion", "reward", "prompt"} <= row.keys() or "response" in row:
                return Confidence.NO
            if len(_SIGNS & row.keys()) > 1:
                return Confidence.CERTAIN
            return Confidence.LIKELY if (_SIGNS | _OLD_SIGNS) & row.keys() else Confidence.MAYBE
        return Confidence.NO

    def open(self, path: Path, shown: str, options: ReadOptions) -> GymFile:
        """Open the file. Raises `ReadError` where the think split is forced on."""
        refuse_forced_split(shown, options)
        return GymFile(path, shown, VerifiersKind(path, shown), options)


READER = VerifiersResultsReader()
