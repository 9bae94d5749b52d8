"""Where can an index be in tests? In a directory, in S3 as moto serves it, and, at length, in HDFS."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

BUCKET = "eligo-tests"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SECRET = "planted-secret-1f6c2e9a"
"""The secret key of tests, which no message, plan, manifest or representation may show."""


def free_port() -> int:
    """One that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def s3_environment(port: int) -> dict[str, str]:
    """With which a process finds the server at a port."""
    return {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "eligo-test-key",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
    }


class S3Server:
    """A process that serves S3 on the loopback interface, and logs every request."""

    def __init__(self, endpoint: str, log: Path) -> None:
        self.endpoint, self.log = endpoint, log

    def new_home(self) -> str:
        """An address below which there is nothing."""
        return f"s3://{BUCKET}/{secrets.token_hex(8)}/ads.index"

    def requests(self, method: str, pattern: str) -> int:
        """How many requests of a method there were so far for keys that a pattern is found in."""
        lines = _COLOUR.sub("", self.log.read_text(encoding="utf-8", errors="replace"))
        found = re.findall(rf'"{method} (\S+) HTTP', lines)
        return sum(re.search(pattern, key) is not None for key in found)


@contextmanager
def s3_server(endpoint: str, directory: Path) -> Iterator[S3Server]:
    """A server for a while."""
    log = directory / "s3.log"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", endpoint.rpartition(":")[2]]
    with log.open("wb") as lines:
        process = subprocess.Popen(command, stdout=lines, stderr=lines, env=_without_own(os.environ))
    try:
        server = S3Server(endpoint, log)
        _make_bucket(server, process)
        yield server
    finally:
        process.terminate()
        process.wait(timeout=60)


def _without_own(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith("AWS_")}


def _make_bucket(server: S3Server, process: subprocess.Popen[bytes]) -> None:
    request = urllib.request.Request(f"{server.endpoint}/{BUCKET}", method="PUT")
    for _ in range(1200):
        if process.poll() is not None:
            raise RuntimeError(f"the S3 server ended:\n{server.log.read_text()[-2000:]}")
        try:
            urllib.request.urlopen(request).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the S3 server does not answer")
