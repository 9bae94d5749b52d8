"""Where can an index be in tests? In a directory, in S3 as moto serves it, and, at length, in another S3 and in HDFS.

The other S3 is versitygw, a program in Go that serves a directory. It is used where it is found: on the path, or where
the environment variable `ELIGO_VERSITYGW` says (`go install github.com/versity/versitygw/cmd/versitygw@latest`).
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUCKET = "eligo-tests"
SECOND_BUCKET = "eligo-second"
"""Of the other S3: a process knows a bucket by its name alone."""
ELSEWHERE = "eligo-elsewhere"
"""Of a server that no environment leads to."""
VERSITYGW = "ELIGO_VERSITYGW"
KEY = "eligo-test-key"
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
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
    }


class S3Server:
    """A process that serves S3 on the loopback interface, and logs every request."""

    def __init__(self, endpoint: str, log: Path, bucket: str = BUCKET) -> None:
        self.endpoint, self.log, self.bucket = endpoint, log, bucket

    def new_home(self) -> str:
        """An address below which there is nothing."""
        return f"s3://{self.bucket}/{secrets.token_hex(8)}/ads.index"

    def requests(self, method: str, pattern: str) -> int:
        """How many requests of a method there were so far for keys that a pattern is found in."""
        lines = _COLOUR.sub("", self.log.read_text(encoding="utf-8", errors="replace"))
        found = re.findall(rf'"{method} (\S+) HTTP', lines)
        return sum(re.search(pattern, key) is not None for key in found)


@contextmanager
def s3_server(endpoint: str, directory: Path, bucket: str = BUCKET) -> Iterator[S3Server]:
    """A server for a while."""
    log = directory / "s3.log"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", endpoint.rpartition(":")[2]]
    with log.open("wb") as lines:
        process = subprocess.Popen(command, stdout=lines, stderr=lines, env=_without_own(os.environ))
    try:
        server = S3Server(endpoint, log, bucket)
        _await(lambda: _make_bucket(server), server, process)
        yield server
    finally:
        process.terminate()
        process.wait(timeout=60)


@contextmanager
def mounted_as_s3a(spark: SparkSession, bucket: str, folder: str, directory: Path) -> Iterator[None]:
    """A folder of a bucket that Spark reads as `s3a://`: Hadoop's own file system of mounts has a directory there."""
    settings = {
        "fs.s3a.impl": "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme",
        "fs.s3a.impl.disable.cache": "true",
        "fs.viewfs.overload.scheme.target.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
        f"fs.viewfs.mounttable.{bucket}.link./{folder}": directory.as_uri(),
    }
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name in settings:
            spark.conf.unset(name)


def versitygw() -> str | None:
    """The program, where there is one."""
    return shutil.which(os.environ.get(VERSITYGW) or "versitygw")


@contextmanager
def second_s3_server(directory: Path) -> Iterator[S3Server]:
    """The other S3 for a while; unlike moto's server, it compares signatures."""
    program, port = versitygw(), free_port()
    if program is None:
        raise FileNotFoundError(f"versitygw is not on the path, and {VERSITYGW} does not name it")
    (directory / "served" / SECOND_BUCKET).mkdir(parents=True)
    log = directory / "s3.log"
    command = [program, "--port", f"127.0.0.1:{port}", "--access", KEY, "--secret", SECRET, "posix"]
    with log.open("wb") as lines:
        process = subprocess.Popen(
            [*command, str(directory / "served")], stdout=lines, stderr=lines, env=_without_own(os.environ)
        )
    try:
        server = S3Server(f"http://127.0.0.1:{port}", log, SECOND_BUCKET)
        _await(lambda: _answers(server.endpoint), server, process)
        yield server
    finally:
        process.terminate()
        process.wait(timeout=60)


def _answers(endpoint: str) -> bool:
    try:
        urllib.request.urlopen(endpoint).close()
    except urllib.error.HTTPError:  # an unsigned question is refused by one who is there
        return True
    return True


def _without_own(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith("AWS_")}


def _make_bucket(server: S3Server) -> bool:
    urllib.request.urlopen(urllib.request.Request(f"{server.endpoint}/{server.bucket}", method="PUT")).close()
    return True


def _await(asked: Callable[[], bool], server: S3Server, process: subprocess.Popen[bytes]) -> None:
    """Ask until there is an answer."""
    for _ in range(1200):
        if process.poll() is not None:
            raise RuntimeError(f"the S3 server ended:\n{server.log.read_text()[-2000:]}")
        try:
            if asked():
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the S3 server does not answer")
