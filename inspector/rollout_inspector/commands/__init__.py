"""One module a command, each with a click command named `COMMAND`; `rollout_inspector.cli` finds them by name."""
