"""When is a single event answered level by level? When its candidates would take longer, by what both took so far.

A walk costs what its candidates cost, which depends on the expressions and on the caches; a pass over all levels costs
the same for every event. Both are guessed at first and measured when they are used, as time of the processor.
"""

from __future__ import annotations

from time import thread_time_ns

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.events.kernels.event_items import NotedEvents
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_scratch import MOST_CANDIDATES, NUM_CANDIDATES
from eligo.engines.a_tree.kernels.frozen_tree import match_events
from eligo.engines.a_tree.kernels.frozen_views import Bundle
from eligo.engines.a_tree.kernels.level_pass import (
    ANY,
    NUM_GROUPS,
    RANGE,
    SIGNED_KEYS,
    LevelPlan,
    group_literals,
    pass_levels,
    plan_keys,
    plan_literals,
    plan_nodes,
)
from eligo.engines.kernels.event_state import EventState
from eligo.sharing import ScratchPool, once

FEWEST_CANDIDATES = 1_000
"""With fewer, an event is never worth a choice."""
PASS_NS = 1.0
"""For each child, literal and expression of a pass: nanoseconds, before one was measured."""
CANDIDATE_NS = 200.0
"""For each candidate of a walk, before one was measured."""
DEAREST_CANDIDATE_NS = 1_000.0
"""A walk whose candidates would be quicker even at this price is taken without a choice."""
OTHER_WAY_AT = frozenset((2, *(8**power for power in range(1, 20))))
"""After so many choices the other way is taken, so that its cost is known too."""
NOT_WORTH_TRYING = 4.0
"""Unless it is so many times as slow, as far as is known."""
MOST_CHANGE = 2.0
"""One measurement changes what is expected by this factor at most: the machine may have been busy elsewhere."""


class LevelPasses:
    """What a tree needs to answer events level by level, made at the first such event, and the choice of the way."""

    def __init__(self, tree: FrozenTree, table: ExpressionTable, num_keys: int) -> None:
        self._tree = tree
        self._table = table
        self._num_keys = num_keys
        num_items = len(tree.children) + table.num_literals + int(tree.num_expressions[0])
        self._kept_bits: ScratchPool[npt.NDArray[np.uint64]] = ScratchPool()
        self._pass_ns = PASS_NS * num_items
        self._candidate_ns = CANDIDATE_NS
        self._num_choices = 0
        self.fewest_candidates = max(FEWEST_CANDIDATES, int(self._pass_ns / DEAREST_CANDIDATE_NS))
        """Events with no more candidates are walked without asking here."""

    @once
    def plan(self) -> LevelPlan:
        """Literals and nodes in the order in which they are found out."""
        tree, table = self._tree, self._table
        num_nodes = len(tree.node_is_and)
        groups = np.empty(table.num_literals, np.uint8)
        group_literals(table, groups)
        sizes = np.bincount(groups, minlength=NUM_GROUPS)
        plan = LevelPlan(
            group_starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(-(-sizes // 64) * 64)]),
            key_offsets=np.zeros(self._num_keys + 1, np.uint32),
            literals_of_key=np.zeros(0, np.uint32),
            signs=np.empty(sizes[SIGNED_KEYS], np.uint32),
            ranges=np.empty(3 * sizes[RANGE], np.uint32),
            others=np.empty(sizes[ANY], np.uint32),
            node_is_and=np.empty(num_nodes, np.uint8),
            child_offsets=np.empty(num_nodes + 1, np.uint32),
            children=np.empty(len(tree.children), np.uint32),
            place_of_position=np.empty(int(tree.num_expressions[0]), np.uint32),
        )
        place_of_literal = np.empty(table.num_literals, np.uint32)
        plan_literals(table, groups, place_of_literal, plan)
        plan = plan._replace(literals_of_key=np.empty(int(plan.key_offsets[-1]), np.uint32))
        plan_keys(table, groups, place_of_literal, plan)
        place_of_node = plan_nodes(int(tree.node_level.max(initial=0)), tree, place_of_literal, plan)
        never = int(plan.group_starts[NUM_GROUPS]) + num_nodes
        plan.place_of_position[:] = never
        plan.place_of_position[tree.matches] = np.repeat(place_of_node, np.diff(tree.match_offsets).astype(np.int64))
        plan.place_of_position[tree.always] = never + 1
        return plan

    def prefers_pass(self, num_candidates: int) -> bool:
        """Whether to answer an event of so many candidates level by level."""
        self._num_choices += 1
        walk_ns = num_candidates * self._candidate_ns
        is_quicker = self._pass_ns < walk_ns
        slower, quicker = max(self._pass_ns, walk_ns), min(self._pass_ns, walk_ns)
        if self._num_choices in OTHER_WAY_AT and slower < NOT_WORTH_TRYING * quicker:
            return not is_quicker
        return is_quicker

    def timed_walk(
        self,
        num_waiting: int,
        event: int,
        noted: NotedEvents,
        bundled: Bundle,
        counts: npt.NDArray[np.int64],
        offsets: npt.NDArray[np.uint64],
    ) -> int:
        """As `match_events` from an event on that waits, and whose candidates are not too many now."""
        counts[MOST_CANDIDATES] = num_waiting
        num_before, started = int(counts[NUM_CANDIDATES]), thread_time_ns()
        last: int = match_events(event, noted, bundled, offsets)
        num_candidates = int(counts[NUM_CANDIDATES]) - num_before
        self._candidate_ns = _learnt(self._candidate_ns, (thread_time_ns() - started) / num_candidates)
        counts[MOST_CANDIDATES] = self.fewest_candidates
        return last

    def match(
        self, event: int, events: EventBatch, state: EventState, positions: npt.NDArray[np.uint32]
    ) -> npt.NDArray[np.uint32]:
        """The matches of an event; `state` has no event, and `positions` room for all expressions and one more."""
        plan = self.plan
        bits = self._kept_bits.take()
        if bits is None:
            num_places = int(plan.group_starts[NUM_GROUPS]) + len(plan.node_is_and) + 2
            bits = np.zeros(-(-num_places // 64), np.uint64)
        started = thread_time_ns()
        count = pass_levels(event, events, self._table, plan, state, bits, positions)
        self._pass_ns = _learnt(self._pass_ns, thread_time_ns() - started)
        self._kept_bits.give(bits)
        return positions[:count].copy()


def _learnt(expected: float, measured: float) -> float:
    bounded = min(max(measured, expected / MOST_CHANGE), MOST_CHANGE * expected)
    return (expected + bounded) / 2
