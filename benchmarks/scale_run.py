"""What does an index of so many expressions take? Built, asked and saved in a process of its own, which says so.

    python -m benchmarks.scale_run NUM_EXPRESSIONS NUM_EVENTS SEED DIRECTORY      prints one line of JSON

Memory is what the process takes beyond what it took after a first small build, which loads the compiled loops. Times of
events are processor time of the thread; no event is asked twice, and answers are compared with the oracle before.
"""

from __future__ import annotations

import json
import sys
from statistics import median
from time import perf_counter, process_time, thread_time
from typing import Any

import numpy as np
import pyarrow as pa

import eligo
from benchmarks.correctness import WrongAnswerError, event_dict
from benchmarks.resident import Resident, Watch
from benchmarks.scale_data import expression_files, expression_reader, fresh_events
from eligo.language.evaluate import matches as is_match

BATCH = 1_000
NUM_CHECKED, NUM_DRAWN = 4, 200


def main(num_expressions: int, num_events: int, seed: int, directory: str) -> dict[str, Any]:
    """Build, ask and save; what was found."""
    files = expression_files(num_expressions, seed)
    events = fresh_events(2 * num_events + NUM_CHECKED, seed)
    eligo.set_threads(1)
    warm_up(files, events)
    before = Resident.now()
    started, worked = perf_counter(), process_time()
    with Watch() as building:
        index = eligo.build(expression_reader(files))
    seconds, processor_seconds = perf_counter() - started, process_time() - worked
    built = Resident.now()
    compared = compare(index, events.slice(0, NUM_CHECKED), seed)
    one_by_one = ask_each(index, events.slice(NUM_CHECKED, num_events))
    in_batches, num_matches = ask_in_batches(index, events.slice(NUM_CHECKED + num_events))
    asked = Resident.now()
    started = perf_counter()
    with Watch() as saving:
        index.save(directory)
    return {
        "num_expressions": len(index),
        "num_shards": sum(len(part.shards) for part in index.parts),
        "build_s": seconds,
        "build_processor_s": processor_seconds,
        "peak_bytes": building.most.beyond(before),
        "built_bytes": built.beyond(before),
        "asked_bytes": asked.beyond(before),
        "save_s": perf_counter() - started,
        "saving_peak_bytes": saving.most.beyond(before),
        "index_bytes": stored_bytes(directory),
        "us_one_by_one": one_by_one,
        "us_in_batches": in_batches,
        "matches_per_event": num_matches,
        "compared_with_oracle": compared,
    }


def warm_up(files: list[Any], events: pa.Table) -> None:
    """Load the compiled loops."""
    first = expression_reader(files).read_next_batch().slice(0, 5_000)
    index = eligo.build(pa.Table.from_batches([first]))
    index.match_batch(events.slice(0, 64))
    index.match(event_dict(events.slice(0, 1).to_pylist()[0]))


def compare(index: eligo.Index, events: pa.Table, seed: int) -> int:
    """Compare answers with the oracle; says how many pairs."""
    rng = np.random.default_rng(seed)
    found = index.match_batch(events)
    pairs = 0
    for row, event in enumerate(map(event_dict, events.to_pylist())):
        returned = set(found.ids(row))
        if set(index.match(event)) != returned:
            raise WrongAnswerError(f"an event alone and in a batch has different matches: {event}")
        drawn = {
            *rng.integers(0, len(index), NUM_DRAWN).tolist(),
            *rng.permutation(sorted(returned))[:NUM_DRAWN].tolist(),
        }
        for id in drawn:
            if is_match(index.tree(id), event, index.missing) != (id in returned):
                raise WrongAnswerError(f"expression {id} is not answered as the oracle does: {event}")
        pairs += len(drawn)
    return pairs


def ask_each(index: eligo.Index, events: pa.Table) -> float:
    """Microseconds of an event that comes as a mapping: the median."""
    times = []
    for event in map(event_dict, events.to_pylist()):
        started = thread_time()
        index.match(event)
        times.append(thread_time() - started)
    return 1e6 * median(times)


def ask_in_batches(index: eligo.Index, events: pa.Table) -> tuple[float, float]:
    """Microseconds of an event of an Arrow batch, the median of batches; and matches an event."""
    times, num_matches = [], 0
    for first in range(0, events.num_rows, BATCH):
        batch = events.slice(first, BATCH)
        started = thread_time()
        num_matches += len(index.match_batch(batch).positions)
        times.append((thread_time() - started) / batch.num_rows)
    return 1e6 * median(times), num_matches / max(1, events.num_rows)


def stored_bytes(directory: str) -> int:
    """The bytes of all files that the manifest names."""
    from eligo.storage.manifest import read_manifest

    return read_manifest(directory).num_bytes


if __name__ == "__main__":
    print(json.dumps(main(*map(int, sys.argv[1:4]), sys.argv[4])))
