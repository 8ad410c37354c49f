"""Files that are evidence and no rollout, by name (CONTRACT 2, gym-semantics 1.1, 4.1, 8.1, 10, formats 0)."""

from __future__ import annotations

from rollout_loaders.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceName:
    """A name or, behind `*`, its end; what it is in words, and whether the name alone decides against any content."""

    pattern: str
    what: str
    strong: bool = False

    def names(self, name: str) -> bool:
        """Whether a file of this name is meant."""
        return name.endswith(self.pattern[1:]) if self.pattern.startswith("*") else name == self.pattern


TABLE: tuple[EvidenceName, ...] = (
    EvidenceName("*_materialized_inputs.jsonl", "input rows of a run", True),
    EvidenceName("*_reward_profiling.jsonl", "reward profile of a run", True),
    EvidenceName("*_aggregate_metrics.json", "metrics of a run", True),
    EvidenceName("*_agent_metrics.json", "metrics of a run", True),
    EvidenceName("*_manifest.json", "manifest of a run", True),
    EvidenceName("*_coverage.json", "completion summary of a run", True),
    EvidenceName("*_attempts.jsonl", "attempt journal of a run", True),
    EvidenceName("*_run.lock", "lock file of a run", True),
    EvidenceName("*.jsonl.upload.tmp", "temporary upload of a rollouts file", True),
    EvidenceName("quality_summary.json", "health summary of a run", True),
    EvidenceName("rollout_verdicts.jsonl", "health verdicts of a run", True),
    EvidenceName("batch_status.json", "status of a batch", True),
    EvidenceName("batch_manifest.json", "manifest of a batch", True),
    EvidenceName("*.capture.jsonl", "captured model calls of a rollout", True),
    EvidenceName("*.capture.incomplete", "mark of an incomplete call capture", True),
    EvidenceName("*.tokens.jsonl", "captured tokens of a rollout", True),
    EvidenceName("*.tokens.state.json", "state of a token capture", True),
    EvidenceName("*.tokens.incomplete", "mark of an incomplete token capture", True),
    EvidenceName("*.tokens.intents", "announced token captures", True),
    EvidenceName("*.tokens.lock", "lock file of a token capture", True),
    EvidenceName("*-wal", "write-ahead log of a database", True),
    EvidenceName("*-shm", "shared memory of a database", True),
    EvidenceName("*-journal", "journal of a database", True),
    EvidenceName("expect.json", "expectations of a fixture", True),
    EvidenceName("result.json", "how a runner's session ended"),
    EvidenceName("requests.jsonl", "captured model requests"),
    EvidenceName("prompt.txt", "the prompt of a session"),
    EvidenceName("script.json", "script of a recorded model server"),
    EvidenceName("*status.json", "exit status of a recorded run"),
    EvidenceName("http.jsonl", "HTTP calls of a recorded run"),
    EvidenceName("rpc-sent.jsonl", "commands sent to a recorded run"),
    EvidenceName("metadata.json", "metadata of an evaluation"),
    EvidenceName("sessions.json", "index of sessions"),
    EvidenceName("session-list.json", "list of sessions"),
    EvidenceName("models.json", "model configuration"),
    EvidenceName("settings.json", "settings"),
    EvidenceName("opencode.json", "configuration of OpenCode"),
    EvidenceName("opencode.jsonc", "configuration of OpenCode"),
    EvidenceName("auth.json", "credentials, not opened", True),
    EvidenceName("package.json", "package file"),
    EvidenceName("package-lock.json", "package file"),
    EvidenceName("bun.lock", "package file"),
    EvidenceName("tsconfig.json", "package file"),
    EvidenceName("*stderr.txt", "standard error of a run"),
    EvidenceName("*stderr.log", "standard error of a run"),
    EvidenceName("*stdout.txt", "standard output of a run"),
    EvidenceName("*stdout.jsonl", "standard output of a run"),
    EvidenceName("*.mjs", "program text"),
    EvidenceName("*.js", "program text"),
    EvidenceName("*.ts", "program text"),
    EvidenceName("*.py", "program text"),
    EvidenceName("*.log", "log of a program"),
)


def recognise(name: str) -> EvidenceName | None:
    """The row that names this file, or None."""
    return next((row for row in TABLE if row.names(name)), None)
