"""How are expressions translated into conjunctions? Into a table of them, which any engine can be built from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.predicate_table import PredicateTable
from eligo.engines.kernels.clauses import IN_ATOM, WEAK_OUT_ATOM
from eligo.engines.normal_forms import Items
from eligo.engines.translation.kernels.conjunction_table import room_for, write_conjunctions


def conjunction_expressions(items: Items, table: ExpressionTable) -> ExpressionTable:
    """The conjunctions of a table's expressions as expressions, over its predicates and one more for each attribute.

    What is added is hit by nothing; with it a literal says that an attribute is missing, or there.
    """
    predicates = table.predicates
    num_predicates = predicates.num_predicates
    atoms, literals = np.unique(items.atoms, return_inverse=True)
    of_predicate = atoms < 4 * num_predicates
    attribute_atoms = atoms[~of_predicate].astype(np.int64) - 4 * num_predicates
    attributes, added = np.unique(attribute_atoms >> 1, return_inverse=True)
    literal_predicate = np.concatenate([atoms[of_predicate].astype(np.int64) >> 2, num_predicates + added])
    kinds = atoms[of_predicate] & 3
    is_missing = (attribute_atoms & 1) == 0
    literal_positive = np.concatenate([kinds == IN_ATOM, is_missing])
    holds_when_missing = np.concatenate([kinds == WEAK_OUT_ATOM, is_missing])
    nodes = room_for(items.offsets)
    write_conjunctions(items.offsets, literals.astype(np.uint32), nodes)
    return ExpressionTable(
        _with_empty(predicates, attributes),
        *read_only_arrays(
            (
                literal_predicate.astype(np.uint32),
                literal_positive.astype(np.uint8),
                holds_when_missing.astype(np.uint8),
                *nodes,
            )
        ),
    )


def _with_empty(predicates: PredicateTable, attributes: npt.NDArray[np.int64]) -> PredicateTable:
    """The predicates, and one without keys and ranges for each of these attributes."""
    more = len(attributes)
    return PredicateTable(
        *read_only_arrays(
            predicates._replace(
                attribute_of_predicate=np.concatenate([predicates.attribute_of_predicate, attributes]).astype(
                    np.uint32
                ),
                is_set_of_predicate=np.concatenate([predicates.is_set_of_predicate, np.zeros(more, np.uint8)]),
                key_offsets=np.concatenate([predicates.key_offsets, np.repeat(predicates.key_offsets[-1:], more)]),
                range_offsets=np.concatenate(
                    [predicates.range_offsets, np.repeat(predicates.range_offsets[-1:], more)]
                ),
            )
        )
    )
