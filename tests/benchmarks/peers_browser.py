"""`inspect view` in headless Chromium over one log of all rollouts; the same measurements as far as it has them."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page
from tests.benchmarks.peers_input import mark
from tests.benchmarks.peers_terminal import resident, tree
from tests.widgets.jupyterlab import browser_page, free_port

_TIMEOUT = 60_000
"""Milliseconds."""
_SETTLED = 1.5


def inspect_view(venv: Path, folder: Path, number: int) -> Iterator[tuple[str, float]]:
    """What was measured and seconds (megabytes of `resident …`)."""
    port = free_port()
    started = time.perf_counter()
    command = [str(venv / "bin/inspect"), "view", "start", "--log-dir", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _answers(f"http://127.0.0.1:{port}/")
            yield "server answers", time.perf_counter() - started
            with TemporaryDirectory() as profile, browser_page(Path(profile)) as page:
                yield from _in_browser(page, f"http://127.0.0.1:{port}/", number)
                pages = [each for each in tree(os.getpid()) if b"--type=renderer" in _command(each)]
                yield "resident, server", resident(tree(server.pid))
                yield "resident, renderer", resident(pages)
        finally:
            server.terminate()


def _in_browser(page: Page, url: str, number: int) -> Iterator[tuple[str, float]]:
    yield "list of logs, server up", _until(page, "bench", lambda: page.goto(url))
    yield "list usable", _until(page, "sample0000", page.get_by_text("bench").first.click)
    samples = f"{page.url}/samples/sample"

    def opened(sample: int) -> float:
        act = f"location = '{samples}/sample{sample:04}/1/'"
        return _until(page, mark(sample, 0), lambda: page.evaluate(act))

    yield "first rollout", opened(0)
    yield "next rollout", _until(page, mark(1, 0), lambda: page.get_by_label("Next sample").click())
    yield "middle rollout", opened(number // 2)
    yield "last rollout", opened(number - 1)


def _until(page: Page, text: str, act: Callable[[], object]) -> float:
    time.sleep(_SETTLED)
    started = time.perf_counter()
    act()
    page.get_by_text(text).first.wait_for(timeout=_TIMEOUT)
    return time.perf_counter() - started


def _answers(url: str) -> None:
    while True:
        try:
            urllib.request.urlopen(url).close()
        except urllib.error.URLError:
            time.sleep(0.02)
        else:
            return


def _command(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()
