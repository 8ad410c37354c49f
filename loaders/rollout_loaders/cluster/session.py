"""A connection to a Ray cluster, or a cluster of this machine's cores for as long as it is used; nothing is printed."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Any

from rollout_loaders.cores import usable_cores
from rollout_loaders.errors import RolloutError

LOCAL = "local"
SECONDS = 30.0
"""In which a cluster must answer."""
_TOKEN = "one that asks for a token needs RAY_AUTH_MODE=token"
_KNOCK_SECONDS = 5.0
_HINT = "pip install 'rollout-inspect[ray]'"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_HOST = re.compile(r"(?:ray://)?\[?(?P<host>[^/\[\]]+?)\]?:(?P<port>\d{1,5})")
_TRY = """
import sys
try:
    import ray
    ray.init(address=sys.argv[1], log_to_driver=False, logging_level="CRITICAL")
    ray.cluster_resources()
except BaseException as error:
    print(f"{type(error).__name__}: {error}")
    sys.exit(3)
"""
"""Run in a process of its own: where a cluster does not answer Ray writes to the terminal, waits long, or aborts."""
_KNOWN = (
    (
        r"No module named '(rollout_loaders|orjson|pyarrow)",
        "a worker lacks \\1",
        "install the same rollout-inspect[ray] on every node",
    ),
    (r"OutOfMemory", "a worker ran out of memory", "give its node more, or fewer tasks at a time"),
    (r"WorkerCrashed|NodeDied|worker.*died|LocalRayletDied", "a worker died, each time it was tried", ""),
)


class ClusterError(RolloutError):
    """Ray is not there, or what was asked of it cannot be had."""

    def __init__(self, address: str, reason: str, hint: str = "") -> None:
        super().__init__(f"--ray {address}: {reason}" + (f"; {hint}" if hint else ""))


@contextlib.contextmanager
def connected(address: str) -> Generator[Any]:
    """Ray, connected. A process that is connected already stays so. Raises `ClusterError`.

    Ray prints what becomes of its workers, so standard output and logs of this process lead nowhere meanwhile.
    """
    with _silent():
        ray = _imported(address)
        if ray.is_initialized():
            yield ray
            return
        with contextlib.ExitStack() as stack:
            if address == LOCAL:
                given = _local(stack.enter_context(_folder()))
            else:
                _try(address)
                given = {"address": address}
            stack.callback(ray.shutdown)
            warnings.simplefilter("ignore")  # Ray has put its own filter before that of `_silent`
            terminated = signal.getsignal(signal.SIGTERM)
            with translated(address):
                ray.init(**given, log_to_driver=False, logging_level=logging.CRITICAL)
            with contextlib.suppress(ValueError, TypeError):  # not in the main thread, or not set by Python
                signal.signal(signal.SIGTERM, terminated)
            if not ray.cluster_resources().get("CPU"):
                raise ClusterError(address, "the cluster has no CPU", "start a node that has one")
            yield ray


@contextlib.contextmanager
def translated(address: str) -> Generator[None]:
    """What Ray raises as one line."""
    try:
        yield
    except (RolloutError, MemoryError):
        raise
    except Exception as error:
        raise _translation(address, f"{type(error).__name__}: {error}") from error


def _translation(address: str, text: str) -> ClusterError:
    plain = _COLOURS.sub("", text)
    for pattern, reason, hint in _KNOWN:
        found = re.search(pattern, plain)
        if found is not None:
            return ClusterError(address, found.expand(reason), hint)
    return ClusterError(address, f"Ray failed ({' '.join(plain.split())[:300]})")


def _imported(address: str) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray: Any = importlib.import_module("ray")
        importlib.import_module("ray.data")
    except ImportError as error:
        raise ClusterError(address, f"needs Ray ({error})", _HINT) from error
    return ray


def _local(folder: str) -> dict[str, Any]:
    return {"address": LOCAL, "num_cpus": usable_cores(), "include_dashboard": False, "_temp_dir": folder}


@contextlib.contextmanager
def _folder() -> Generator[str]:
    """For logs and sockets; the path of a socket must stay below 107 bytes, of which Ray needs 70."""
    place = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(
        prefix="ray-", dir=place if len(place) < 24 else "/tmp", ignore_cleanup_errors=True
    ) as folder:
        yield folder


def _try(address: str) -> None:
    """Raises `ClusterError` where nothing answers there in time."""
    named = _HOST.fullmatch(address)
    if named is not None:
        try:
            socket.create_connection((named["host"], int(named["port"])), timeout=_KNOCK_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise ClusterError(address, f"no cluster answers there ({error})", "check the address") from error
    elif address != "auto":
        raise ClusterError(address, "is no address", "auto, local, HOST:PORT or ray://HOST:PORT")
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRY, address], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ClusterError(address, f"no cluster answers there in {SECONDS:.0f} s", "check the address") from error
    if done.returncode == 3:
        said = " ".join(_COLOURS.sub("", done.stdout).split())[:300]
        raise ClusterError(address, f"the cluster cannot be used ({said})", _TOKEN if named is not None else "")
    if done.returncode != 0:
        raise ClusterError(address, "the connection to the cluster breaks off", "check its version of Ray and its logs")


@contextlib.contextmanager
def _silent() -> Generator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
