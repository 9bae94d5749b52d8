"""Is an event lost or matched twice when a stream is killed? Killed inside the commits of its micro-batches.

Each run of the stream is a process of its own, which is killed with its JVM at some call to the operating system after
it has staged the matches of a micro-batch, and then started again. At the end every event is matched, or rejected,
once.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pyarrow.dataset as ds

import eligo
from benchmarks.siege.tally import Tally

NUM_FILES, EVENTS_OF_FILE = 30, 20
MOST_CALLS = 14
"""A commit has about so many calls."""
PATIENCE = 300
ENDED = (0, 1)
"""How a stream ends; with 1 where it met a line that cannot be read."""

RUN = """
import os, sys
from importlib import import_module
from benchmarks.siege.kill_points import arm
step, batches, arguments = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
stream = import_module("eligo.spark.matching.stream")
stage, num_staged = stream._stage, 0

def staged(*given):
    global num_staged
    found = stage(*given)
    if step >= 0 and num_staged == batches:
        arm(step)
    num_staged += 1
    return found

stream._stage = staged
sys.argv = ["eligo", "stream", *arguments]
from eligo.cli.main import run
run()
"""


def kill_streams(seed: int, num_kills: int) -> Tally:
    """Kill a stream so many times, let it come to its end, and count its events."""
    tally = Tally()
    rng = random.Random(f"streams {seed}")
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        eligo.build({"even": "parity = 0", "all": "n exists"}).save(home / "x.index")
        num_events = _write_events(home / "incoming")
        while tally.num_tried < num_kills:
            ended = _run(home, step=rng.randrange(MOST_CALLS), batches=rng.randrange(2))
            if ended == -signal.SIGKILL:
                tally.tried()
                tally.counts["streams killed inside a commit"] += 1
            elif ended in ENDED:
                tally.counts["streams that came to their end before they were killed"] += 1
                num_events += _write_events(home / "incoming", first=num_events)
            else:
                tally.tried()
                tally.fail(f"a stream ended with {ended}")
                break
        if (ended := _run(home, step=-1, batches=0)) not in ENDED:
            tally.fail(f"the last run of the stream ended with {ended}")
        _judge(home, num_events, tally)
    return tally


def _write_events(incoming: Path, first: int = 0) -> int:
    incoming.mkdir(exist_ok=True)
    for file in range(NUM_FILES):
        numbers = range(first + file * EVENTS_OF_FILE, first + (file + 1) * EVENTS_OF_FILE)
        lines = [json.dumps({"event_id": n, "n": n, "parity": n % 2}) for n in numbers]
        text = "".join(f"{line}\n" for line in [*lines, f"not JSON {numbers[0]}"])
        (incoming / f"{numbers[0]:08}.jsonl").write_text(text)
    return NUM_FILES * EVENTS_OF_FILE


def _run(home: Path, *, step: int, batches: int) -> int:
    arguments = [home / "x.index", home / "incoming", "--out", home / "out", "--checkpoint", home / "checkpoint"]
    command = [sys.executable, "-c", RUN, step, batches, *arguments, "--once", "--files-per-batch", 3]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [str(part) for part in command],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return 2
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # its JVM goes with it
        process.wait()


def _judge(home: Path, num_events: int, tally: Tally) -> None:
    found = ds.dataset(home / "out", format="parquet", partitioning="hive", ignore_prefixes=["_", "."]).to_table()
    pairs = Counter(zip(found["event_id"].to_pylist(), found["expression_id"].to_pylist(), strict=True))
    wanted = {(str(n), id) for n in range(num_events) for id in ("all", "even") if id == "all" or n % 2 == 0}
    got = {(str(event), id) for event, id in pairs}
    tally.counts["events streamed"] += num_events
    for what, number in (
        ("matches lost", len(wanted - got)),
        ("matches too many", len(got - wanted)),
        ("matches twice", sum(count > 1 for count in pairs.values())),
    ):
        if number:
            tally.fail(f"stream: {number} {what}", number)
    rejected = ds.dataset(home / "out" / "_rejects", format="parquet", ignore_prefixes=["_", "."]).count_rows()
    if rejected != num_events // EVENTS_OF_FILE:
        tally.fail(f"stream: {rejected} rejects of {num_events // EVENTS_OF_FILE}")
