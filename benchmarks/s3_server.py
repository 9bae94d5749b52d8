"""Where is S3 on this machine? moto's server, in a process of its own, for as long as a measurement needs it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

BUCKET = "eligo-benchmarks"
KEY = "eligo-benchmarks-key"
"""Of a server that asks nobody who he is."""
LONGEST_START_S = 60.0


class S3(NamedTuple):
    """A server, and how it is reached."""

    endpoint: str

    @property
    def top(self) -> str:
        """The address of its only bucket."""
        return f"s3://{BUCKET}"

    @property
    def environment(self) -> dict[str, str]:
        """With which other processes find it."""
        names = ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION")
        return dict(zip(names, (self.endpoint, KEY, KEY, "us-east-1"), strict=True))

    @property
    def options(self) -> dict[str, str]:
        """The same for this process."""
        return {"endpoint": self.endpoint, "access_key_id": KEY, "secret_access_key": KEY}


@contextmanager
def s3_served() -> Iterator[S3]:
    """A server with an empty bucket."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    server = S3(f"http://127.0.0.1:{port}")
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _make_bucket(server, process)
        yield server
    finally:
        process.terminate()
        process.wait(timeout=60)


def _make_bucket(server: S3, process: subprocess.Popen[bytes]) -> None:
    request = urllib.request.Request(f"{server.endpoint}/{BUCKET}", method="PUT")
    end = time.monotonic() + LONGEST_START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(request).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("moto's server does not answer")
