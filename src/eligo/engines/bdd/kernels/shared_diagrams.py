"""How do all expressions share decisions? Each diagram is made alone, and then its decisions are numbered by content.

    0  P1 and P3          2: P3 0 1   3: P1 0 2
    1  P2 and P3                      4: P2 0 2          decision 2 is part of both

The order of facts is that of a walk through the tree, children that decide their connective first (`child_order`). What
stands together in an expression stays together, without which a diagram grows with the power of its facts; and since
rare facts come early and common ones late, diagrams meet where they can, in their lower parts. Flat expressions follow
one order, that of the shares.

Shares depend on neighbours, which come and go, but it must not depend on them whether an expression is taken. So each
is first made in the order of its text, or in that order from behind, and refused if it is too large in both; it stays
so if the order by shares makes it much larger.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Expressions
from eligo.engines.bdd.kernels.diagram import (
    FALSE_END,
    NUM_DECISIONS,
    TOO_LARGE,
    TRUE_END,
    Workshop,
    begin,
    decide,
    join,
    join_all,
)
from eligo.engines.kernels.clauses import grown
from eligo.engines.kernels.literal_facts import (
    ALWAYS_HOLDS,
    FALSE_BUT_THERE,
    FALSE_FACT,
    NEVER_HOLDS,
    TRUE_FACT,
    LiteralFacts,
)
from eligo.kernels.codes import AND, FALSE, LITERAL, TRUE
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE, hash_words
from eligo.kernels.interning import EMPTY, HALF, LOW_HALF, ONE, Slots, doubled_slots, new_slots, slot_content, tag_of
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s

ROOM, TIMES_AS_WRITTEN = 32, 2
"""Decisions that a diagram may have in the order by shares: so many, and so many for each that it has as written."""
DECISIONS_PER_FACT = 8
"""And for each fact in the order of the text, at the first attempt."""
WORDS = 3
"""Of a decision: its fact, low and high."""


class Walk(NamedTuple):
    """What a walk through any expression of a table needs, and what it finds."""

    stack: npt.NDArray[np.int64]
    """Nodes still to be met."""
    is_met: npt.NDArray[np.uint8]
    """For each node of the expression: whether it has been met."""
    facts: npt.NDArray[np.uint32]
    """The different facts of the expression, by level."""
    level_of_fact: npt.NDArray[np.uint32]
    """For each fact of all expressions: its level in this one, or NONE."""
    diagram_of_node: npt.NDArray[np.int64]
    """For each node of the expression: its diagram."""
    operands: npt.NDArray[np.int64]
    """The diagrams of one node's children."""


def new_walk(table: Expressions, num_facts: int) -> Walk:
    """Room for the largest expression of a table."""
    nodes = table.expression_offsets.astype(np.int64)
    most_nodes = int(np.diff(nodes).max(initial=0))
    most_children = int(np.diff(table.child_offsets.astype(np.int64)[nodes]).max(initial=0))
    return Walk(
        stack=np.zeros(most_children + 1, np.int64),
        is_met=np.zeros(most_nodes, np.uint8),
        facts=np.zeros(min(2 * most_nodes, num_facts), np.uint32),
        level_of_fact=np.full(num_facts, NONE, np.uint32),
        diagram_of_node=np.zeros(most_nodes, np.int64),
        operands=np.zeros(most_children, np.int64),
    )


@kernel
def _walk_facts(
    first: Integer, last: Integer, table: Expressions, children: UInt32s, literals: LiteralFacts, walk: Walk
) -> Any:
    """Write the different facts of the expression with these nodes, as a walk from its root meets them; how many."""
    stack, is_met, level_of_fact = walk.stack, walk.is_met, walk.level_of_fact
    is_met[: last - first] = 0
    stack[0] = last - 1
    top, count = 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        if is_met[node - first]:
            continue
        is_met[node - first] = 1
        if table.node_kind[node] == LITERAL:
            literal = table.node_literal[node]
            for fact in (literals.others[literal], literals.facts[literal]):
                if fact != NONE and level_of_fact[fact] == NONE:
                    level_of_fact[fact] = count
                    walk.facts[count] = fact
                    count += 1
        begin, end = np.int64(table.child_offsets[node]), np.int64(table.child_offsets[node + 1])
        for place in range(end - 1, begin - 1, -1):
            stack[top] = children[place]
            top += 1
    return count


