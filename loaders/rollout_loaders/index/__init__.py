"""What a pass over a large file found, kept in the user's cache folder so that the next opening need not pass again.

Nothing is ever written beside a source. A cache that is missing, stale, torn or unwritable costs time, never a rollout.
`ROLLOUT_INSPECT_CACHE=off` switches it off.
"""
