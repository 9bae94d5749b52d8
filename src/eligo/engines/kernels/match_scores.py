"""How well does an event fit an expression that it satisfies? Whang 2009, section 2.4, carried over to any tree.

A positive literal that holds scores its hit keys; AND adds its children, OR takes the largest of its true ones. Scores
are counted in units (`score_units`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Events, Expressions, ScoredLiterals, ScoredPredicates
from eligo.engines.kernels.event_state import ONE, EventState, literal_holds, load_event, unload_event
from eligo.engines.kernels.exact_scores import add_units, hit_units
from eligo.kernels.codes import AND, LITERAL, OR, TRUE
from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer, UInt8s, UInt32s


@hot_loop
def literal_score(
    literal: Integer, literals: ScoredLiterals, predicates: ScoredPredicates, events: Events, state: EventState
) -> Any:
    """The score of a literal that holds: weight of the expression times weight of the event over what was hit.

    A set adds its hit keys; any other predicate is one key itself and counts the heaviest value that hits it.
    """
    if literals.literal_positive[literal] == 0:
        return 0
    predicate = np.uint64(literals.literal_predicate[literal])
    if not state.has_key[predicates.attribute_of_predicate[predicate]]:
        return 0
    is_set = predicates.is_set_of_predicate[predicate] != 0
    score = 0
    for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + ONE]):
        key = predicates.keys[place]
        if state.has_key[key]:
            hit = hit_units(predicates.key_weights[place], state.weight_of_key[key])
            score = add_units(score, hit) if is_set else max(score, hit)
    for place in range(predicates.range_offsets[predicate], predicates.range_offsets[predicate + ONE]):
        axis = predicates.range_axis[place]
        for cell in range(state.axis_first[axis], state.axis_last[axis]):
            if predicates.range_low[place] <= events.cells[cell] <= predicates.range_high[place]:
                weight = events.cell_weights[cell] if len(events.cell_weights) > 0 else 1.0
                score = max(score, hit_units(predicates.range_weights[place], weight))
    return score


@hot_loop
def score_positions(
    event: Integer, positions: UInt32s, events: Events, predicates: ScoredPredicates, table: Expressions,
    state: EventState, truths: UInt8s, node_scores: Int64s, scores: Int64s,
) -> None:  # fmt: skip
    """Write into `scores` the score of each expression in `positions`, all of which the event satisfies.

    `truths` and `node_scores` are scratch for the nodes of the largest expression.
    """
    load_event(event, events, state)
    for rank in range(len(positions)):
        expression = positions[rank]
        first = np.int64(table.expression_offsets[expression])
        last = np.int64(table.expression_offsets[np.int64(expression) + 1])
        for node in range(first, last):
            kind = table.node_kind[node]
            truth = kind == TRUE
            score = 0
            if kind == LITERAL:
                literal = table.node_literal[node]
                truth = literal_holds(literal, table, predicates, events, state)
                if truth:
                    score = literal_score(literal, table, predicates, events, state)
            elif kind in (AND, OR):
                truth = kind == AND
                for place in range(table.child_offsets[node], table.child_offsets[node + 1]):
                    child = np.int64(table.children[place]) - first
                    if kind == AND:
                        truth = truth and truths[child] != 0
                        score = add_units(score, node_scores[child])
                    elif truths[child] != 0:
                        score = max(score, node_scores[child]) if truth else node_scores[child]
                        truth = True
            truths[node - first] = 1 if truth else 0
            node_scores[node - first] = score if truth else 0
        scores[rank] = node_scores[last - first - 1]
    unload_event(event, events, state)
