"""Where does a Spark session come from when the caller has none?

From `local_session`: Spark in this process's own JVM, with no server, no system Java and nothing printed. Every other
function here takes the session it is given.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from eligo.index.memory import physical_memory
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.session.class_archive import archive_options
from eligo.spark.session.java import JavaRuntime, launcher_home, require_java

GIBIBYTE = 2**30
STOP_SECONDS = 10.0
"""How long Spark may take to stop, and then its Java to end."""
CORES_UNKNOWN = 8
"""Tasks at a time where the session does not say."""

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.ui.showConsoleProgress": "false",
}
"""For every master. Arrow batches of 65,536 rows pass 1.4 times as many rows a second as the default 10,000."""

LATE_OPTIMISING = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
"""Java optimises what has run ten times as often as it would by itself: in a local session it hands out work, and its
optimising compiler would take more of the cores than the rest of it. What runs for long is optimised as before."""


@checked_arguments
def local_session(
    app_name: str = "eligo", *, master: str = "local[*]", config: Mapping[str, str | int | float | bool] | None = None
) -> SparkSession:
    """The session that is active already, unchanged; else a new one, whose settings `config` adds to and overrides."""
    if existing := _running_session():
        return existing
    java = require_java()
    builder = SparkSession.builder.appName(app_name).master(master)
    for key, value in {**SETTINGS, **_settings_of(master, java), **(config or {})}.items():
        builder = builder.config(key, value)
    with _environment(_variables_of(master, java)):
        return builder.getOrCreate()


def _running_session() -> SparkSession | None:
    # A session is remembered even after its context was stopped, so the context is asked first.
    if not is_remote() and SparkContext._active_spark_context is None:
        return None
    return SparkSession.active()


def stop_quietly(seconds: float = STOP_SECONDS) -> None:
    """Stop the session of this process, if any, and its Java with it, without a word from either.

    For a process that is about to end, such as after Ctrl-C: what jobs still say on stderr goes nowhere.
    """
    context = SparkContext._active_spark_context
    if context is None:
        return
    gateway = SparkContext._gateway
    sys.stderr.flush()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    stopping = threading.Thread(target=_stop, args=(context,), daemon=True)
    stopping.start()
    stopping.join(seconds)
    java = getattr(gateway, "proc", None)
    if java is not None:
        with suppress(Exception):
            java.stdin.close()  # which it takes for the end of this process
            java.wait(seconds)
        java.kill()


def stop_and_wait() -> None:
    """Stop the session of this process, and wait for its Java to end by itself."""
    context, gateway = SparkContext._active_spark_context, SparkContext._gateway
    if context is None or gateway is None:
        return
    context.stop()
    gateway.shutdown()
    java = getattr(gateway, "proc", None)
    if java is not None:
        java.stdin.close()
        java.wait()


def _stop(context: SparkContext) -> None:
    with suppress(Exception):
        context.stop()


def parallelism(spark: SparkSession) -> int:
    """How many tasks the session can run at a time; a guess where it does not tell, as over Spark Connect."""
    if is_remote():
        return CORES_UNKNOWN
    return max(1, spark.sparkContext.defaultParallelism)


def has_local_files(spark: SparkSession) -> bool:
    """Whether paths without a scheme are of the machine's file system, and the driver is in this process."""
    if is_remote():
        return False
    default = spark.sparkContext._jsc.hadoopConfiguration().get("fs.defaultFS", "file:///")
    return str(default).startswith("file:")


def _settings_of(master: str, java: JavaRuntime) -> dict[str, str]:
    """Settings that suit one machine; a cluster has its own."""
    threads = local_threads(master)
    if threads is None:
        return {}
    configuration = Path(__file__).with_name("log4j2.properties").as_uri()
    java_options = [f"-Dlog4j2.configurationFile={configuration}", *LATE_OPTIMISING, *archive_options(java)]
    return {
        "spark.driver.memory": f"{driver_memory(physical_memory())}m",
        "spark.driver.extraJavaOptions": " ".join(_quoted(option) for option in java_options),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.python.daemon.module": "eligo.spark.session.worker_daemon",
        "spark.sql.shuffle.partitions": str(max(2, threads)),
        "spark.ui.enabled": "false",
    }


def _quoted(option: str) -> str:
    """An option of Java's as Spark's launcher takes it."""
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if any(character in option for character in " \"'\\") else option


def _variables_of(master: str, java: JavaRuntime) -> dict[str, str]:
    """What Spark reads from the environment only; what the user has set there stays."""
    # Without PYSPARK_PYTHON the workers would take the path's python3, which may lack Eligo.
    variables = {
        "JAVA_HOME": str(launcher_home(java)),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
    }
    if local_threads(master) is not None:
        variables["SPARK_LOCAL_IP"] = os.environ.get("SPARK_LOCAL_IP", "127.0.0.1")
    return variables


def local_threads(master: str) -> int | None:
    """The worker threads of a local master, `local`, `local[4]` or `local[*]`; None for any other."""
    found = re.fullmatch(r"local(?:\[\s*(\d+|\*)\s*(?:,\s*\d+\s*)?\])?", master)
    if found is None:
        return None
    threads = found.group(1) or "1"
    return usable_processors() if threads == "*" else int(threads)


def usable_processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def driver_memory(machine_bytes: int) -> int:
    """Mebibytes for the JVM: a quarter of the machine, 1 to 8 GiB; the Python workers need the rest."""
    return max(GIBIBYTE, min(machine_bytes // 4, 8 * GIBIBYTE)) // 2**20


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """These environment variables for a while; the user's own processes are not to inherit them."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
