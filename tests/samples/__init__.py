"""Makes `sample_rollouts/` from recordings; run by hand: `python -m tests.samples RECORDINGS`."""
