"""How are expressions matched while they come and go? In A-Tree 2021's tree, which grows and shrinks in place.

    1: (p1 or p2 or p3) and p4 and (p5 or p6)          18 ─ and ──┬─ 17 ─ and ─┬─ 11 ─ or ─ p1, p2, p3
    2: (p5 or p6) and (p7 or p8)                                  │            └─ p4
    4: (p1 or p2 or p3) and p4                                    └─ 12 ─ or ─ p5, p6
                                                       16 ─ and ──┬─ 12
    18 is expression 1, 16 is 2, 17 is 4                          └─ 13 ─ or ─ p7, p8

Each distinct predicate, subexpression and expression is one node. An insertion uses what is there (Algorithm 2), and
what is there takes up what is new (Algorithm 3): 17 came after 18 and became a part of it. See `docs/a-tree.md`.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.hierarchy import Hierarchy
from eligo.engines import graphviz, growing_invariants
from eligo.engines.expression_nodes import ALWAYS, ExpressionNodes
from eligo.engines.growing_nodes import GrowingNodes
from eligo.engines.growing_predicates import GrowingPredicates
from eligo.engines.growing_stats import GrowingTreeStats, LastMatch, measure
from eligo.engines.list_pool import grown
from eligo.errors import InputError, UnknownIdError
from eligo.kernels.growing_arrays import FIRST, LEAVES, NEXT, NODES, PROPAGATIONS, TOP_LEVEL, MatchState, TreeArrays
from eligo.kernels.growing_search import FREE
from eligo.kernels.growing_tree import match_event
from eligo.kernels.hashing import NONE
from eligo.language.evaluate import Missing
from eligo.language.flatten import flatten
from eligo.language.push_negations import push_negations
from eligo.language.tree import Expression
from eligo.language.value import Scalar, event_attributes

LARGEST_POSITION = 2**32 - 2


class GrowingTree:
    """Expressions by their position, matched one event at a time; safe to share between threads.

    The options are the steps of A-Tree 2021's Figures 9 and 10; none of them changes what matches.
    - share: one node for what is the same. Without it, `reorganise` and `self_adjust` do nothing.
    - reorganise: put new nodes together from nodes that are there (Algorithm 2).
    - self_adjust: let new nodes be parts of nodes that are there (Algorithm 3).
    - zero_suppression: index the negation normal form and propagate true results only (5.2.1).
    - propagation_on_demand: an `and` hears its access child only, and asks the others (5.2.2).
    """

    def __init__(
        self,
        *,
        missing: Missing = "unknown",
        share: bool = True,
        reorganise: bool = True,
        self_adjust: bool = True,
        zero_suppression: bool = True,
        propagation_on_demand: bool = True,
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> None:
        if missing not in ("unknown", "false"):
            raise InputError(f"{missing!r} is not a policy for missing attributes", help='"unknown" or "false"')
        self.missing: Missing = missing
        self._suppress = zero_suppression
        self._on_demand = propagation_on_demand
        self.nodes = GrowingNodes(
            share=share,
            reorganise=reorganise,
            self_adjust=self_adjust,
            on_demand=propagation_on_demand,
            tracks_need=not zero_suppression,
        )
        self.predicates = GrowingPredicates(zero_suppression, hierarchies or {})
        self._expression_nodes = ExpressionNodes(self.nodes, self.predicates, missing)
        self._root_of_position: dict[int, int] = {}
        """The node of each expression, or ALWAYS, or NEVER, which are below 0."""
        self._always: set[int] = set()
        self._tree: TreeArrays | None = None
        self._state = _new_state()
        self._signature = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._root_of_position)

    def __contains__(self, position: object) -> bool:
        return position in self._root_of_position

    def positions(self) -> npt.NDArray[np.uint32]:
        """The positions that have an expression, ascending."""
        with self._lock:
            return np.array(sorted(self._root_of_position), np.uint32)

    def insert(self, position: int, tree: Expression) -> None:
        """Add an expression, or replace the one that has this position."""
        if isinstance(position, bool) or not 0 <= position <= LARGEST_POSITION:
            raise InputError(f"{position!r} is not a position", help=f"positions are from 0 to {LARGEST_POSITION}")
        tree = push_negations(tree, self.missing) if self._suppress else flatten(tree)
        with self._lock:
            self._change()
            made: list[int] = []
            try:
                root = self._expression_nodes.node_of(tree, made)
                if root >= 0:
                    self.nodes.attach(root, position)
                if position in self._root_of_position:
                    self._detach(position)
                self._root_of_position[position] = root
                if root == ALWAYS:
                    self._always.add(position)
            finally:
                self._free_leaves(self.nodes.remove_unused(made))
                self._report_leaves()

    def delete(self, position: int) -> None:
        """Remove an expression."""
        with self._lock:
            if position not in self._root_of_position:
                raise UnknownIdError(f"there is no expression at position {position!r}")
            self._change()
            self._detach(position)
            self._report_leaves()

    def _change(self) -> None:
        self._tree = None

    def _detach(self, position: int) -> None:
        root = self._root_of_position.pop(position)
        if root == ALWAYS:
            self._always.discard(position)
        elif root >= 0:
            self._free_leaves(self.nodes.detach(root, position))

    def _free_leaves(self, leaves: list[int]) -> None:
        nodes = self.nodes
        for leaf in leaves:
            test = nodes.tests[leaf]
            if nodes.heard[leaf]:
                self.predicates.hear(leaf, test, nodes.outcomes[leaf], False)
                nodes.heard[leaf] = 0
            self.predicates.remove_leaf(test, leaf)
            nodes.free_leaf(leaf)

    def _report_leaves(self) -> None:
        """Report the results of those leaves that someone hears, and only of those."""
        nodes = self.nodes
        for leaf in nodes.touched_leaves:
            is_heard = nodes.parents.heard[leaf] > 0 or nodes.expressions.counts[leaf] > 0
            if is_heard != bool(nodes.heard[leaf]):
                nodes.heard[leaf] = is_heard
                self.predicates.hear(leaf, nodes.tests[leaf], nodes.outcomes[leaf], is_heard)
        nodes.touched_leaves.clear()

    def match(self, event: Mapping[str, Any]) -> npt.NDArray[np.uint32]:
        """The positions of the expressions that an event satisfies, ascending."""
        return self.match_attributes(event_attributes(event))

    def match_attributes(self, attributes: Mapping[str, tuple[Scalar, ...]]) -> npt.NDArray[np.uint32]:
        """The same for an event that `event_attributes` has made ready."""
        with self._lock:
            if self._tree is None:
                self._tree = self.nodes.tree_arrays()
                self._state = self._fitting_state()
            self._signature += 1
            if self._signature == 2**32:
                self._clean_signatures()
            count = match_event(
                self.predicates.probe(attributes),
                self._signature,
                self._suppress,
                self._on_demand,
                self._tree,
                self.predicates.arrays(),
                self._state,
            )
            matched = self._state.matched[:count]
            always = np.fromiter(self._always, np.uint32, len(self._always))
            return np.sort(np.concatenate((matched, always)) if len(always) else matched)

    def _fitting_state(self) -> MatchState:
        """The state, made longer where the tree has outgrown it."""
        num_tests, num_attributes = self.predicates.sizes
        num_nodes = len(self.nodes.kind_of_node)
        sizes = {"test_signature": num_tests, "attribute_signature": num_attributes, "hits": num_tests, "counters": 0}
        sizes |= {"nodes": num_nodes, "queues": self.nodes.top_level + 1, "matched": len(self._root_of_position)}
        return MatchState(
            **{
                name: array
                if len(array) >= sizes[name]
                else grown(array, 2 * sizes[name], int(NONE) if name == "queues" else 0)
                for name, array in self._state._asdict().items()
            }
        )

    def _clean_signatures(self) -> None:
        for signatures in (self._state.test_signature, self._state.attribute_signature, self._state.nodes):
            signatures[:] = 0
        self._signature = 1

    def last_queues(self) -> list[list[int]]:
        """The nodes that the last match queued on each level, from level 1 up, in their order."""
        queues = []
        for level in range(1, int(self._state.counters[TOP_LEVEL]) + 1):
            queue = []
            node = self._state.queues[level, FIRST]
            while node != NONE:
                queue.append(int(node))
                node = self._state.nodes[node, NEXT]
            queues.append(queue)
        return queues

    def node_of(self, position: int) -> int | None:
        """The number of an expression's node; None when it is always true or never."""
        if position not in self._root_of_position:
            raise UnknownIdError(f"there is no expression at position {position!r}")
        root = self._root_of_position[position]
        return root if root >= 0 else None

    def stats(self) -> GrowingTreeStats:
        """What the tree holds, and what the last match did."""
        with self._lock:
            counters = self._state.counters
            last = LastMatch(int(counters[NODES]), int(counters[LEAVES]), int(counters[PROPAGATIONS]))
            sizes = self.nodes.array_bytes() | self.predicates.array_bytes()
            sizes["match_state"] = sum(array.nbytes for array in self._state)
            return measure(self.nodes, len(self), self.predicates.num_tests, sizes, last)

    def to_graphviz(
        self,
        position: int | None = None,
        *,
        node: int | None = None,
        radius: int = 2,
        names: Sequence[str] | None = None,
    ) -> str:
        """DOT text of what is within `radius` edges of an expression's node, or of a node; `names` are by position."""
        if (position is None) == (node is None):
            raise InputError("give a position or a node", help="to_graphviz(7) or to_graphviz(node=7)")
        centre = node if position is None else self.node_of(position)
        if centre is None:
            raise InputError(f"the expression at position {position} is constant and has no node")
        if not 0 <= centre < len(self.nodes.kind_of_node) or self.nodes.kinds[centre] == FREE:
            raise InputError(f"there is no node {centre}")
        with self._lock:
            return graphviz.neighbourhood(self.nodes, self.predicates, centre, radius, names)

    def check(self) -> None:
        """Raise an AssertionError unless all invariants hold; for tests."""
        with self._lock:
            growing_invariants.check(self.nodes, self.predicates, self._root_of_position, self._suppress)


def _new_state() -> MatchState:
    return MatchState(
        test_signature=np.zeros(0, np.uint32),
        attribute_signature=np.zeros(0, np.uint32),
        nodes=np.zeros((0, 4), np.uint32),
        queues=np.full((2, 2), NONE, np.uint32),
        hits=np.zeros(0, np.uint32),
        matched=np.zeros(0, np.uint32),
        counters=np.zeros(4, np.int64),
    )
