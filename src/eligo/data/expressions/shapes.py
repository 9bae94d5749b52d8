"""What do expressions consist of? Every subexpression of a batch of texts, counted by its shape.

shape   the hash of a subexpression: the order of `and` and of lists does not count
level   1 for a predicate, and one more than the highest child for a connective
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.expressions.collapse_parts import collapse_parts
from eligo.data.expressions.kernels.node_shapes import find_shapes
from eligo.kernels import codes
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.text.parse import ParsedBatch, parse_all

OPERATORS = {
    codes.AND: "and",
    codes.OR: "or",
    codes.XOR: "xor",
    codes.XNOR: "xnor",
    codes.NOT: "not",
    codes.TRUE: "true",
    codes.FALSE: "false",
    codes.EQUALS: "=",
    codes.NOT_EQUALS: "!=",
    codes.LESS: "<",
    codes.LESS_OR_EQUAL: "<=",
    codes.GREATER: ">",
    codes.GREATER_OR_EQUAL: ">=",
    codes.BETWEEN: "between",
    codes.NOT_BETWEEN: "not between",
    codes.IN: "in",
    codes.NOT_IN: "not in",
    codes.WEAK_NOT_IN: "weak not in",
    codes.STRONG_NOT_IN: "strong not in",
    codes.CONTAINS_ALL: "contains all",
    codes.STARTS_WITH: "starts with",
    codes.UNDER: "under",
    codes.EXISTS: "exists",
    codes.IS_MISSING: "is missing",
    codes.IS_TRUE: "is true",
}
"""What each kind of node is called."""

SHAPE_SCHEMA = pa.schema(
    [
        ("shape", pa.int64()),
        ("level", pa.int32()),
        ("operator", pa.string()),
        ("occurrences", pa.int64()),
        ("as_root", pa.int64()),
        ("attribute", pa.string()),
        ("predicate", pa.string()),
    ]
)
"""One row for each shape: how often it occurs, and how often as a whole expression; of a predicate, what it says."""
SIZE_SCHEMA = pa.schema([("num_predicates", pa.int32()), ("depth", pa.int32()), ("num_expressions", pa.int64())])
"""One row for each combination of sizes; expressions that cannot be parsed have depth 0."""


def count_shapes(texts: pa.Array, limits: Limits = DEFAULT_LIMITS) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """The shapes of all expressions of a batch, `SHAPE_SCHEMA`, and their sizes, `SIZE_SCHEMA`."""
    parsed = collapse_parts(parse_all(texts, limits=limits))
    nodes, outcome = parsed.postfix, parsed.outcome
    data, text_offsets = parsed.buffers()
    hashes = np.empty(len(nodes.node_kind), np.uint64)
    levels = np.empty(len(nodes.node_kind), np.int32)
    num_nodes = np.diff(outcome.node_offsets)
    stack = np.empty(int(num_nodes.max(initial=0)) + 1, np.int64)
    find_shapes(
        nodes,
        np.ascontiguousarray(nodes.operand_number).view(np.int64),
        np.ascontiguousarray(nodes.operand_weight).view(np.int64),
        outcome.node_offsets,
        outcome.operand_offsets,
        data,
        text_offsets,
        stack,
        hashes,
        levels,
    )
    roots = outcome.node_offsets[1:][num_nodes > 0] - 1
    return _shapes(parsed, hashes, levels, roots), _sizes(nodes.node_kind, outcome.node_offsets, levels)


def _shapes(
    parsed: ParsedBatch,
    hashes: npt.NDArray[np.uint64],
    levels: npt.NDArray[np.int32],
    roots: npt.NDArray[np.int64],
) -> pa.RecordBatch:
    shapes, firsts, occurrences = np.unique(hashes, return_index=True, return_counts=True)
    as_root = np.bincount(np.searchsorted(shapes, hashes[roots]), minlength=len(shapes))
    kinds = parsed.postfix.node_kind[firsts]
    names = np.array([OPERATORS.get(code, "") for code in range(256)], object)
    said = list(_predicates(parsed, firsts, kinds))
    return pa.record_batch(
        [
            pa.array(shapes.view(np.int64)),
            pa.array(levels[firsts]),
            pa.array(names[kinds], pa.string()),
            pa.array(occurrences.astype(np.int64)),
            pa.array(as_root.astype(np.int64)),
            pa.array([attribute for attribute, _ in said], pa.string()),
            pa.array([predicate for _, predicate in said], pa.string()),
        ],
        schema=SHAPE_SCHEMA,
    )


def _predicates(
    parsed: ParsedBatch, rows: npt.NDArray[np.int64], kinds: npt.NDArray[np.uint8]
) -> Iterator[tuple[str | None, str | None]]:
    """The attribute and the text of each of these nodes that is a predicate."""
    data, text_offsets = parsed.buffers()
    text = data.tobytes()
    nodes = parsed.postfix
    expressions = np.searchsorted(parsed.outcome.node_offsets, rows, side="right") - 1
    bases = text_offsets[expressions]
    bounds = (nodes.name_start, nodes.name_end, nodes.node_start, nodes.node_end)
    places = np.stack([bases + column[rows] for column in bounds], axis=1).tolist() if len(rows) else []
    for kind, (name_start, name_end, start, end) in zip(kinds.tolist(), places, strict=True):
        if kind < codes.EQUALS:
            yield None, None
        else:
            name = text[name_start:name_end].decode("utf-8", "replace").replace('""', '"')
            yield name, text[start:end].decode("utf-8", "replace")


def _sizes(
    kinds: npt.NDArray[np.uint8], node_offsets: npt.NDArray[np.int64], levels: npt.NDArray[np.int32]
) -> pa.RecordBatch:
    num_nodes = np.diff(node_offsets)
    predicates_before = np.concatenate([[0], np.cumsum(kinds >= codes.EQUALS)])
    num_predicates = predicates_before[node_offsets[1:]] - predicates_before[node_offsets[:-1]]
    depths = np.zeros(len(num_nodes), np.int64)
    depths[num_nodes > 0] = levels[node_offsets[1:][num_nodes > 0] - 1]
    sizes, counts = np.unique(np.stack([num_predicates, depths], axis=1), axis=0, return_counts=True)
    return pa.record_batch(
        [
            pa.array(sizes[:, 0].astype(np.int32)),
            pa.array(sizes[:, 1].astype(np.int32)),
            pa.array(counts.astype(np.int64)),
        ],
        schema=SIZE_SCHEMA,
    )
