"""How likely is a literal, and how many candidates would it bring? Estimates that choose what a tree is entered by.

With a sample of events, frequencies are counted in it. Without one, what expressions ask for often is taken to occur
often: an attribute by how many literals use it, a value by its share of its attribute's values.
"""

from __future__ import annotations

import numpy as np

from eligo.data.kernels.tables import Events, Literals
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Float64s, Int64s, Integer, UInt32s

RAREST = 1e-9
"""No literal is taken to be less likely: what a sample lacks may come all the same."""


@kernel
def count_sample(events: Events, key_share: Float64s, cell_share: Float64s, cell_base: Int64s) -> None:
    """Write how often each key, and each cell (cell c of axis x at `cell_base[x] + c`), occurs in the events."""
    num_events = max(1, len(events.key_offsets) - 1)
    for key in events.keys:
        key_share[key] += 1.0 / num_events
    for place in range(len(events.cells)):
        cell_share[np.int64(cell_base[events.cell_axes[place]]) + np.int64(events.cells[place])] += 1.0 / num_events


@kernel
def guess_shares(
    table: Literals, uses: Float64s, num_attributes: Integer, axis_attribute: UInt32s, key_share: Float64s,
    cell_share: Float64s, cell_base: Int64s,
) -> None:  # fmt: skip
    """Write shares guessed from the expressions; `uses` says how often each literal is used."""
    predicates = table.predicates
    attribute_uses = np.zeros(num_attributes)
    key_uses = np.zeros(len(key_share))
    value_uses = np.zeros(num_attributes)
    for literal in range(len(table.literal_predicate)):
        predicate = np.int64(table.literal_predicate[literal])
        attribute = predicates.attribute_of_predicate[predicate]
        attribute_uses[attribute] += uses[literal]
        for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + 1]):
            key_uses[predicates.keys[place]] += uses[literal]
            value_uses[attribute] += uses[literal]
    most = max(1.0, attribute_uses.max()) if num_attributes > 0 else 1.0
    for attribute in range(num_attributes):
        key_share[attribute] = max(0.02, attribute_uses[attribute] / most)
    for predicate in range(len(predicates.attribute_of_predicate)):
        attribute = predicates.attribute_of_predicate[predicate]
        for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + 1]):
            key = predicates.keys[place]
            if key >= num_attributes:
                # Half of the values that occur are taken to be ones that no expression names.
                key_share[key] = key_share[attribute] * 0.5 * key_uses[key] / max(1.0, value_uses[attribute])
    for axis in range(len(axis_attribute)):
        first, last = np.int64(cell_base[axis]), np.int64(cell_base[axis + 1])
        cell_share[first:last] = key_share[axis_attribute[axis]] / (last - first)


@kernel
def literal_estimates(
    table: Literals, key_share: Float64s, cells_below: Float64s, cell_base: Int64s, probability: Float64s,
    access_cost: Float64s,
) -> None:  # fmt: skip
    """Write for each literal how likely it holds, and for what share of events it would be a candidate.

    `cells_below[i]` is the sum of the shares of all cells before i.
    """
    predicates = table.predicates
    for literal in range(len(table.literal_predicate)):
        predicate = np.int64(table.literal_predicate[literal])
        present = min(1.0, key_share[predicates.attribute_of_predicate[predicate]])
        hit = 0.0
        for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + 1]):
            hit += key_share[predicates.keys[place]]
        for place in range(predicates.range_offsets[predicate], predicates.range_offsets[predicate + 1]):
            base = np.int64(cell_base[predicates.range_axis[place]])
            above = cells_below[base + np.int64(predicates.range_high[place]) + 1]
            hit += above - cells_below[base + np.int64(predicates.range_low[place])]
        candidates = hit
        hit = min(hit, present)
        holds = hit if table.literal_positive[literal] != 0 else present - hit
        if table.literal_positive[literal] == 0:
            candidates = present
        if table.literal_holds_when_missing[literal] != 0:
            holds += 1.0 - present
            candidates = 1.0
        probability[literal] = min(1.0, max(RAREST, holds))
        access_cost[literal] = max(RAREST, candidates)
