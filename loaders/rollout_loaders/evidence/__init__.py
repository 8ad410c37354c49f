"""Facts and rules: why a rollout was scored as it was."""
