"""Which expressions hold which quantified parts, and do they ask that a part is true or that it is not?

    x0: price < 5 and A        x1: not A or B        x2: vip

    parts of x0 … x2   A | A B |         hoped for:   A decided first, for both are asked of it;   B true

What is hoped for of a part is what makes every literal on it true. An expression that is not true when all its parts
are as hoped for is not true at all, since negation normal form is AND and OR over literals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.expressions.expression_source import read_expressions
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.predicate_table import offsets_of
from eligo.joins.asking.join_table import NO_KEY, JoinKeys, Truths
from eligo.kernels.hashing import NONE
from eligo.language.evaluate import Missing
from eligo.language.limits import UNBOUNDED

MAY_HOLD = "(?i)exists|forall"
"""A text without this holds no part."""
BOTH = -1
"""In `hoped_for`: it is asked to be true by some expressions, and not to be by others."""


class Holders(NamedTuple):
    """For some expressions: the parts of each, and what they ask of them."""

    rows: npt.NDArray[np.int64]
    """The expressions that hold parts, ascending."""
    part_offsets: npt.NDArray[np.int64]
    """Expression x, of all, has the parts part_offsets[x] : part_offsets[x + 1]."""
    parts: npt.NDArray[np.int64]
    """For each expression: the numbers of its parts, ascending."""
    hoped_for: Truths
    """For each part: 1, 0, or BOTH."""

    @classmethod
    def of(cls, texts: pa.Array, names: Sequence[str], missing: Missing) -> Holders:
        """The holders of parts, by their names, among texts."""
        rows = np.flatnonzero(pc.match_substring_regex(texts, MAY_HOLD).to_numpy(zero_copy_only=False))
        given = pa.table({"id": pa.array(rows), "expression": texts.take(pa.array(rows))})
        vocabulary, table = read_expressions(given, schema=None, limits=UNBOUNDED).encode(missing)
        keys = JoinKeys.of(names, vocabulary)
        part_of_attribute = np.full(vocabulary.num_attributes, NO_KEY, np.int64)
        is_held = keys.known != NO_KEY
        part_of_attribute[keys.known[is_held]] = np.flatnonzero(is_held)
        part_of_literal = part_of_attribute[table.predicates.attribute_of_predicate[table.literal_predicate]]
        owners, parts = _pairs(table, part_of_literal)
        counts = np.zeros(len(texts), np.int64)
        np.add.at(counts, rows[owners], 1)
        hoped_for = _hoped_for(table, part_of_literal, keys)
        return cls(rows[np.unique(owners)], offsets_of(counts).astype(np.int64), parts, hoped_for)

    def parts_of(self, expressions: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The parts of some expressions one after another, and for each the place of its expression among these."""
        firsts = self.part_offsets[expressions]
        lengths = self.part_offsets[expressions + 1] - firsts
        places = np.repeat(np.arange(len(expressions)), lengths)
        starts = np.cumsum(lengths) - lengths
        return self.parts[np.arange(len(places)) + np.repeat(firsts - starts, lengths)], places


def _pairs(
    table: ExpressionTable, part_of_literal: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Expressions of a table with their parts, each pair once, in the order of expressions."""
    offsets = table.expression_offsets.astype(np.int64)
    owners = np.repeat(np.arange(table.num_expressions), offsets[1:] - offsets[:-1])
    is_literal = table.node_literal != NONE
    owners, parts = owners[is_literal], part_of_literal[table.node_literal[is_literal]]
    is_part = parts != NO_KEY
    width = max(1, int(parts.max(initial=0)) + 1)
    pairs = np.unique(owners[is_part] * width + parts[is_part])
    return pairs // width, pairs % width


def _hoped_for(table: ExpressionTable, part_of_literal: npt.NDArray[np.int64], keys: JoinKeys) -> Truths:
    """For each part what makes all literals on it true; BOTH where nothing does."""
    asked = np.zeros((2, len(keys.known)), np.bool_)
    literals = np.flatnonzero(part_of_literal != NO_KEY)
    parts = part_of_literal[literals]
    predicates = table.literal_predicate[literals]
    firsts = table.predicates.key_offsets[predicates].astype(np.int64)
    num_keys = table.predicates.key_offsets[predicates + 1].astype(np.int64) - firsts
    is_plain = num_keys == 1
    is_plain[is_plain] = table.predicates.keys[firsts[is_plain]] == keys.true[parts[is_plain]]
    asked[table.literal_positive[literals], parts] = True
    asked[:, parts[~is_plain]] = True
    return np.where(asked[1] & asked[0], BOTH, asked[1].astype(np.int8)).astype(np.int8)