@kernel
def _literal_diagram(literal: Integer, literals: LiteralFacts, level_of_fact: UInt32s, shop: Workshop) -> Any:
    kind = literals.kinds[literal]
    if kind == NEVER_HOLDS or kind == ALWAYS_HOLDS:
        return np.int64(TRUE_END if kind == ALWAYS_HOLDS else FALSE_END)
    level = level_of_fact[literals.facts[literal]]
    if kind == FALSE_FACT or kind == FALSE_BUT_THERE:
        own = decide(level, TRUE_END, FALSE_END, shop)
    else:
        own = decide(level, FALSE_END, TRUE_END, shop)
    if kind == TRUE_FACT or kind == FALSE_FACT or own < 0:
        return own
    other_level = level_of_fact[literals.others[literal]]
    is_there = kind == FALSE_BUT_THERE
    other = decide(other_level, FALSE_END if is_there else TRUE_END, TRUE_END if is_there else FALSE_END, shop)
    return join(is_there, own, other, shop) if other >= 0 else other


@kernel
def _diagram(
    first: Integer,
    last: Integer,
    table: Expressions,
    literals: LiteralFacts,
    most_decisions: Integer,
    walk: Walk,
    shop: Workshop,
) -> Any:
    """The diagram of the expression with these nodes; TOO_LARGE if it takes too much room."""
    begin(most_decisions, shop)
    result = np.int64(FALSE_END)
    for node in range(first, last):
        kind = table.node_kind[node]
        if kind == LITERAL:
            result = _literal_diagram(table.node_literal[node], literals, walk.level_of_fact, shop)
        elif kind == TRUE or kind == FALSE:
            result = np.int64(TRUE_END if kind == TRUE else FALSE_END)
        else:
            count = 0
            for place in range(table.child_offsets[node], table.child_offsets[node + 1]):
                walk.operands[count] = walk.diagram_of_node[np.int64(table.children[place]) - first]
                count += 1
            result = join_all(kind == AND, walk.operands, count, shop)
        if result < 0:
            break
        walk.diagram_of_node[node - first] = result
    return result


@kernel
def _number_decisions(
    root: Integer,
    facts: UInt32s,
    shop: Workshop,
    is_needed: UInt8s,
    number_of: UInt32s,
    num_decisions: Integer,
    slots: Slots,
    words: UInt32s,
) -> Any:
    """The number of a diagram among those of all expressions; adds its decisions that are new.

    Returns it, how many decisions there are, and the arrays, which may have grown.
    """
    number_of[FALSE_END], number_of[TRUE_END] = FALSE_END, TRUE_END
    is_needed[: root + 1] = 0
    is_needed[root] = 1
    for decision in range(root, TRUE_END, -1):  # parents were made after their children
        if is_needed[decision]:
            is_needed[shop.low[decision]] = 1
            is_needed[shop.high[decision]] = 1
    for decision in range(TRUE_END + 1, root + 1):
        if is_needed[decision] == 0:
            continue
        fact = facts[shop.level[decision]]
        low, high = number_of[shop.low[decision]], number_of[shop.high[decision]]
        if 2 * (num_decisions + 1) > len(slots):
            slots = doubled_slots(slots)
        tag = tag_of(hash_words(fact, low, high, 0))
        mask = np.uint64(len(slots) - 1)
        slot = tag & mask
        number = np.int64(-1)
        while slots[slot] != EMPTY:
            if slots[slot] >> HALF == tag:
                known = np.int64(slots[slot] & LOW_HALF)
                at = WORDS * known
                if words[at] == fact and words[at + 1] == low and words[at + 2] == high:
                    number = known
                    break
            slot = (slot + ONE) & mask
        if number < 0:
            number = num_decisions
            slots[slot] = slot_content(tag, number)
            num_decisions += 1
            at = WORDS * number
            words = grown(words, at + WORDS)
            words[at], words[at + 1], words[at + 2] = fact, low, high
        number_of[decision] = number
    return number_of[root], num_decisions, slots, words


