"""Under how many lists would the ranges of an axis be registered? Counted for both forms, without registering any."""

from __future__ import annotations

import numpy as np

from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Float64s, Int64s, UInt32s
from eligo.ranges.kernels.segment_tree_walks import cover


@hot_loop
def count_lists(
    range_axis: UInt32s, range_low: UInt32s, range_high: UInt32s, uses: Int64s, sizes: Int64s, in_tree: Float64s,
    alone: Float64s,
) -> None:  # fmt: skip
    """Add up for each axis how often its ranges are registered, each as often as it is used.

    `sizes` are those of segment trees. Sums are floats: those of cells may be larger than 64 bits can say.
    """
    for place in range(len(range_axis)):
        axis = range_axis[place]
        low, high = range_low[place], range_high[place]
        nodes = 0
        for _ in cover(low, high, sizes[axis], 0):
            nodes += 1
        in_tree[axis] += np.float64(nodes) * np.float64(uses[place])
        alone[axis] += (np.float64(high) - np.float64(low) + 1.0) * np.float64(uses[place])
