"""Is the answer right? Before anything is timed, an index is compared with the oracle on a sample.

For some events, expressions are drawn at random and from those that the index returned, so that both a match too many
and a match too few show up. All ways of asking are compared: one event, a batch, and counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.single_event import event_alone
from eligo import Index, parse
from eligo.language.evaluate import matches as is_match
from eligo.workloads.workload import Workload

NUM_EVENTS = 16
NUM_RANDOM = 300
NUM_RETURNED = 20
"""Expressions that are checked for each event, of those that the index returned for it."""


class WrongAnswerError(Exception):
    """An index and the oracle disagree, so nothing is measured."""


def event_dict(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the events' table without what the event does not have."""
    return {name: value for name, value in row.items() if value is not None}


def compared(events: pa.Table) -> pa.Table:
    """The events that are compared with the oracle: the last ones, so that all before them are asked by nobody."""
    return events.slice(max(0, events.num_rows - NUM_EVENTS))


def not_compared(events: pa.Table) -> pa.Table:
    """All others."""
    return events.slice(0, max(0, events.num_rows - NUM_EVENTS))


def check(index: Index, expressions: pa.Table, workload: Workload, seed: int) -> dict[str, int]:
    """Compare the index over some of the workload's expressions with the oracle; says how much was compared."""
    rng = np.random.default_rng([seed, 0xC0FFEE])
    sample = compared(workload.events)
    num_events = sample.num_rows
    events = [event_dict(row) for row in sample.to_pylist()]
    returned = _returned(index, sample, events)

    drawn = [rng.integers(0, expressions.num_rows, NUM_RANDOM)]
    drawn += [rng.permutation(positions)[:NUM_RETURNED] for positions in returned]
    chosen = np.unique(np.concatenate(drawn)).astype(np.int64)
    texts = expressions.column("expression").take(pa.array(chosen)).to_pylist()
    trees = [parse(text) for text in texts]
    num_matches = 0
    for event, positions in zip(events, returned, strict=True):
        for place, is_returned in enumerate(np.isin(chosen, positions).tolist()):
            if is_match(trees[place], event, index.missing) != is_returned:
                verb = "matches" if is_returned else "does not match"
                raise WrongAnswerError(
                    f"engine {index.engine_name!r} says that expression {chosen[place]} {verb}, the oracle disagrees\n"
                    f"expression: {texts[place]}\nevent: {event}"
                )
            num_matches += is_returned
    return {"pairs": num_events * len(trees), "matches_among_them": num_matches, "events": num_events}


def _returned(index: Index, sample: pa.Table, events: list[dict[str, Any]]) -> list[npt.NDArray[np.uint32]]:
    """The positions that the index returns for each event, after all ways of asking have agreed."""
    encoded = index.encode(sample)
    batch = index.engine.match_batch(encoded)
    offsets = batch.offsets.astype(np.int64)
    returned = []
    for row, event in enumerate(events):
        positions = batch.positions[offsets[row] : offsets[row + 1]]
        alone = index.engine.match(event_alone(encoded, row))
        _demand(np.array_equal(positions, alone), index, f"event {row} alone and in a batch differ")
        ids = index.ids_array().take(pa.array(positions)).to_pylist()
        _demand(index.match(event) == ids, index, f"event {row} as a dict and in a table differ")
        returned.append(positions)
    if hasattr(index, "count_batch"):
        expected = np.bincount(batch.positions, minlength=len(index))
        _demand(np.array_equal(index.count_batch(encoded), expected), index, "counts and matches differ")
    return returned


def _demand(holds: bool, index: Index, problem: str) -> None:
    if not holds:
        raise WrongAnswerError(f"engine {index.engine_name!r}: {problem}")
