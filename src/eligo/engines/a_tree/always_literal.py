"""What does `true or x` score? What x does, although it matches every event; so `true` must be there beside x.

A tree without constants has no place for it. A literal takes its place that holds for every event and scores 0, being
negative: `a weak not in ()`, on whatever attribute comes first.
"""

from __future__ import annotations

import numpy as np

from eligo.data.encoded_value import read_only
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.kernels import codes
from eligo.kernels.hashing import NONE


def with_always_literal(table: ExpressionTable) -> ExpressionTable:
    """The table with such a literal as its last, if some expression may need it: one with `true` and an OR."""
    if not table.num_literals or not ((table.node_kind == codes.TRUE).any() and (table.node_kind == codes.OR).any()):
        return table
    predicates = table.predicates
    key_offsets, range_offsets = predicates.key_offsets, predicates.range_offsets
    return table._replace(
        predicates=predicates._replace(
            attribute_of_predicate=read_only(np.append(predicates.attribute_of_predicate, np.uint32(0))),
            is_set_of_predicate=read_only(np.append(predicates.is_set_of_predicate, np.uint8(1))),
            key_offsets=read_only(np.append(key_offsets, key_offsets[-1])),
            range_offsets=read_only(np.append(range_offsets, range_offsets[-1])),
        ),
        literal_predicate=read_only(np.append(table.literal_predicate, np.uint32(predicates.num_predicates))),
        literal_positive=read_only(np.append(table.literal_positive, np.uint8(0))),
        literal_holds_when_missing=read_only(np.append(table.literal_holds_when_missing, np.uint8(1))),
    )


def always_literal(table: ExpressionTable) -> np.uint32:
    """The last literal, if it is one that always holds; else NONE."""
    if not table.num_literals or table.literal_positive[-1] or not table.literal_holds_when_missing[-1]:
        return NONE
    predicate = int(table.literal_predicate[-1])
    offsets = table.predicates.key_offsets, table.predicates.range_offsets
    never_hit = all(each[predicate] == each[predicate + 1] for each in offsets)
    return np.uint32(table.num_literals - 1) if never_hit else NONE
