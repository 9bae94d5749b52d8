"""What does something cost in a process of its own? Cold builds and jobs, and memory of those with one index open."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import Any

from eligo.storage import verified_files, verified_marks

BUILD = """
import sys
import pyarrow.parquet as pq
import eligo
eligo.build(pq.read_table(sys.argv[1])).save(sys.argv[2])
"""

SPARK_BUILD = """
import sys
from eligo.spark import build, local_session, parquet_expressions
spark = local_session("eligo benchmarks", master=f"local[{sys.argv[3]}]", config={"spark.driver.memory": "2g"})
build(parquet_expressions(spark, sys.argv[1]), sys.argv[2])
"""

COMMAND = """
import sys
from eligo.cli.main import run
from eligo.spark.session import session
if sys.argv.pop(1) == "no-archive":
    session.archive_options = lambda java: []
sys.argv[0] = "eligo"
run()
"""
"""A command of `eligo`, whose Java loads Spark's classes from an archive if there is one, or never does."""

TWO_JOBS = """
import json, sys, time
from eligo.spark import local_session, match_to_parquet, parquet_events
index, first, second, out, cores = sys.argv[1:]
started = time.perf_counter()
spark = local_session("eligo benchmarks", master=f"local[{cores}]", config={"spark.driver.memory": "2g"})
seconds = {"session_s": time.perf_counter() - started}
for name, events in (("first_job_s", first), ("second_job_s", second)):
    started = time.perf_counter()
    match_to_parquet(parquet_events(spark, events), index, out, overwrite=True)
    seconds[name] = time.perf_counter() - started
print(json.dumps(seconds))
"""
"""Two jobs over other events, one after the other in one session."""

LAUNCH = """
import ctypes, json, os, resource, subprocess, sys, time
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
started = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
seconds = time.perf_counter() - started
if done.returncode:
    sys.exit(done.stderr.decode()[-2000:])
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"s": seconds, "processor_s": used.ru_utime + used.ru_stime}))
"""
"""Runs a command, and tells its time by the clock and that of all its processes: Linux gives it those that outlive
the command, Java and Spark's workers, and it waits for them."""

LONGEST_S = 600.0

OPEN = """
import json, sys, time

def memory():
    lines = open("/proc/self/smaps_rollup").read().splitlines()[1:]
    return {name: int(rest.split()[0]) * 1024 for name, _, rest in (line.partition(":") for line in lines)}

import eligo, pyarrow.parquet as pq
events = pq.read_table(sys.argv[2])
warm = eligo.build({1: "a = 1 and b < 5"})
warm.match_batch([{"a": 1, "b": 2}] * 64)
before = memory()
started = time.perf_counter()
index = eligo.open(sys.argv[1])
opened = time.perf_counter()
after_open = memory()
num_matches = len(index.match_batch(events).positions)
matched = time.perf_counter()
seconds = {"open_s": opened - started, "first_match_s": matched - opened}
print(json.dumps({**seconds, "num_matches": num_matches}), flush=True)
for _ in sys.stdin:
    print(json.dumps({"before": before, "after_open": after_open, "now": memory()}), flush=True)
"""
"""Opens an index, matches, and then says its memory for each line that comes."""


def cold_seconds(script: str, *arguments: str) -> float:
    """How long a script takes in a new process, from the start of Python to its end."""
    started = perf_counter()
    subprocess.run([sys.executable, "-c", script, *arguments], check=True, capture_output=True)
    return perf_counter() - started


def cold_command(*arguments: str, with_archive: bool) -> dict[str, float]:
    """What a command of `eligo` takes in a new process: seconds by the clock, and of the processor in all processes."""
    archive = "archive" if with_archive else "no-archive"
    command = [sys.executable, "-c", LAUNCH, sys.executable, "-c", COMMAND, archive, *arguments]
    found: dict[str, float] = json.loads(_said(command))
    return found


def two_jobs(index: str, first: str, second: str, out: str, cores: int) -> dict[str, float]:
    """What the first and the second job of a new session take."""
    found: dict[str, float] = json.loads(_said([sys.executable, "-c", TWO_JOBS, index, first, second, out, str(cores)]))
    return found


def _said(command: list[str]) -> str:
    """The last line that a process prints; what it complains of where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S)
    if done.returncode:
        raise RuntimeError(f"a process has ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout.splitlines()[-1]


def open_in_processes(index: str, events: str, num_processes: int = 2) -> list[dict[str, Any]]:
    """Open an index in one process after the other, and say the memory of each while all have it open.

    The first reads all files to compare checksums and leaves marks, which the others find, as Spark's driver and
    workers do; each run has marks of its own.
    """
    with ExitStack() as stack:
        marks = stack.enter_context(TemporaryDirectory())
        environment = {**os.environ, verified_marks.VARIABLE: os.path.join(marks, "verified")}
        sleep(verified_files.SETTLED_NS / 1e9)  # a file that was written just now is read by every process
        running, reports = [], []
        for _ in range(num_processes):
            command = [sys.executable, "-c", OPEN, index, events]
            process = stack.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
            )
            running.append(process)
            reports.append(_line(process))
        for process, report in zip(running, reports, strict=True):
            assert process.stdin is not None
            process.stdin.write("memory\n")
            process.stdin.flush()
            report["bytes"] = {when: _chosen(found) for when, found in _line(process).items()}
        for process in running:
            process.communicate()
    return reports


def _line(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("a process that should open an index has ended; what it printed on stderr says why")
    found: dict[str, Any] = json.loads(line)
    return found


def _chosen(memory: dict[str, int]) -> dict[str, int]:
    """The figures of /proc/…/smaps_rollup that say whether pages are shared."""
    private = memory["Private_Clean"] + memory["Private_Dirty"]
    return {"rss": memory["Rss"], "pss": memory["Pss"], "shared_clean": memory["Shared_Clean"], "private": private}
