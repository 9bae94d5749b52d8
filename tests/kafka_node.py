"""What is there to test with Kafka? One node, broker and controller at once, from a directory of jars."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS_TO_START = 600
SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{broker}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs={data}
num.partitions=3
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
"""


@contextmanager
def kafka_node(jars: Path, java: str, directory: Path) -> Iterator[str]:
    """A node that lives in a directory; its address."""
    broker, controller = _free_port(), _free_port()
    settings = directory / "node.properties"
    settings.write_text(SETTINGS.format(broker=broker, controller=controller, data=directory / "data"))
    run = [java, "-Xmx512m", "-cp", f"{jars}/*"]
    cluster = "AAAAAAAAAAAAAAAAAAAAAA"
    format = ["kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings)]
    subprocess.run([*run, *format], check=True, capture_output=True)
    with (directory / "node.log").open("wb") as log:
        node = subprocess.Popen([*run, "kafka.Kafka", str(settings)], stdout=log, stderr=log)
    try:
        _wait_for(broker, node)
        yield f"127.0.0.1:{broker}"
    finally:
        node.kill()
        node.wait()


def _free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


def _wait_for(port: int, node: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end and node.poll() is None:
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise RuntimeError(f"Kafka did not start; it ended with {node.poll()}")
