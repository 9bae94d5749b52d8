"""How is a server put under load from other processes? By wrk, which walks through requests, and by writers."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.service_process import MERGE

SCRIPT = """
local requests, at = {}, 0
function init(args)
  wrk.headers["content-type"] = "application/json"
  for line in io.lines(args[1]) do
    local path, body = line:match("^([^\\t]*)\\t(.*)$")
    requests[#requests + 1] = wrk.format(args[2], path, nil, body)
  end
  at = tonumber(args[3])
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('RESULT {"requests": %d, "microseconds": %d, "failed": %d, "p50": %f, "p99": %f}\\n',
    summary.requests, summary.duration, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
"""
"""Each line of a file is a path and a body; the run begins at one of them and goes on in their order."""


IDLE_SHARE = 0.1
"""Of a second: a server that computes less has nothing to do."""


class Load(NamedTuple):
    """What came of a run of wrk."""

    requests_a_second: float
    p50_ms: float
    p99_ms: float
    num_failed: int
    num_requests: int


class Server:
    """A server in a process of its own."""

    def __init__(self, port: int, process: int) -> None:
        self.port = port
        self.process = process

    def ask(self, method: str, path: str, body: bytes, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, body, headers or {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def resident_bytes(self) -> int:
        """The memory that it has now."""
        for line in Path(f"/proc/{self.process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise OSError("there is no such process")

    def merge(self) -> None:
        """Have it merge what was put so far, in the background."""
        os.kill(self.process, MERGE)

    def settle(self, seconds: float) -> None:
        """Wait until it has nothing to do, such as merging what was put, but at most so long."""
        end = time.perf_counter() + seconds
        before = self._computed()
        while time.perf_counter() < end:
            time.sleep(1)
            now = self._computed()
            if now - before < IDLE_SHARE:
                return
            before = now

    def _computed(self) -> float:
        """Seconds of computing so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(directory: Path) -> Iterator[Server]:
    """A server of a directory, for as long as it is needed."""
    command = [sys.executable, "-m", "benchmarks.service_process", str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            yield Server(told["port"], told["process"])
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


def write_requests(path: Path, requests: Sequence[tuple[str, bytes]]) -> None:
    """Requests as wrk takes them up."""
    path.write_bytes(b"".join(b"%b\t%b\n" % (where.encode(), body) for where, body in requests))


def run_wrk(
    server: Server, requests: Path, *, method: str = "POST", seconds: float, connections: int, first: int = 0
) -> Load:
    """Ask for so long over so many connections, beginning with one of the requests."""
    script = requests.with_suffix(".lua")
    script.write_text(SCRIPT)
    command = ["wrk", "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "--timeout", "30s", "-s", str(script)]
    command += [f"http://127.0.0.1:{server.port}", "--", str(requests), method, str(first)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = json.loads(next(line for line in told.splitlines() if line.startswith("RESULT")).removeprefix("RESULT "))
    rate = found["requests"] / found["microseconds"] * 1e6
    return Load(rate, found["p50"] / 1e3, found["p99"] / 1e3, found["failed"], found["requests"])


class Paced:
    """Something that is done so many times a second by a thread, until it is stopped."""

    def __init__(self, times_a_second: float, do: Callable[[int], None]) -> None:
        self._pause = 1 / times_a_second
        self._do = do
        self._is_over = threading.Event()
        self.num_done = 0
        self.errors: list[str] = []
        self.seconds: list[float] = []
        """What each took."""
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Paced:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        began = time.perf_counter()
        while not self._is_over.is_set():
            started = time.perf_counter()
            try:
                self._do(self.num_done)
            except Exception as error:
                self.errors.append(f"{type(error).__name__}: {error}"[:300])
            self.seconds.append(time.perf_counter() - started)
            self.num_done += 1
            behind = began + self.num_done * self._pause - time.perf_counter()
            if behind > 0:
                self._is_over.wait(behind)


class Connection:
    """A connection that stays open; an answer that is not of the expected kind is an error."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        weakref.finalize(self, self._connection.close)

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
        self._connection.request(method, path, body, {"content-type": kind})
        answer = self._connection.getresponse()
        given = answer.read()
        if answer.status >= 300:
            raise OSError(f"{method} {path}: {answer.status} {given[:200]!r}")
        return given


def fsyncs_a_second(directory: Path, seconds: float) -> float:
    """How often a second the disk takes a small write for good."""
    path = directory / "fsyncs"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        number, started = 0, time.perf_counter()
        while (passed := time.perf_counter() - started) < seconds:
            os.write(file, b"x" * 256)
            os.fsync(file)
            number += 1
        return number / passed
    finally:
        os.close(file)
        path.unlink()


def told(figures: dict[str, Any]) -> dict[str, Any]:
    """Figures with as many digits as they deserve."""
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in figures.items()}
