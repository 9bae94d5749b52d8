"""How does the scan test one event against every expression? By running each expression's jump code.

An expression's negation normal form becomes a row of leaf tests, each with the test to go on with when it holds and
when it does not, so that evaluation short-circuits without a stack:

    a and (b or c)          0: a   holds -> 1        fails -> REJECT
                            1: b   holds -> ACCEPT   fails -> 2
                            2: c   holds -> ACCEPT   fails -> REJECT

A connective that stands in several places (xor shares its parts) is a segment of its own, run once, and later tests
refer to its stored result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events, Literals, Predicates
from eligo.engines.kernels.event_state import EventState, literal_holds, load_event, unload_event
from eligo.kernels.codes import AND, FALSE, TRUE
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt32s, UInt64s

# Targets of a test beyond the last test.
ACCEPT = np.uint32(0xFFFFFFFF)
REJECT = np.uint32(0xFFFFFFFE)
# What a test asks: a literal, or one of these marks; SEGMENT plus a number is a stored result.
ALWAYS = np.uint32(0xFFFFFFFF)
NEVER = np.uint32(0xFFFFFFFE)
SEGMENT = np.uint32(0x80000000)


class ScanCode(NamedTuple):
    """The jump code of all expressions."""

    segment_offsets: npt.NDArray[np.uint32]
    """Expression i has segments `segment_offsets[i]:segment_offsets[i + 1]`, the root's last."""
    segment_first: npt.NDArray[np.uint32]
    """For each segment: its first test."""
    test_operand: npt.NDArray[np.uint32]
    """For each test: a literal, or ALWAYS, NEVER, or SEGMENT plus a segment number within the expression."""
    test_on_hold: npt.NDArray[np.uint32]
    """For each test: the test to go on with when it holds, or ACCEPT or REJECT."""
    test_on_fail: npt.NDArray[np.uint32]
    """For each test: the same when it does not hold."""


@kernel
def count_code(expression_offsets: Int64s, child_offsets: Int64s, children: Int64s) -> Any:
    """The sizes that `emit_code` needs: segments, tests, the deepest stack, and how often each node is a child."""
    num_segments = 0
    num_tests: Any = 0
    deepest = 1
    references = np.zeros(len(child_offsets) - 1, np.uint32)
    for child in children:
        references[child] += np.uint32(1)
    for expression in range(len(expression_offsets) - 1):
        first = expression_offsets[expression]
        root = expression_offsets[expression + 1] - 1
        deepest = max(deepest, child_offsets[root + 1] - child_offsets[first] + 1)
        for node in range(first, root + 1):
            is_connective = child_offsets[node + 1] > child_offsets[node]
            is_shared = is_connective and references[node] > 1
            num_segments += 1 if node == root or is_shared else 0
            # A test stands wherever a leaf or a shared connective is a child; a leaf that is the root is one too.
            num_tests += np.int64(references[node]) if is_shared or not is_connective else 0
            num_tests += 1 if node == root and not is_connective else 0
    return num_segments, num_tests, deepest, references


@kernel
def emit_code(
    expression_offsets: Int64s, node_kind: UInt8s, node_literal: UInt32s, child_offsets: Int64s, children: Int64s,
    references: UInt32s, deepest: Integer, code: ScanCode,
) -> None:  # fmt: skip
    """Write every expression's segments and tests into `code`; offsets are signed here."""
    num_nodes = len(node_kind)
    segment_of_node = np.zeros(num_nodes, np.int64)
    tests_of_node = np.zeros(num_nodes, np.int64)
    stack = np.zeros((deepest, 4), np.int64)  # node, first test, target on hold, target on fail
    segment = 0
    base = 0
    for expression in range(len(expression_offsets) - 1):
        root = expression_offsets[expression + 1] - 1
        first_segment = segment
        for node in range(expression_offsets[expression], root + 1):
            is_connective = child_offsets[node + 1] > child_offsets[node]
            tests_of_node[node] = 0 if is_connective else 1
            for place in range(child_offsets[node], child_offsets[node + 1]):
                child = children[place]
                shared = references[child] > 1 and child_offsets[child + 1] > child_offsets[child]
                tests_of_node[node] += 1 if shared else tests_of_node[child]
            if node != root and not (is_connective and references[node] > 1):
                continue
            segment_of_node[node] = segment - first_segment
            code.segment_first[segment] = base
            _emit_segment(
                node, base, node_kind, node_literal, child_offsets, children, references,
                segment_of_node, tests_of_node, stack, code,
            )  # fmt: skip
            base += tests_of_node[node]
            segment += 1
        code.segment_offsets[expression + 1] = segment


