"""How is a service started a thousand times in minutes? A process that has loaded everything forks it.

attacker  ── "start 40123 data" ──▶ nursery ── fork ──▶ a service; the nursery tells its number
attacker  ── kill -9 number
attacker  ── "reap number" ──▶ nursery, which waits for its end

The nursery is started by a command and has no threads, so that what it forks is whole.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Self

CHECKPOINT_BYTES = 60_000
"""Checkpoints come early, so that kills meet them."""
SEGMENT_BYTES = 25_000
KEPT_DOCUMENTS = 200


class Nursery:
    """Starts services, each in a process of its own."""

    def __init__(self, errors: Path) -> None:
        environment = {**os.environ, "ELIGO_COMPILE": "now", "PYTHONWARNINGS": "ignore"}
        with open(errors, "ab") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.siege.services.nursery"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                env=environment,
                text=True,
            )
        self._ask("ready")

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the nursery has ended")
        return answer.strip()

    def start(self, directory: Path, port: int) -> int:
        """The number of the process of a new service."""
        return int(self._ask(f"start {port} {directory}"))

    def reap(self, process: int) -> int:
        """Wait for the end of a process; its status."""
        return int(self._ask(f"reap {process}"))

    def close(self) -> None:
        """Start no more."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def serve(directory: str, port: int) -> None:
    """Run a service until it is killed, with small files, so that much happens to them."""
    from eligo.service.delivery.deliverer import DeliveryOptions
    from eligo.service.http.server import run_service
    from eligo.service.http.settings import HttpSettings
    from eligo.service.service import Service, ServiceOptions
    from eligo.storage.log import log

    log.SEGMENT_BYTES = SEGMENT_BYTES
    options = ServiceOptions(checkpoint_bytes=CHECKPOINT_BYTES, keep_last=KEPT_DOCUMENTS)
    with Service.open(directory, options) as service:
        delivery = DeliveryOptions(allow_webhooks=("127.0.0.1",))
        run_service(service, "127.0.0.1", port, HttpSettings(), delivery, lambda address: None)


def warm() -> None:
    """Load and compile what a service needs, so that those who are forked have it."""
    import ssl

    import httptools  # noqa: F401
    import msgspec
    import uvicorn.protocols.http.httptools_impl  # noqa: F401
    import uvloop  # noqa: F401

    import eligo.service.http.server  # noqa: F401
    from eligo.service.http.app import create_app
    from eligo.service.records import Publish, PutExpression, PutSubscription
    from eligo.service.service import Service

    with tempfile.TemporaryDirectory() as directory:
        for _ in range(2):
            with Service.open(directory) as service:
                create_app(service).close()
                for number in range(5):
                    service.write(PutExpression(id=f"e{number}", expression=f"k = {number}"))
                service.write(PutSubscription(name="s", expression="k in (1, 2)"))
                from datetime import UTC, datetime

                for number in range(5):
                    service.write(Publish(document=msgspec.Raw(b'{"k": %d}' % number), time=datetime.now(UTC)))
                service.checkpoint()
    ssl.create_default_context()
    gc.collect()
    gc.freeze()  # a service looks through what it has itself, and not through what was loaded here


def main() -> None:
    """Do what lines of the input say."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warm()
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "ready":
            print("ready", file=answers, flush=True)
        elif word == "reap":
            _, status = os.waitpid(int(rest), 0)
            print(status, file=answers, flush=True)
        elif word == "start":
            port, _, directory = rest.partition(" ")
            child = os.fork()
            if child == 0:
                try:
                    os.close(answers.fileno())
                    sys.stdin.close()
                    serve(directory, int(port))
                    os._exit(0)
                except BaseException:
                    traceback.print_exc()
                    os._exit(1)
            print(child, file=answers, flush=True)


if __name__ == "__main__":
    main()
