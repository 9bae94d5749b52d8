"""What do encoded tables and batches say, read the slow and plain way?"""

from __future__ import annotations

from typing import Any

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.predicate_table import PredicateTable
from eligo.kernels import codes
from eligo.kernels.score_units import hit_units


def event_keys(batch: EventBatch, event: int) -> dict[int, float]:
    """Key to weight, of one event."""
    first, last = int(batch.key_offsets[event]), int(batch.key_offsets[event + 1])
    keys = batch.keys[first:last].tolist()
    weights = batch.key_weights[first:last].tolist() if len(batch.key_weights) else [1.0] * len(keys)
    assert keys == sorted(set(keys))
    return dict(zip(keys, weights, strict=True))


def event_cells(batch: EventBatch, event: int) -> dict[tuple[int, int], float]:
    """(axis, cell) to weight, of one event."""
    first, last = int(batch.cell_offsets[event]), int(batch.cell_offsets[event + 1])
    cells = list(zip(batch.cell_axes[first:last].tolist(), batch.cells[first:last].tolist(), strict=True))
    weights = batch.cell_weights[first:last].tolist() if len(batch.cell_weights) else [1.0] * len(cells)
    assert cells == sorted(set(cells))
    return dict(zip(cells, weights, strict=True))


def hits(table: PredicateTable, predicate: int, batch: EventBatch, event: int) -> list[int]:
    """The score, in units, of each key and range of the predicate that the event hits."""
    keys, cells = event_keys(batch, event), event_cells(batch, event)
    found = [
        hit_units(float(table.key_weights[place]), keys[int(table.keys[place])])
        for place in range(int(table.key_offsets[predicate]), int(table.key_offsets[predicate + 1]))
        if int(table.keys[place]) in keys
    ]
    for place in range(int(table.range_offsets[predicate]), int(table.range_offsets[predicate + 1])):
        axis, low, high = (int(column[place]) for column in (table.range_axis, table.range_low, table.range_high))
        assert low <= high
        inside = [weight for (on, cell), weight in cells.items() if on == axis and low <= cell <= high]
        found += [hit_units(float(table.range_weights[place]), max(inside))] if inside else []
    return found


def literal_holds(table: ExpressionTable, literal: int, batch: EventBatch, event: int) -> bool:
    predicate = int(table.literal_predicate[literal])
    if int(table.predicates.attribute_of_predicate[predicate]) not in event_keys(batch, event):
        return bool(table.literal_holds_when_missing[literal])
    return bool(hits(table.predicates, predicate, batch, event)) == bool(table.literal_positive[literal])


def expression_matches(table: ExpressionTable, expression: int, batch: EventBatch, event: int) -> bool:
    truth: dict[int, bool] = {}
    first, last = int(table.expression_offsets[expression]), int(table.expression_offsets[expression + 1])
    for node in range(first, last):
        children = table.children[int(table.child_offsets[node]) : int(table.child_offsets[node + 1])].tolist()
        assert all(first <= child < node for child in children)
        below = [truth[child] for child in children]
        kind = int(table.node_kind[node])
        if kind == codes.LITERAL:
            truth[node] = literal_holds(table, int(table.node_literal[node]), batch, event)
        else:
            truth[node] = {codes.TRUE: True, codes.FALSE: False, codes.AND: all(below), codes.OR: any(below)}[kind]
    return truth[last - 1]


def same_batch(left: EventBatch, right: EventBatch) -> bool:
    """Whether two batches are byte for byte the same."""
    pairs = zip(left.arrays().values(), right.arrays().values(), strict=True)
    return all(one.dtype == other.dtype and one.tobytes() == other.tobytes() for one, other in pairs)


def content(batch: EventBatch) -> list[Any]:
    """A batch as plain lists, for messages."""
    return [(event_keys(batch, event), event_cells(batch, event)) for event in range(batch.num_events)]
