"""A real JupyterLab on 127.0.0.1, and headless Chromium in front of it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from tests.paths import REPO

from rollout_loaders.fast_dataclass import dataclass

CHROMIUM = shutil.which("chromium") or ("/usr/bin/chromium" if Path("/usr/bin/chromium").exists() else None)
FLAGS = (
    "--no-sandbox",
    "--headless=new",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
)
STARTING = 60.0
"""Seconds."""


@dataclass(frozen=True)
class Lab:
    """A running server and the folder it serves."""

    url: str
    folder: Path
    environment: dict[str, str]

    def trust(self, name: str) -> None:
        """Sign a notebook, as its own author's outputs are."""
        subprocess.run(
            [sys.executable, "-m", "jupyter", "trust", name],
            cwd=self.folder,
            env=self.environment,
            check=True,
            capture_output=True,
        )

    def write(self, name: str, *sources: str) -> Path:
        """Write a notebook of code cells into the folder."""
        path = self.folder / name
        path.write_text(notebook_text(*sources), encoding="utf-8")
        return path


def notebook_text(*sources: str) -> str:
    """A notebook of code cells that were not run yet."""
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(sources)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1)


@contextmanager
def running_lab(folder: Path, home: Path) -> Generator[Lab, None, None]:
    """A server without token on a free port, its settings and its trust database in `home`."""
    environment = {
        **os.environ,
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "PYTHONPATH": str(REPO),
    }
    port = free_port()
    options = [
        "--no-browser",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
        "--ServerApp.disable_check_xsrf=True",
        "--ServerApp.allow_root=True",
    ]
    _ask_nothing(home / "settings")
    command = [sys.executable, "-m", "jupyterlab", *options]
    with running_server(command, f"http://127.0.0.1:{port}/api/status", home / "lab.log", folder, environment):
        yield Lab(f"http://127.0.0.1:{port}", folder, environment)


@contextmanager
def running_server(
    command: Sequence[str], url: str, log: Path, folder: Path, environment: Mapping[str, str] | None = None
) -> Generator[None]:
    """A server that answers at `url`, stopped at the end; what it prints goes to `log`."""
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
        try:
            wait_for(url, server, log)
            yield
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


@contextmanager
def browser_page(profile: Path) -> Generator[Page, None, None]:
    """One page of a Chromium with a profile of its own, wide enough for a review."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(profile),
            executable_path=CHROMIUM,
            args=list(FLAGS),
            viewport={"width": 1280, "height": 1000},
        )
        try:
            yield context.pages[0] if context.pages else context.new_page()
        finally:
            context.close()


def _ask_nothing(settings: Path) -> None:
    """No question about news, no look for updates."""
    folder = settings / "@jupyterlab" / "apputils-extension"
    folder.mkdir(parents=True)
    text = '{"fetchNews": "false", "checkForUpdates": false}'
    (folder / "notification.jupyterlab-settings").write_text(text, encoding="utf-8")


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a server answers; what it wrote into `log` is the error."""
    deadline = time.monotonic() + STARTING
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab ended: {log.read_text(errors='replace')[-2000:]}")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError(f"JupyterLab did not answer in {STARTING:.0f} s: {log.read_text(errors='replace')[-2000:]}")