@kernel
def _diagram_as_written(
    first: Integer,
    last: Integer,
    table: Expressions,
    literals: LiteralFacts,
    bound: Integer,
    walk: Walk,
    shop: Workshop,
) -> Any:
    """The diagram of an expression in the order of its text, or in that order from behind; and how many facts it has.

    TOO_LARGE if it has more decisions than `bound` in both.
    """
    count = _walk_facts(first, last, table, table.children, literals, walk)
    # Most diagrams are small, and a workshop for a small one stays in the caches.
    few = min(bound, ROOM + DECISIONS_PER_FACT * count)
    root = _diagram(first, last, table, literals, few, walk, shop)
    if root == TOO_LARGE and few < bound:
        root = _diagram(first, last, table, literals, bound, walk, shop)
    if root == TOO_LARGE:
        # A chain such as ((a xor b) xor c) xor d grows at its top, if what comes last in it is asked for first.
        _turn_round(count, walk)
        root = _diagram(first, last, table, literals, bound, walk, shop)
    return root, count


@kernel
def find_too_large(
    table: Expressions,
    literals: LiteralFacts,
    bound: Integer,
    walk: Walk,
    shop: Workshop,
    is_too_large: UInt8s,
) -> None:
    """Mark the expressions that `make_diagrams` would mark."""
    for expression in range(len(is_too_large)):
        first, last = np.int64(table.expression_offsets[expression]), np.int64(table.expression_offsets[expression + 1])
        root, count = _diagram_as_written(first, last, table, literals, bound, walk, shop)
        is_too_large[expression] = root == TOO_LARGE
        _forget_levels(count, walk)


@kernel
def make_diagrams(
    table: Expressions,
    ordered_children: UInt32s,
    first_equals: UInt32s,
    literals: LiteralFacts,
    bound: Integer,
    walk: Walk,
    shop: Workshop,
    roots: UInt32s,
    is_too_large: UInt8s,
) -> Any:
    """Write each expression's root, and mark those whose diagram has more than `bound` decisions as it is written.

    Returns the decisions of all as words, and how many expressions are not in the order by shares.
    """
    is_needed, number_of = np.zeros(bound + 2, np.uint8), np.zeros(bound + 2, np.uint32)
    slots, words = new_slots(), np.zeros(1 << 10, np.uint32)
    num_decisions, num_as_written = 2, 0  # the two ends
    for expression in range(len(roots)):
        known = first_equals[expression]
        if known != expression:
            roots[expression], is_too_large[expression] = roots[known], is_too_large[known]
            continue
        first, last = np.int64(table.expression_offsets[expression]), np.int64(table.expression_offsets[expression + 1])
        root, count = _diagram_as_written(first, last, table, literals, bound, walk, shop)
        if root == TOO_LARGE:
            is_too_large[expression] = 1
            _forget_levels(count, walk)
            continue
        if not _is_as_written(first, last, table, ordered_children):
            few = min(bound, ROOM + TIMES_AS_WRITTEN * (shop.state[NUM_DECISIONS] - 2))
            _forget_levels(count, walk)
            count = _walk_facts(first, last, table, ordered_children, literals, walk)
            root = _diagram(first, last, table, literals, few, walk, shop)
            if root == TOO_LARGE:
                num_as_written += 1
                _forget_levels(count, walk)
                root, count = _diagram_as_written(first, last, table, literals, bound, walk, shop)
        roots[expression], num_decisions, slots, words = _number_decisions(
            root, walk.facts, shop, is_needed, number_of, num_decisions, slots, words
        )
        _forget_levels(count, walk)
    return words[: WORDS * num_decisions].copy(), num_as_written


@kernel
def _is_as_written(first: Integer, last: Integer, table: Expressions, children: UInt32s) -> bool:
    """Whether the nodes of an expression have their children in the order of the text."""
    for place in range(table.child_offsets[first], table.child_offsets[last]):
        if children[place] != table.children[place]:
            return False
    return True


@kernel
def _turn_round(count: Integer, walk: Walk) -> None:
    """Put the facts of an expression into the opposite order."""
    for level in range(count // 2):
        other = count - 1 - level
        walk.facts[level], walk.facts[other] = walk.facts[other], walk.facts[level]
    for level in range(count):
        walk.level_of_fact[walk.facts[level]] = level


@kernel
def _forget_levels(count: Integer, walk: Walk) -> None:
    for level in range(count):
        walk.level_of_fact[walk.facts[level]] = NONE
