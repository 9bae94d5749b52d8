"""Which child of a connective is tested first? The one that most often decides it, as far as shares of facts tell.

An AND is decided by a child that is false, an OR by one that is true. So the children of an AND stand from the least
likely to hold to the likeliest, those of an OR the other way round; equally likely ones by the number of their first
fact, so that it makes no difference in what order they were written.

    a = 1 (1 %) or b < 5 (60 %)                            b < 5 or a = 1
    b < 5 (60 %) and not c = 2 (95 %) and a = 1 (1 %)      a = 1 and b < 5 and not c = 2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Expressions
from eligo.engines.kernels.literal_facts import (
    ALWAYS_HOLDS,
    FALSE_FACT,
    TRUE_FACT,
    TRUE_OR_AWAY,
    LiteralFacts,
)
from eligo.kernels.codes import AND, LITERAL, OR, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Float64s, Integer, UInt32s

FEW_CHILDREN = 24
"""Up to so many are sorted by insertion."""


@kernel
def _literal_chance(literal: Integer, literals: LiteralFacts, shares: Float64s) -> Any:
    kind = literals.kinds[literal]
    if kind < TRUE_FACT:
        return 1.0 if kind == ALWAYS_HOLDS else 0.0
    share = shares[literals.facts[literal]]
    if kind == TRUE_FACT:
        return share
    if kind == FALSE_FACT:
        return 1.0 - share
    there = max(share, shares[literals.others[literal]])
    return share + 1.0 - there if kind == TRUE_OR_AWAY else there - share


@kernel
def _sort(children: UInt32s, first: Integer, last: Integer, sign: float, chances: Float64s, leads: UInt32s) -> None:
    """Sort a stretch of children by `sign` times their chances, and by their first facts."""
    if last - first > FEW_CHILDREN:
        own = children[first:last].copy()
        own = own[np.argsort(leads[own], kind="mergesort")]
        own = own[np.argsort(sign * chances[own], kind="mergesort")]
        for place in range(last - first):
            children[first + place] = own[place]
        return
    for place in range(first + 1, last):
        child = children[place]
        chance, lead = sign * chances[child], leads[child]
        at = place
        while at > first:
            before = children[at - 1]
            difference = sign * chances[before] - chance
            if difference < 0.0 or (difference == 0.0 and leads[before] <= lead):
                break
            children[at] = before
            at -= 1
        children[at] = child


@kernel
def order_children(table: Expressions, literals: LiteralFacts, shares: Float64s, children: UInt32s) -> None:
    """Put the children of every node of a table into order, in `children`, which is a copy of the table's own.

    `shares` has for each fact the share of events in which it is taken to be true.
    """
    chances = np.zeros(len(table.node_kind), np.float64)
    leads = np.full(len(table.node_kind), NONE, np.uint32)  # the first fact below each node
    for node in range(len(chances)):
        kind = table.node_kind[node]
        if kind == LITERAL:
            chances[node] = _literal_chance(table.node_literal[node], literals, shares)
            leads[node] = literals.facts[table.node_literal[node]]
        elif kind == AND or kind == OR:
            first, last = np.int64(table.child_offsets[node]), np.int64(table.child_offsets[node + 1])
            _sort(children, first, last, 1.0 if kind == AND else -1.0, chances, leads)
            leads[node] = leads[children[first]] if last > first else NONE
            product = 1.0
            for place in range(first, last):
                chance = chances[children[place]]
                product *= chance if kind == AND else 1.0 - chance
            chances[node] = product if kind == AND else 1.0 - product
        else:
            chances[node] = 1.0 if kind == TRUE else 0.0
