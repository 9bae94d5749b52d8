"""How is a cluster tried on one machine? A standalone master and two workers, each a process of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark

from eligo.spark.session.java import ensure_java

MATCH = """
import json, os, sys
from eligo.spark import local_session, match, parquet_events
master, events, index, out = sys.argv[1:]
config = {"spark.driver.host": "127.0.0.1", "spark.executor.memory": "512m", "spark.cores.max": "2",
          "spark.executor.cores": "1", "spark.ui.enabled": "false", "spark.driver.memory": "1g"}
spark = local_session("eligo cluster", master=master, config=config)
match(parquet_events(spark, f"file://{events}"), f"file://{index}").write.parquet(out)
def where(batches):
    import os, pyarrow as pa, time
    for batch in batches:
        time.sleep(0.5)
        yield pa.record_batch([pa.array([os.getppid()])], names=["pid"])
processes = {row[0] for row in spark.range(0, 8, 1, 8).mapInArrow(where, "pid long").collect()}
executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
print(json.dumps({"executors": executors, "processes": sorted(processes)}))
spark.stop()
"""
"""Matches on the cluster, and says how many executors there were and in which processes tasks ran."""


def match_on_cluster(events: str, index: str, out: str, directory: Path) -> dict[str, Any]:
    """Match events in Parquet on a cluster of two workers; what the workers write and log is in `directory`."""
    with two_workers(directory) as master:
        ended = subprocess.run(
            [sys.executable, "-c", MATCH, master, events, index, out], capture_output=True, text=True
        )
    if ended.returncode:
        raise RuntimeError(f"the match on the cluster failed:\n{ended.stderr[-3000:]}")
    said: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return said


@contextmanager
def two_workers(directory: Path) -> Iterator[str]:
    """A standalone master and two workers, each a process of its own."""
    port = _free_port()
    master = f"spark://127.0.0.1:{port}"
    spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = {
        **os.environ,
        "JAVA_HOME": str(ensure_java()),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_DAEMON_MEMORY": "256m",
    }
    package = "org.apache.spark.deploy"
    commands = [[f"{package}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]]
    for number in range(2):
        work = ["--cores", "1", "--memory", "1g", "--work-dir", str(directory / f"worker{number}"), "--webui-port", "0"]
        commands.append([f"{package}.worker.Worker", "--host", "127.0.0.1", *work, master])
    processes = []
    try:
        for command in commands:
            log = (directory / f"{len(processes)}.log").open("wb")
            processes.append(subprocess.Popen([str(spark_class), *command], env=environment, stdout=log, stderr=log))
            log.close()
            if len(processes) == 1:
                _wait_for(port)
        yield master
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(timeout=60)


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
