"""How many predicates must be satisfied before an expression can be? The fewest on any way to make it true.

A predicate counts 1, an AND adds its children's numbers, an OR takes the smallest (A-Tree 2021, section 2; Bittner &
Hinze 2007). A negated predicate counts nothing: it may hold of an event that satisfies no predicate at all.

    (P1 or P2 or P3) and P4 and (P5 or P6)      1 + 1 + 1 = 3
    P1 and not P2                               1 + 0     = 1
    not P1                                      0; or 1, if P1's attribute must be there: then that is counted

Every place in which a predicate stands counts, so a posting is repeated for a predicate that stands in several.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Expressions
from eligo.engines.kernels.clauses import grown
from eligo.engines.kernels.literal_facts import FALSE_BUT_THERE, NEVER_HOLDS, TRUE_FACT, LiteralFacts
from eligo.kernels.codes import AND, LITERAL, OR, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s

MOST_COUNTED = 255
"""A minimum above this is not told apart from it: counters are bytes."""
IMPOSSIBLE = 1 << 20
"""The minimum of what is never true."""


@kernel
def _counted_fact(literal: Integer, literals: LiteralFacts, is_presence: UInt8s, counts_presences: bool) -> Any:
    """The fact that a literal needs to be true and that is counted, or -1."""
    kind = literals.kinds[literal]
    if kind == FALSE_BUT_THERE and counts_presences:
        return np.int64(literals.others[literal])
    if kind == TRUE_FACT and (counts_presences or is_presence[literals.facts[literal]] == 0):
        return np.int64(literals.facts[literal])
    return np.int64(-1)


@kernel
def _minimum(
    first: Integer,
    last: Integer,
    table: Expressions,
    literals: LiteralFacts,
    is_presence: UInt8s,
    counts_presences: bool,
    minima: Int64s,
) -> Any:
    """The minimum of an expression's root; writes that of each node."""
    for node in range(first, last):
        kind = table.node_kind[node]
        own = IMPOSSIBLE
        if kind == LITERAL:
            literal = table.node_literal[node]
            if literals.kinds[literal] != NEVER_HOLDS:
                own = 0 if _counted_fact(literal, literals, is_presence, counts_presences) < 0 else 1
        elif kind == TRUE:
            own = 0
        elif kind == AND or kind == OR:
            own = 0 if kind == AND else IMPOSSIBLE
            for place in range(table.child_offsets[node], table.child_offsets[node + 1]):
                of_child = minima[np.int64(table.children[place]) - first]
                own = own + of_child if kind == AND else min(own, of_child)
            own = IMPOSSIBLE if own >= IMPOSSIBLE else min(own, MOST_COUNTED)
        minima[node - first] = own
    return minima[last - first - 1] if last > first else IMPOSSIBLE


@kernel
def count_minima(table: Expressions, literals: LiteralFacts, is_presence: UInt8s) -> Any:
    """The minimum of each expression, and pairs of a fact and an expression that counts it.

    That an attribute is there is counted only by expressions whose minimum would be 0 without: it says little.
    """
    num_expressions = len(table.expression_offsets) - 1
    of_expression = np.zeros(num_expressions, np.int64)
    minima, num_places = np.empty(1 << 10, np.int64), np.empty(1 << 10, np.int64)
    facts, expressions = np.empty(1 << 10, np.uint32), np.empty(1 << 10, np.uint32)
    count = 0
    for expression in range(num_expressions):
        first, last = np.int64(table.expression_offsets[expression]), np.int64(table.expression_offsets[expression + 1])
        minima, num_places = grown(minima, last - first), grown(num_places, last - first)
        counts_presences = False
        smallest = _minimum(first, last, table, literals, is_presence, counts_presences, minima)
        if smallest == 0:
            counts_presences = True
            smallest = _minimum(first, last, table, literals, is_presence, counts_presences, minima)
        of_expression[expression] = smallest
        if smallest == 0 or smallest == IMPOSSIBLE:
            continue
        # In how many places each node stands, from the root down; a node may be the child of several.
        num_places[: last - first] = 0
        num_places[last - first - 1] = 1
        for node in range(last - 1, first - 1, -1):
            own = num_places[node - first]
            for place in range(table.child_offsets[node], table.child_offsets[node + 1]):
                child = np.int64(table.children[place]) - first
                num_places[child] = min(num_places[child] + own, smallest)
            if table.node_kind[node] != LITERAL:
                continue
            fact = _counted_fact(table.node_literal[node], literals, is_presence, counts_presences)
            if fact < 0:
                continue
            facts, expressions = grown(facts, count + own), grown(expressions, count + own)
            for _ in range(own):
                facts[count], expressions[count] = fact, expression
                count += 1
    return of_expression, facts[:count].copy(), expressions[:count].copy()
