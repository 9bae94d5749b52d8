"""Under which lists is each predicate registered? Under its keys, and the nodes that make up its ranges."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import ScoredPredicates
from eligo.engines.kernels.clauses import grown
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import UInt32s
from eligo.ranges.kernels.segment_tree_walks import cover, most_covering


class Registrations(NamedTuple):
    """What lists each predicate is registered under."""

    offsets: npt.NDArray[np.int64]
    """Predicate p has `keys[offsets[p]:offsets[p + 1]]`."""
    keys: npt.NDArray[np.uint32]
    """Keys of lists: those of the vocabulary, and from `axis_base[x]` on the nodes of axis x."""
    weights: npt.NDArray[np.float64]
    """For each of these keys: its weight in the expression."""


@kernel
def register(predicates: ScoredPredicates, axis_base: UInt32s, axis_size: UInt32s) -> Any:
    """The registrations of all predicates."""
    num_predicates = len(predicates.attribute_of_predicate)
    offsets = np.zeros(num_predicates + 1, np.int64)
    keys, weights = np.empty(1 << 10, np.uint32), np.empty(1 << 10, np.float64)
    count = 0
    for predicate in range(num_predicates):
        first, last = np.int64(predicates.key_offsets[predicate]), np.int64(predicates.key_offsets[predicate + 1])
        first_range = np.int64(predicates.range_offsets[predicate])
        last_range = np.int64(predicates.range_offsets[predicate + 1])
        needed = count + last - first
        for place in range(first_range, last_range):
            size = axis_size[predicates.range_axis[place]]
            needed += most_covering(predicates.range_low[place], predicates.range_high[place], size)
        keys, weights = grown(keys, needed), grown(weights, needed)
        for place in range(first, last):
            keys[count], weights[count] = predicates.keys[place], predicates.key_weights[place]
            count += 1
        for place in range(first_range, last_range):
            axis = predicates.range_axis[place]
            low, high = predicates.range_low[place], predicates.range_high[place]
            for key in cover(low, high, axis_size[axis], axis_base[axis]):
                keys[count], weights[count] = key, predicates.range_weights[place]
                count += 1
        offsets[predicate + 1] = count
    return offsets, keys[:count].copy(), weights[:count].copy()
