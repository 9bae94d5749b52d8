"""What is a workload? Expressions and events with the parameters that made them and a report on what came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


@dataclass(frozen=True)
class Workload:
    """Expressions and events, the same for the same generator version, parameters and seed."""

    name: str
    expressions: pa.Table
    """Columns `id` (int64) and `expression` (large_string)."""
    events: pa.Table
    """One column an attribute; null means that the event does not have it."""
    parameters: Mapping[str, Any]
    """Everything that `generate` was given, defaults included."""
    report: Mapping[str, Any]
    """What came out: sizes and sharing ratios, beside the paper's where it prints them."""


Generator = Callable[..., Workload]
"""A workload module's `generate(num_expressions, num_events, seed, **parameters)`."""


def random_streams(seed: int, number: int, block: int) -> list[np.random.Generator]:
    """Independent sources of random numbers: one for each purpose, and for each block of a workload made in blocks.

    Block 0 is what a workload made in one go is drawn from.
    """
    keys = [(purpose,) if block == 0 else (purpose, block) for purpose in range(number)]
    return [np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key)) for key in keys]


def expressions_table(texts: pa.Array | pa.ChunkedArray) -> pa.Table:
    """The table of expressions, with ids from 0 on."""
    return pa.table({"id": pa.array(np.arange(len(texts), dtype=np.int64)), "expression": texts})


def choose_attributes(
    rng: np.random.Generator, weights: npt.NDArray[np.float64], num_events: int, event_size: int
) -> npt.NDArray[np.bool_]:
    """Which attributes each event has: `event_size` of them, without repetition, in proportion to the weights.

    The largest of log(weight) + Gumbel noise are such a sample.
    """
    num_attributes = len(weights)
    present = np.zeros((num_events, num_attributes), np.bool_)
    size = min(event_size, num_attributes)
    if size == 0:
        return present
    for first in range(0, num_events, 1_000):
        rows = min(1_000, num_events - first)
        keys = np.log(weights) + rng.gumbel(size=(rows, num_attributes))
        chosen = np.argpartition(keys, num_attributes - size, axis=1)[:, num_attributes - size :]
        np.put_along_axis(present[first : first + rows], chosen, True, axis=1)
    return present
