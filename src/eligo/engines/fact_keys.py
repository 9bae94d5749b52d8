"""Which facts are there, and which keys make them true? Those that literals ask for, in the order wanted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays, Column, Offsets, Sizes
from eligo.data.vocabulary import Vocabulary
from eligo.engines.kernels.clauses import literal_atoms
from eligo.engines.kernels.facts import FactKeys, group_by
from eligo.engines.kernels.literal_facts import LiteralFacts, find_literal_facts
from eligo.engines.list_keys import list_keys
from eligo.engines.stored_lists import stored_axis_lists
from eligo.kernels.codes import LITERAL
from eligo.kernels.hashing import NONE
from eligo.ranges.list_choice import RangeLists

FORM = (
    Column("axis_base", "u4"),
    Column("axis_size", "u4", "axes"),
    Column("fact_predicates", "u4", "facts", below="predicates and attributes"),
    Offsets("key_offsets", "u4", "list keys", into="key_facts"),
    Column("key_facts", "u4", below="facts"),
)
"""The arrays of `FactKeys`, which say what they mean; the axes come first, because they say what lists there are."""


def literal_facts(table: ExpressionTable) -> LiteralFacts:
    """What each literal wants of which facts; these are predicates, then attributes that are there."""
    firsts = np.empty(table.num_literals, np.uint32)
    seconds = np.empty(table.num_literals, np.uint32)
    literal_atoms(table, firsts, seconds)
    found = LiteralFacts(
        np.zeros(table.num_literals, np.uint8),
        np.empty(table.num_literals, np.uint32),
        np.empty(table.num_literals, np.uint32),
    )
    find_literal_facts(firsts, seconds, table.predicates.attribute_of_predicate, found)
    return found


def fact_keys(
    used: npt.NDArray[np.int64], table: ExpressionTable, vocabulary: Vocabulary, ranges: RangeLists
) -> FactKeys:
    """The keys of these facts, each a predicate or the number of predicates plus an attribute; numbered as given."""
    keys = list_keys(table, vocabulary, ranges)
    num_predicates = table.predicates.num_predicates
    is_predicate = used < num_predicates
    registered = keys.registrations.offsets
    hit = used[is_predicate]
    counts = registered[hit + 1] - registered[hit]
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])[:-1]
    places = np.arange(int(counts.sum())) + np.repeat(registered[hit] - first, counts)
    all_keys = np.concatenate([keys.registrations.keys[places], (used[~is_predicate] - num_predicates)])
    facts = np.concatenate([np.repeat(np.flatnonzero(is_predicate), counts), np.flatnonzero(~is_predicate)])
    offsets, key_facts = group_by(all_keys.astype(np.int64), keys.present_base, facts.astype(np.uint32))
    return FactKeys(offsets, key_facts, *keys.axes, used.astype(np.uint32))


class UsedFacts(NamedTuple):
    """The facts that the literals of a table ask for, by their own numbers."""

    facts: npt.NDArray[np.int64]
    """For each of them: its predicate, or the number of predicates plus the attribute that is there."""
    uses: npt.NDArray[np.int64]
    """For each of them: how many nodes ask for it."""
    literals: LiteralFacts
    """What literals want of these, by their numbers here."""


def used_facts(table: ExpressionTable, num_attributes: int, *, by_use: bool = False) -> UsedFacts:
    """The facts that a table asks for: predicates and then attributes, or the most used ones first."""
    literals = literal_facts(table)
    num_facts = table.predicates.num_predicates + num_attributes
    of_literal = np.bincount(table.node_literal[table.node_kind == LITERAL], minlength=table.num_literals)
    uses = np.zeros(num_facts, np.int64)
    is_used = np.zeros(num_facts, np.bool_)
    for asked in (literals.facts, literals.others):
        is_fact = asked != NONE
        uses += np.bincount(asked[is_fact], of_literal[is_fact], num_facts).astype(np.int64)
        is_used[asked[is_fact]] = True
    facts = np.flatnonzero(is_used)
    if by_use:
        facts = facts[np.argsort(-uses[facts], kind="stable")]
    number_of_fact = np.full(num_facts + 1, NONE, np.uint32)
    number_of_fact[facts] = np.arange(len(facts), dtype=np.uint32)
    none_last = [np.minimum(asked, num_facts) for asked in (literals.facts, literals.others)]
    numbered = LiteralFacts(literals.kinds, *(number_of_fact[asked] for asked in none_last))
    return UsedFacts(facts, uses[facts], numbered)


def fact_sizes(arrays: Arrays, table: ExpressionTable, vocabulary: Vocabulary, num_expressions: int) -> Sizes:
    """How many there are of what facts, keys and expressions refer to."""
    return {
        "axes": vocabulary.num_axes,
        "expressions": num_expressions,
        "list keys": stored_axis_lists(arrays, vocabulary, vocabulary.num_keys).end,
        "predicates and attributes": table.predicates.num_predicates + vocabulary.num_attributes,
    }
