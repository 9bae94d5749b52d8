"""How do a million texts become a vocabulary and a table? In passes over flat arrays; no object is made for a text.

    parsed texts ─▶ names, strings, points ─▶ normal forms ─▶ distinct literals and predicates ─▶ vocabulary ─▶ table
    (postfix)        `bulk_operands`           `bulk_forms`     here                               `bulk_vocabulary`

The result is that of `encode_expressions` on the normal forms of the trees, array for array.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.expressions.bulk_forms import Forms, NormalForms, normal_forms
from eligo.data.expressions.bulk_operands import Operands, Points, Texts, number_operands
from eligo.data.expressions.bulk_points import DistinctPredicates
from eligo.data.expressions.bulk_vocabulary import Places, number_vocabulary
from eligo.data.expressions.expression_table import ExpressionTable, encode_expressions
from eligo.data.expressions.kernels.normal_form import HOLDS_WHEN_MISSING, POSITIVE
from eligo.data.expressions.kernels.number_predicates import HEAD, number_literals
from eligo.data.expressions.kernels.register_predicates import write_predicates
from eligo.data.expressions.predicate_table import PredicateTable, offsets_of
from eligo.data.expressions.taxonomy_nodes import Taxonomy
from eligo.data.vocabulary import Vocabulary
from eligo.errors import InputError
from eligo.kernels import codes
from eligo.kernels.interning import LOW_HALF
from eligo.language.evaluate import Missing
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.text.parse import ParsedBatch

BULK_FROM = 100_000
"""Bytes of text from which compiled loops are worth their start: loading them, or compiling them the first time."""


def encode_parsed(
    batch: ParsedBatch,
    rows: npt.NDArray[Any],
    missing: Missing,
    hierarchies: Mapping[str, Taxonomy] | None = None,
) -> tuple[Vocabulary, ExpressionTable]:
    """What `encode_texts` gives; for few texts from their trees, which is the same."""
    _, text_offsets = batch.buffers()
    if text_offsets[-1] - text_offsets[0] >= BULK_FROM:
        return encode_texts(batch, rows, missing, hierarchies)
    return encode_expressions([push_negations(batch.tree(int(row)), missing) for row in rows], hierarchies)


def encode_texts(
    batch: ParsedBatch,
    rows: npt.NDArray[Any] | None,
    missing: Missing,
    hierarchies: Mapping[str, Taxonomy] | None = None,
) -> tuple[Vocabulary, ExpressionTable]:
    """The vocabulary of parsed texts and the table of them: of `rows`, in that order, or of all."""
    if missing not in ("unknown", "false"):
        raise InputError(f"{missing!r} is not a policy for missing attributes", help='"unknown" or "false"')
    chosen = np.arange(len(batch)) if rows is None else np.ascontiguousarray(rows, np.int64)
    refused = np.flatnonzero(batch.outcome.error[chosen])
    if len(refused):
        raise InputError(
            f"text {int(chosen[refused[0]])} is not an expression", help="choose rows whose outcome has no error"
        )
    # Numbers go by first use, so the seed decides nothing; an unknown one makes chosen collisions impossible.
    seed = secrets.randbits(62)
    names, strings, points, operands = number_operands(batch, chosen, seed)
    forms, nodes = normal_forms(batch, chosen, operands, missing)
    predicates, literals = _number_literals(batch, chosen, forms, nodes, operands, points, strings, seed)
    del forms, operands
    vocabulary, places = number_vocabulary(names, strings, points, predicates, hierarchies)
    columns = (
        literals.predicates,
        literals.flags & POSITIVE,
        (literals.flags & HOLDS_WHEN_MISSING) // HOLDS_WHEN_MISSING,
        nodes.node_kind,
        literals.of_node,
        nodes.child_offsets,
        nodes.children,
        nodes.expression_offsets,
    )
    return vocabulary, ExpressionTable(_predicate_table(predicates, vocabulary, places), *read_only_arrays(columns))


class _Literals(NamedTuple):
    """Distinct literals in the order of first use."""

    predicates: npt.NDArray[np.uint32]
    """For each literal: its predicate."""
    flags: npt.NDArray[np.uint8]
    """For each literal: POSITIVE and HOLDS_WHEN_MISSING."""
    of_node: npt.NDArray[np.uint32]
    """For each node of the normal forms: its literal, or NONE."""


def _number_literals(
    batch: ParsedBatch,
    rows: npt.NDArray[np.int64],
    forms: Forms,
    nodes: NormalForms,
    operands: Operands,
    points: Points,
    strings: Texts,
    seed: int,
) -> tuple[DistinctPredicates, _Literals]:
    """The distinct predicates and literals of normal forms."""
    of_node = np.empty(len(nodes.node_kind), np.uint32)
    most_points = max(2, int(batch.postfix.node_count.max(initial=0)))
    num_predicates, starts, records, num_literals, literal_predicate, literal_flags = number_literals(
        batch.postfix,
        batch.outcome.operand_offsets,
        rows,
        forms,
        nodes,
        operands,
        points,
        strings,
        most_points,
        seed,
        of_node,
    )
    predicates = _distinct_predicates(starts[:num_predicates], records)
    return predicates, _Literals(literal_predicate[:num_literals].copy(), literal_flags[:num_literals], of_node)


def _distinct_predicates(starts: npt.NDArray[np.int64], records: npt.NDArray[np.uint64]) -> DistinctPredicates:
    """The columns of the records that `number_literals` writes."""
    counts = (records[starts + 1] & LOW_HALF).astype(np.int64)
    offsets = offsets_of(counts).view(np.int64)
    places = np.repeat(starts + HEAD - 2 * offsets[:-1], counts) + 2 * np.arange(offsets[-1])
    return DistinctPredicates(
        records[starts], offsets, records[places].astype(np.uint32), records[places + 1].view(np.float64)
    )


def _predicate_table(predicates: DistinctPredicates, vocabulary: Vocabulary, places: Places) -> PredicateTable:
    """The rows of distinct predicates."""
    classes, num_points = predicates.classes, np.diff(predicates.offsets)
    num_keys = np.where(np.isin(classes, (codes.IN, codes.UNDER)), num_points, classes == codes.EXISTS)
    is_range = (classes >= codes.LESS) & (classes <= codes.BETWEEN) & (num_points > 0)
    num_ranges = np.where(is_range | (classes == codes.STARTS_WITH), 1, 0)
    nodes = np.flatnonzero(classes == codes.UNDER)
    is_date_node = places.companions[predicates.points[predicates.offsets[nodes]]] >= 0
    num_ranges[nodes[is_date_node]] = 2

    key_offsets, range_offsets = offsets_of(num_keys), offsets_of(num_ranges)
    total_keys, total_ranges = int(key_offsets[-1]), int(range_offsets[-1])
    table = PredicateTable(
        np.empty(len(classes), np.uint32),
        np.empty(len(classes), np.uint8),
        key_offsets,
        np.empty(total_keys, np.uint32),
        np.empty(total_keys, np.float64),
        range_offsets,
        np.empty(total_ranges, np.uint32),
        np.empty(total_ranges, np.uint32),
        np.empty(total_ranges, np.uint32),
        np.empty(total_ranges, np.float64),
    )
    last_cells = 2 * np.diff(vocabulary.data.bound_offsets)
    write_predicates(*predicates, places, vocabulary.data.attribute_axes, last_cells, table)
    return PredicateTable(*read_only_arrays(table))
