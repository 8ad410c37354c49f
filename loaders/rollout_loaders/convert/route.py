"""Whether the think split is on for a session (CONTRACT 4.2)."""

from __future__ import annotations

from rollout_loaders.model import Route

from .stored import StoredSession

GYM_SERVER = "nemo"
DEPRECATED = "nemo_gym"


def providers(session: StoredSession) -> tuple[str, ...]:
    """Providers of the session's assistant messages, in order of appearance; the session's own model where none is."""
    seen = dict.fromkeys(
        message.provider for message in session.messages if message.role == "assistant" and message.provider
    )
    if seen:
        return tuple(seen)
    asked = dict.fromkeys(message.provider for message in session.messages if message.provider)
    if asked:
        return tuple(asked)
    return (session.provider,) if session.provider else ()


def detected(found: tuple[str, ...]) -> Route:
    """The gate that the providers of a root session call for."""
    others = f" (beside {', '.join(name for name in found if name != GYM_SERVER)})" if len(found) > 1 else ""
    if GYM_SERVER in found:
        return Route(
            True,
            False,
            f"provider nemo{others}: the current rule; a run before the split was scored on the whole text",
        )
    if DEPRECATED in found:
        return Route(False, False, f"provider nemo_gym{others}: a deprecated agent, whose text stays raw")
    if found:
        return Route(False, False, f"provider {', '.join(found)}: not known to be a Gym Model Server")
    return Route(False, False, "no provider is recorded")


def route_of(root: StoredSession, forced: bool | None) -> Route:
    """The detected gate, or the forced one with what was detected in its reason."""
    found = detected(providers(root))
    if forced is None:
        return found
    flag = "--gym-reasoning" if forced else "--no-gym-reasoning"
    return Route(
        forced, True, f"forced by {flag}; detected: {'on' if found.gym_reasoning else 'off'} ({found.because})"
    )