@kernel
def _emit_segment(
    node: Integer, base: Integer, node_kind: UInt8s, node_literal: UInt32s, child_offsets: Int64s, children: Int64s,
    references: UInt32s, segment_of_node: Int64s, tests_of_node: Int64s, stack: Int64s, code: ScanCode,
) -> None:  # fmt: skip
    """Write the tests of one segment from `base` on; a node's tests lie in one run, so targets are known at once."""
    stack[0, 0] = node
    stack[0, 1] = base
    stack[0, 2] = np.int64(ACCEPT)
    stack[0, 3] = np.int64(REJECT)
    top = 0
    while top >= 0:
        current, start, on_hold, on_fail = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        top -= 1
        is_connective = child_offsets[current + 1] > child_offsets[current]
        is_reference = current != node and is_connective and references[current] > 1
        if is_reference or not is_connective:
            if is_reference:
                operand = np.int64(SEGMENT) + segment_of_node[current]
            elif node_kind[current] == TRUE:
                operand = np.int64(ALWAYS)
            elif node_kind[current] == FALSE:
                operand = np.int64(NEVER)
            else:
                operand = np.int64(node_literal[current])
            code.test_operand[start] = operand
            code.test_on_hold[start] = on_hold
            code.test_on_fail[start] = on_fail
            continue
        last = child_offsets[current + 1] - 1
        for place in range(child_offsets[current], last + 1):
            child = children[place]
            shared = references[child] > 1 and child_offsets[child + 1] > child_offsets[child]
            after = start + (1 if shared else tests_of_node[child])
            top += 1
            stack[top, 0] = child
            stack[top, 1] = start
            stack[top, 2] = after if node_kind[current] == AND and place != last else on_hold
            stack[top, 3] = after if node_kind[current] != AND and place != last else on_fail
            start = after


@hot_loop
def match_events(
    first_event: Integer, events: Events, predicates: Predicates, literals: Literals, code: ScanCode, state: EventState,
    results: UInt8s, offsets: UInt64s, positions: UInt32s, counters: Int64s,
) -> Any:  # fmt: skip
    """Match events from `first_event` on until all are done, or until `positions` may not hold the next one's matches.

    Returns the first event that was not done. `offsets[first_event]` says how many positions are written already;
    `counters[0]` gains the number of tests made.
    """
    num_events = len(events.key_offsets) - 1
    num_expressions = len(code.segment_offsets) - 1
    count = np.int64(offsets[first_event])
    num_tests = 0
    done = num_events
    for event in range(first_event, num_events):
        if len(positions) - count < num_expressions:
            done = event
            break
        load_event(event, events, state)
        for expression in range(num_expressions):
            first = code.segment_offsets[expression]
            at = REJECT
            for segment in range(first, code.segment_offsets[expression + 1]):
                at = code.segment_first[segment]
                while at < REJECT:
                    num_tests += 1
                    operand = code.test_operand[at]
                    if operand < SEGMENT:
                        holds = literal_holds(operand, literals, predicates, events, state)
                    elif operand >= NEVER:
                        holds = operand == ALWAYS
                    else:
                        holds = results[operand - SEGMENT] != 0
                    at = code.test_on_hold[at] if holds else code.test_on_fail[at]
                results[segment - first] = 1 if at == ACCEPT else 0
            if at == ACCEPT:
                positions[count] = expression
                count += 1
        unload_event(event, events, state)
        offsets[event + 1] = count
    counters[0] += num_tests
    return done
