"""What does an index hold in a process of its own? What became resident when it was built, or opened, and asked.

`python -m benchmarks.neighbours.eligo_memory build|open PLACE EVENTS SMALL` prints it as JSON. Everything is compiled
and loaded before, on a small index, so that only the index counts; its ids and texts are part of it.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import eligo
from benchmarks.neighbours.exchange import read_events
from benchmarks.neighbours.python_harness import resident_bytes
from eligo import Index

NUM_ASKED = 200
"""Events that are asked before memory is told, so that what is made at first use counts."""


def settled_bytes() -> int:
    """What is resident once all that is not needed is given back."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    return resident_bytes()


def ask(index: Index, events: Sequence[dict[str, Any]]) -> None:
    """Events one by one."""
    for event in events:
        index.match(event)


def made(how: str, place: str) -> Index:
    """An index from a table of expressions, or from where it was saved."""
    return eligo.build(pq.read_table(place)) if how == "build" else eligo.open(place)


def main(how: str, place: str, events: str, small: str) -> None:
    """Print what the index holds, and how long it took to make."""
    asked = read_events(Path(events))[:NUM_ASKED]
    warm = made(how, small)
    ask(warm, asked)
    del warm
    before, started = settled_bytes(), perf_counter()
    index = made(how, place)
    seconds = perf_counter() - started
    without_asking = settled_bytes() - before
    ask(index, asked)
    print(json.dumps({"bytes": settled_bytes() - before, "before_asking": without_asking, "s": seconds}))


def measured(how: str, place: Path, events: Path, small: Path) -> dict[str, Any]:
    """The same from a new process."""
    command = [sys.executable, "-m", "benchmarks.neighbours.eligo_memory", how, *map(str, (place, events, small))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
