"""How is an expression kept in few bytes? Written from the root down: operator, number of children, then these.

A-Tree 2021 (Figure 2) shows how BoP encodes (P1 or P2 or P3) and P4 and (P5 or P6):

    Conj Child | Disj Child | Leaf ID | Leaf ID | Leaf ID | Leaf ID | Disj Child | Leaf ID | Leaf ID
     1     3      2     3      4    1    4    2    4    3    4    4    2     2      4    5    4    6

Each operator is a byte. A number takes as many bytes as it needs, seven bits in each, the lowest first; facts that
stand in many expressions have the low numbers. Beyond the figure, ABSENT is a leaf whose fact must be false, and a
subtree that stands in several places (nested xor shares its parts) is written once, before what it is a part of: KEPT
is its result, and KEEPS, at the beginning, says how many there are.

    p xor q          Disj 2 Conj 2 Leaf p Absent q Conj 2 Absent p Leaf q
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Expressions
from eligo.engines.kernels.clauses import grown
from eligo.engines.kernels.literal_facts import (
    ALWAYS_HOLDS,
    FALSE_BUT_THERE,
    FALSE_FACT,
    TRUE_FACT,
    TRUE_OR_AWAY,
    LiteralFacts,
)
from eligo.kernels.codes import AND, FALSE, LITERAL, OR, TRUE
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Integer, Integers, UInt8s, UInt32s

CONJ, DISJ, ABSENT, LEAF, KEPT, KEEPS = 1, 2, 3, 4, 5, 6
"""Operators; `CONJ 0` is true, and `DISJ 0` is false."""
ONE = np.uint64(1)
SEVEN = np.uint64(7)
LOW_BITS = np.uint64(0x7F)
MORE = np.uint64(0x80)
"""The bit that says that a number goes on in the next byte."""
MOST_BYTES = 5
"""Of a number below 2^32."""
DEEPEST, MOST_KEPT = range(2)
"""Places in the limits of a code."""


class EncodedTrees(NamedTuple):
    """All expressions, encoded."""

    code_offsets: npt.NDArray[np.uint32]
    """Expression x is `code[code_offsets[x]:code_offsets[x + 1]]`: its shared subtrees, and itself last."""
    code: npt.NDArray[np.uint8]
    code_limits: npt.NDArray[np.uint32]
    """How many connectives are open at once, and how many results an expression keeps, at most."""


class CodeScratch(NamedTuple):
    """What evaluating a code needs."""

    open_operator: npt.NDArray[np.uint8]
    """For each open connective: CONJ or DISJ."""
    open_children: npt.NDArray[np.uint32]
    """For each open connective: how many of its children are still to come, the current one included."""
    kept: npt.NDArray[np.uint8]
    """The results of subtrees."""


def new_code_scratch(trees: EncodedTrees) -> CodeScratch:
    """Scratch for any of these expressions."""
    deepest, most_kept = int(trees.code_limits[DEEPEST]), int(trees.code_limits[MOST_KEPT])
    return CodeScratch(np.zeros(deepest + 1, np.uint8), np.zeros(deepest + 1, np.uint32), np.zeros(most_kept, np.uint8))


@kernel
def _write(operator: Integer, number: Integer, end: Integer, code: UInt8s) -> Any:
    """Write an operator and its number; returns the end and the code, which may have grown."""
    code = grown(code, end + 1 + MOST_BYTES)
    code[end] = operator
    end += 1
    while number >= 128:
        code[end] = (number & 127) | 128
        number >>= 7
        end += 1
    code[end] = number
    return end + 1, code


@kernel
def _write_literal(literal: Integer, literals: LiteralFacts, end: Integer, code: UInt8s) -> Any:
    kind = literals.kinds[literal]
    fact, other = np.int64(literals.facts[literal]), np.int64(literals.others[literal])
    if kind == TRUE_FACT:
        end, code = _write(LEAF, fact, end, code)
    elif kind == FALSE_FACT:
        end, code = _write(ABSENT, fact, end, code)
    elif kind == TRUE_OR_AWAY:
        end, code = _write(DISJ, 2, end, code)
        end, code = _write(LEAF, fact, end, code)
        end, code = _write(ABSENT, other, end, code)
    elif kind == FALSE_BUT_THERE:
        end, code = _write(CONJ, 2, end, code)
        end, code = _write(ABSENT, fact, end, code)
        end, code = _write(LEAF, other, end, code)
    else:
        end, code = _write(CONJ if kind == ALWAYS_HOLDS else DISJ, 0, end, code)
    return end, code


@kernel
def _is_kept(node: Integer, table: Expressions, references: UInt32s) -> Any:
    """Whether a subtree is written once, because it stands in several places."""
    is_connective = table.node_kind[node] == AND or table.node_kind[node] == OR
    return is_connective and references[node] > 1


@kernel
def encode(table: Expressions, literals: LiteralFacts) -> Any:
    """The code of all expressions of a table: offsets and bytes."""
    num_expressions = len(table.expression_offsets) - 1
    references = np.zeros(len(table.node_kind), np.uint32)
    for child in table.children:
        references[child] += np.uint32(1)
    number_of_node = np.zeros(len(table.node_kind), np.uint32)  # of a subtree that is written before its parents
    offsets, code = np.zeros(num_expressions + 1, np.int64), np.empty(1 << 12, np.uint8)
    stack = np.empty(1 << 10, np.int64)
    end = 0
    for expression in range(num_expressions):
        root = np.int64(table.expression_offsets[expression + 1]) - 1
        first = np.int64(table.expression_offsets[expression])
        num_kept = 0
        for start in range(first, root):
            num_kept += 1 if _is_kept(start, table, references) else 0
        if num_kept > 0:
            end, code = _write(KEEPS, num_kept, end, code)
        num_kept = 0
        for start in range(first, root + 1):
            if start != root and not _is_kept(start, table, references):
                continue
            stack[0] = start
            top = 1
            while top > 0:
                top -= 1
                node = stack[top]
                kind = table.node_kind[node]
                if kind == LITERAL:
                    end, code = _write_literal(table.node_literal[node], literals, end, code)
                elif kind == TRUE or kind == FALSE:
                    end, code = _write(CONJ if kind == TRUE else DISJ, 0, end, code)
                elif node != start and references[node] > 1:
                    end, code = _write(KEPT, np.int64(number_of_node[node]), end, code)
                else:
                    begin, last = np.int64(table.child_offsets[node]), np.int64(table.child_offsets[node + 1])
                    end, code = _write(CONJ if kind == AND else DISJ, last - begin, end, code)
                    stack = grown(stack, top + last - begin + 1)
                    for place in range(last - 1, begin - 1, -1):
                        stack[top] = table.children[place]
                        top += 1
            number_of_node[start] = num_kept
            num_kept += 1
        offsets[expression + 1] = end
    return offsets, code[:end].copy()


@kernel
def first_bad_code(code_offsets: Integers, code: UInt8s, num_facts: Integer, limits: UInt32s) -> Any:
    """The first expression whose code cannot be evaluated, or -1; raises `limits` to what the others need."""
    open_children = np.zeros(1 << 10, np.int64)
    for expression in range(len(code_offsets) - 1):
        place, last = np.int64(code_offsets[expression]), np.int64(code_offsets[expression + 1])
        start = place
        depth, num_kept, num_keeps = 0, 0, 0
        is_whole = False
        while place < last:
            is_first = place == start
            operator = code[place]
            number, shift = np.int64(0), 0
            place += 1
            while place < last and shift < 7 * MOST_BYTES:
                number |= np.int64(code[place] & 127) << shift
                shift += 7
                place += 1
                if code[place - 1] < 128:
                    break
            if shift == 0 or code[place - 1] >= 128 or operator < CONJ or operator > KEEPS:
                return expression
            if is_whole and num_kept > num_keeps:
                return expression
            if (operator == ABSENT or operator == LEAF) and number >= num_facts:
                return expression
            if operator == KEPT and number >= num_kept:
                return expression
            if operator == KEEPS:
                if not is_first:
                    return expression
                num_keeps = number
                continue
            is_whole = False
            if operator <= DISJ and number > 0:
                open_children = grown(open_children, depth + 1)
                open_children[depth] = number
                depth += 1
                if depth > limits[DEEPEST]:
                    limits[DEEPEST] = depth
                continue
            while depth > 0 and open_children[depth - 1] == 1:
                depth -= 1
            if depth > 0:
                open_children[depth - 1] -= 1
            else:
                is_whole = True
                num_kept += 1
                if num_kept > limits[MOST_KEPT]:
                    limits[MOST_KEPT] = num_kept
        if not is_whole or num_kept != num_keeps + 1:
            return expression
    return -1


@hot_loop
def _number(place: np.uint64, code: UInt8s) -> Any:
    """The number that begins at a place, and where it ends."""
    byte = np.uint64(code[place])
    place += ONE
    number = byte & LOW_BITS
    shift = SEVEN
    while byte >= MORE:
        byte = np.uint64(code[place])
        place += ONE
        number |= (byte & LOW_BITS) << shift
        shift += SEVEN
    return number, place


@hot_loop
def _skip(num_children: np.uint64, place: np.uint64, code: UInt8s) -> Any:
    """Where so many trees that begin at a place end."""
    while num_children > 0:
        operator = code[place]
        number, place = _number(place + ONE, code)
        num_children -= ONE
        if operator <= DISJ:
            num_children += number
    return place


@hot_loop
def evaluate(expression: np.uint64, trees: EncodedTrees, truth: UInt8s, scratch: CodeScratch) -> Any:
    """Whether an expression is true of these facts (1 or 0), and how many leaves were looked at.

    A child that decides its connective ends it: what is left of it is read over, unless it was the root.
    """
    code, operators, children = trees.code, scratch.open_operator, scratch.open_children
    place, last = np.uint64(trees.code_offsets[expression]), np.uint64(trees.code_offsets[expression + ONE])
    depth, num_kept, num_tests = np.uint64(0), np.uint64(0), 0
    num_keeps = np.uint64(0)
    result = np.uint8(0)
    if code[place] == KEEPS:
        num_keeps, place = _number(place + ONE, code)
    while place < last:
        operator = code[place]
        number, place = _number(place + ONE, code)
        if operator == LEAF:
            result = truth[number]
            num_tests += 1
        elif operator == ABSENT:
            result = truth[number] ^ np.uint8(1)
            num_tests += 1
        elif operator == KEPT:
            result = scratch.kept[number]
        elif number > 0:
            operators[depth] = operator
            children[depth] = number
            depth += ONE
            continue
        else:
            result = np.uint8(operator == CONJ)
        while depth > 0:
            at = depth - ONE
            left = np.uint64(children[at]) - ONE
            if left > 0 and (result != 0) == (operators[at] == CONJ):
                children[at] = left
                break
            depth = at
            if depth == 0 and num_kept == num_keeps:
                return result, num_tests
            place = _skip(left, place, code)
        if depth == 0:
            scratch.kept[num_kept] = result
            num_kept += ONE
    return result, num_tests
