"""How is a cluster tried on one machine? A standalone master and two workers, each a process of its own.

With `apart`, the workers share no disk with the driver or with each other, as machines would: each has a mount
namespace in which the driver's directory is an empty one of its own, and all else is read-only. That needs root, on
Linux.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark

from eligo.spark.session.java import ensure_java

OWN = "worker"
"""The directory of a worker that is apart, below the one that is the driver's elsewhere."""

START = """
from eligo.spark import local_session
config = {"spark.driver.host": "127.0.0.1", "spark.executor.memory": "512m", "spark.cores.max": "2",
          "spark.executor.cores": "1", "spark.ui.enabled": "false", "spark.driver.memory": "1g",
          "spark.shuffle.readHostLocalDisk": "false"}  # one host's executors would read each other's disks
def on_cluster(master):
    return local_session("eligo cluster", master=master, config=config)
def places(spark, directory):
    # Where tasks ran: the executors' processes, and what they see in a directory.
    def where(batches):
        import os, pyarrow as pa, time
        for batch in batches:
            time.sleep(0.5)
            seen = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
            yield pa.record_batch([pa.array([os.getppid()]), pa.array([seen])], names=["pid", "seen"])
    rows = spark.range(0, 8, 1, 8).mapInArrow(where, "pid long, seen array<string>").collect()
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
    seen = sorted({name for row in rows for name in row["seen"]})
    return {"executors": executors, "processes": sorted({row["pid"] for row in rows}), "seen": seen}
"""
"""With which a driver's script begins."""

MATCH = """
import json, sys
from eligo.spark import match, parquet_events
master, events, index, out, directory = sys.argv[1:]
spark = on_cluster(master)
match(parquet_events(spark, f"file://{events}"), f"file://{index}").write.parquet(out)
print(json.dumps(places(spark, directory)))
spark.stop()
"""
"""Matches on the cluster, and says how many executors there were and in which processes tasks ran."""


def match_on_cluster(events: str, index: str, out: str, directory: Path) -> dict[str, Any]:
    """Match events in Parquet on a cluster of two workers; what the workers write and log is in `directory`."""
    with two_workers(directory) as master:
        return drive(MATCH, master, events, index, out, str(directory))


def drive(
    script: str, master: str, *arguments: str, environment: Mapping[str, str] | None = None, cwd: Path | None = None
) -> dict[str, Any]:
    """Run a driver on a cluster, in a process of its own: what it prints last, as JSON."""
    command = [sys.executable, "-c", START + script, master, *arguments]
    variables = dict(os.environ if environment is None else environment)
    ended = subprocess.run(command, env=variables, cwd=cwd, capture_output=True, text=True)
    if ended.returncode:
        told = [line for line in ended.stderr.splitlines() if not line.startswith("\tat ")]
        raise RuntimeError("\n".join(["the driver on the cluster failed:", *told[-100:]]))
    said: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return said


def can_be_apart() -> bool:
    """Whether this process may make mount namespaces."""
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0


@contextmanager
def two_workers(
    directory: Path, *, apart: Path | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """A standalone master and two workers, which log to a directory; in place of `apart` each has one of its own."""
    port = _free_port()
    master = f"spark://127.0.0.1:{port}"
    spark_class = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    variables = {
        **(os.environ if environment is None else environment),
        "JAVA_HOME": str(ensure_java()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_DAEMON_MEMORY": "256m",
    }
    package = "org.apache.spark.deploy"
    main = [f"{package}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    commands = [[spark_class, *main]]
    for number in range(2):
        place = directory / f"worker{number}" if apart is None else apart / OWN
        work = ["--cores", "1", "--memory", "1g", "--work-dir", str(place), "--webui-port", "0"]
        command = [spark_class, f"{package}.worker.Worker", "--host", "127.0.0.1", *work, master]
        commands.append(command if apart is None else [*alone(apart), *command])
    processes = []
    try:
        for command in commands:
            log = (directory / f"{len(processes)}.log").open("wb")
            processes.append(subprocess.Popen(command, env=variables, cwd="/", stdout=log, stderr=log))
            log.close()
            if len(processes) == 1:
                _wait_for(port)
        yield master
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(timeout=60)


def alone(directory: Path) -> Sequence[str]:
    """What starts a process that can write to an empty directory of its own only, in the place of that one."""
    place, own = shlex.quote(str(directory)), shlex.quote(str(directory / OWN))
    script = (
        "mount --make-rprivate / && mount -o remount,bind,ro / && "
        f"mount -t tmpfs tmpfs {place} && mkdir -p {own}/tmp && "
        f"export HOME={own} TMPDIR={own}/tmp SPARK_LOCAL_DIRS={own}/tmp ELIGO_CACHE={own}/cache "
        f"ELIGO_VERIFIED={own}/verified JDK_JAVA_OPTIONS='-Djava.io.tmpdir={own}/tmp -XX:-UsePerfData' && exec \"$@\""
    )
    return ["unshare", "--mount", "sh", "-c", script, "sh"]


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError("the master does not answer")
