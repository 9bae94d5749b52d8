"""How do texts become a vocabulary and a table? In passes over flat columns; no object is made for a text.

    parsed texts ─▶ names, strings, points ─▶ normal forms ─▶ distinct literals and predicates ─▶ vocabulary ─▶ table
    (postfix)        `number_operands`         `parsed_forms`   here                               `number_vocabulary`

Before all, `collapse_parts` puts an attribute in the place of each quantified part.

The loops run compiled over arrays; where there is little to do and they are not compiled yet, they run interpreted over
lists. The result is the same, array for array.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.expressions.collapse_parts import collapse_parts
from eligo.data.expressions.disjoint_ranges import disjoint_ranges
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.given_texts import GivenTexts, given_texts
from eligo.data.expressions.kernels.forms import Forms, NormalForms
from eligo.data.expressions.kernels.normal_form import HOLDS_WHEN_MISSING, POSITIVE
from eligo.data.expressions.kernels.number_predicates import HEAD, NUM_FLAGS, LiteralRoom, number_literals
from eligo.data.expressions.kernels.points import Operands, Points, Texts
from eligo.data.expressions.kernels.register_predicates import (
    DistinctPredicates,
    Places,
    PredicateRows,
    write_predicates,
)
from eligo.data.expressions.number_operands import number_operands
from eligo.data.expressions.number_vocabulary import number_vocabulary
from eligo.data.expressions.parsed_forms import normal_forms
from eligo.data.expressions.predicate_table import PredicateTable, offsets_of
from eligo.data.expressions.taxonomy_nodes import Taxonomy
from eligo.data.vocabulary import Vocabulary
from eligo.errors import InputError
from eligo.kernels import codes
from eligo.kernels.interning import LOW_HALF, ROOM
from eligo.kernels.running import Running, running_for
from eligo.language.evaluate import Missing
from eligo.language.text.parse import ParsedBatch

COMPILED_FROM = 100_000
"""Bytes of text from which compiled loops are worth their start: loading them, or compiling them the first time."""


def encode_texts(
    batch: ParsedBatch,
    rows: npt.NDArray[Any] | None,
    missing: Missing,
    hierarchies: Mapping[str, Taxonomy] | None = None,
    running: Running | None = None,
    *,
    only_strings: Collection[str] = (),
) -> tuple[Vocabulary, ExpressionTable]:
    """The vocabulary of parsed texts and the table of them: of `rows`, in that order, or of all.

    `only_strings` names attributes that hold nothing but strings: nodes of theirs that read as dates are no ranges.
    """
    if missing not in ("unknown", "false"):
        raise InputError(f"{missing!r} is not a policy for missing attributes", help='"unknown" or "false"')
    chosen = np.arange(len(batch)) if rows is None else np.ascontiguousarray(rows, np.int64)
    refused = np.flatnonzero(batch.outcome.error[chosen])
    if len(refused):
        raise InputError(
            f"text {int(chosen[refused[0]])} is not an expression", help="choose rows whose outcome has no error"
        )
    batch = collapse_parts(batch)
    if running is None:
        _, text_offsets = batch.buffers()
        running = running_for(int(text_offsets[-1] - text_offsets[0]), COMPILED_FROM, write_predicates)
    # Numbers go by first use, so the seed decides nothing; an unknown one makes chosen collisions impossible.
    seed = secrets.randbits(62)
    given = given_texts(batch, chosen, running)
    names, strings, points, operands = number_operands(given, seed)
    forms, nodes = normal_forms(given, operands, missing)
    predicates, literals = _number_literals(given, forms, nodes, operands, points, strings, seed)
    del forms, operands
    vocabulary, places = number_vocabulary(names, strings, points, predicates, hierarchies, running, only_strings)
    columns = (
        literals.predicates,
        literals.flags & POSITIVE,
        (literals.flags & HOLDS_WHEN_MISSING) // HOLDS_WHEN_MISSING,
        running.array(nodes.node_kind, np.uint8),
        literals.of_node,
        running.array(nodes.child_offsets, np.uint64),
        running.array(nodes.children, np.uint32),
        running.array(nodes.expression_offsets, np.uint64),
    )
    table = _predicate_table(predicates, vocabulary, places, running)
    return vocabulary, ExpressionTable(table, *read_only_arrays(columns))


class _Literals(NamedTuple):
    """Distinct literals in the order of first use."""

    predicates: npt.NDArray[np.uint32]
    """For each literal: its predicate."""
    flags: npt.NDArray[np.uint8]
    """For each literal: POSITIVE and HOLDS_WHEN_MISSING."""
    of_node: npt.NDArray[np.uint32]
    """For each node of the normal forms: its literal, or NONE."""


def _number_literals(
    given: GivenTexts,
    forms: Forms,
    nodes: NormalForms,
    operands: Operands,
    points: Points,
    strings: Texts,
    seed: int,
) -> tuple[DistinctPredicates, _Literals]:
    """The distinct predicates and literals of normal forms."""
    running = given.running
    room = LiteralRoom(
        slots=running.slots(),
        starts=running.room(ROOM, np.int64),
        records=running.room(ROOM, np.uint64),
        literal_of=running.room(NUM_FLAGS * ROOM, np.uint32),
        predicate_of=running.room(ROOM, np.uint32),
        flags_of=running.room(ROOM, np.uint8),
        own_points=running.room(given.most_operands, np.uint32),
        own_bits=running.room(given.most_operands, np.uint64),
    )
    of_node = running.room(len(nodes.node_kind), np.uint32)
    num_predicates, starts, records, num_literals, predicate_of, flags_of = running.loop(number_literals)(
        given.postfix,
        given.outcome.operand_offsets,
        given.rows,
        forms,
        nodes,
        operands,
        running.columns(points),
        Texts(running.given(strings.offsets), running.bytes(strings.data)),
        seed,
        room,
        of_node,
    )
    predicates = _distinct_predicates(
        running.array(starts, np.int64, num_predicates), running.array(records, np.uint64)
    )
    literals = _Literals(
        running.array(predicate_of, np.uint32, num_literals).copy(),
        running.array(flags_of, np.uint8, num_literals),
        running.array(of_node, np.uint32),
    )
    return predicates, literals


def _distinct_predicates(starts: npt.NDArray[np.int64], records: npt.NDArray[np.uint64]) -> DistinctPredicates:
    """The columns of the records that `number_literals` writes."""
    counts = (records[starts + 1] & LOW_HALF).astype(np.int64)
    offsets = offsets_of(counts).view(np.int64)
    places = np.repeat(starts + HEAD - 2 * offsets[:-1], counts) + 2 * np.arange(offsets[-1])
    return DistinctPredicates(
        records[starts], offsets, records[places].astype(np.uint32), records[places + 1].view(np.float64)
    )


_HAS_KEYS = np.isin(np.arange(256), (codes.IN, codes.UNDER))
"""By class: whether each point is a key."""
_HAS_RANGE = np.isin(np.arange(256), (*range(codes.LESS, codes.BETWEEN + 1), codes.STARTS_WITH))
"""By class: whether there is a range; `between` has none if it has no points."""


def _predicate_table(
    predicates: DistinctPredicates, vocabulary: Vocabulary, places: Places, running: Running
) -> PredicateTable:
    """The rows of distinct predicates."""
    classes, num_points = predicates.classes, np.diff(predicates.offsets)
    num_keys = np.where(_HAS_KEYS[classes], num_points, classes == codes.EXISTS)
    num_ranges = (_HAS_RANGE[classes] & (num_points > 0)).astype(np.int64)
    predicate_of_point = np.repeat(np.arange(len(classes)), num_points)
    is_date_node = (classes[predicate_of_point] == codes.UNDER) & (places.companions[predicates.points] >= 0)
    num_ranges += 2 * np.bincount(predicate_of_point[is_date_node], minlength=len(classes))

    key_offsets, range_offsets = offsets_of(num_keys), offsets_of(num_ranges)
    total_keys, total_ranges, room = int(key_offsets[-1]), int(range_offsets[-1]), running.room
    rows = PredicateRows(
        room(len(classes), np.uint32),
        room(len(classes), np.uint8),
        running.given(key_offsets),
        room(total_keys, np.uint32),
        room(total_keys, np.float64),
        running.given(range_offsets),
        room(total_ranges, np.uint32),
        room(total_ranges, np.uint32),
        room(total_ranges, np.uint32),
        room(total_ranges, np.float64),
    )
    running.loop(write_predicates)(
        running.columns(predicates),
        running.columns(places),
        running.given(vocabulary.data.attribute_axes),
        running.given(2 * np.diff(vocabulary.data.bound_offsets).astype(np.int64)),
        rows,
    )
    written = zip(rows, PredicateTable._fields, strict=True)
    columns = [running.array(column, _PREDICATE_TYPES[name]) for column, name in written]
    table = PredicateTable(*read_only_arrays(columns))
    return _with_disjoint_ranges(table) if np.any(num_ranges > 2) else table


def _with_disjoint_ranges(table: PredicateTable) -> PredicateTable:
    """The table with the ranges of several date nodes in order and apart, whatever the order of the nodes was."""
    offsets = table.range_offsets.astype(np.int64)
    first, counts = 0, np.diff(offsets)
    pieces: list[list[npt.NDArray[Any]]] = []
    for predicate in np.flatnonzero(counts > 2).tolist():
        start, end = int(offsets[predicate]), int(offsets[predicate + 1])
        spans = disjoint_ranges(list(zip(*(column[start:end].tolist() for column in table[-4:]), strict=True)))
        pieces.append([column[first:start] for column in table[-4:]])
        pieces.append([np.array(values) for values in zip(*spans, strict=True)])
        counts[predicate], first = len(spans), end
    pieces.append([column[first:] for column in table[-4:]])
    types = [_PREDICATE_TYPES[name] for name in PredicateTable._fields[-4:]]
    columns = [
        np.concatenate(parts).astype(dtype) for parts, dtype in zip(zip(*pieces, strict=True), types, strict=True)
    ]
    return PredicateTable(*table[:-5], *read_only_arrays((offsets_of(counts), *columns)))


_PREDICATE_TYPES: dict[str, Any] = {
    **dict.fromkeys(PredicateTable._fields, np.uint32),
    "is_set_of_predicate": np.uint8,
    **dict.fromkeys(("key_offsets", "range_offsets"), np.uint64),
    **dict.fromkeys(("key_weights", "range_weights"), np.float64),
}
