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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.schema.hierarchy import Hierarchy
from eligo.engines.growing_tree import graphviz, growing_invariants
from eligo.engines.growing_tree.expression_nodes import ALWAYS, ExpressionNodes
from eligo.engines.growing_tree.growing_nodes import GrowingNodes
from eligo.engines.growing_tree.growing_predicates import GrowingPredicates
from eligo.engines.growing_tree.growing_scratch import MatchScratch, ReadyTree
from eligo.engines.growing_tree.growing_stats import GrowingTreeStats, LastMatch, measure
from eligo.engines.growing_tree.kernels.growing_arrays import FIRST, LEAVES, NEXT, NODES, PROPAGATIONS, TOP_LEVEL
from eligo.engines.growing_tree.kernels.growing_match import match_event
from eligo.engines.growing_tree.kernels.growing_search import FREE
from eligo.engines.growing_tree.node_recipe import Recipe, recipe_of
from eligo.errors import EligoError, InputError, UnknownIdError
from eligo.kernels.hashing import NONE
from eligo.language.evaluate import Missing
from eligo.language.rewrites.flatten import flatten
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.tree import Expression
from eligo.language.value import Scalar, event_attributes
from eligo.sharing import ScratchPool

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
        self._expression_nodes = ExpressionNodes(self.nodes, self.predicates)
        self._root_of_position: dict[int, int] = {}
        """The node of each expression, or ALWAYS, or NEVER, which are below 0."""
        self._always: set[int] = set()
        self._arrays: ReadyTree | None = None
        self._scratch: ScratchPool[MatchScratch] = ScratchPool()
        self._last = MatchScratch()
        """What the last match wrote."""
        self._lock = threading.RLock()
        self._is_whole = True
        """False while it changes, and for good when a change was broken off."""

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
        recipe = self.recipe(tree)
        with self._changing():
            self.put(position, recipe)

    def delete(self, position: int) -> None:
        """Remove an expression."""
        with self._changing():
            self.remove(position)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """For a change that no other thread sees half; after one that was broken off, the tree is of no use."""
        with self._lock:
            self._check_whole()
            self._is_whole = False
            try:
                yield
            except EligoError:
                self._is_whole = True  # refused, and cleared away
                raise
            self._is_whole = True

    def _check_whole(self) -> None:
        if not self._is_whole:
            raise InputError(
                "a change of this tree was broken off, or is under way in this very thread",
                help="ask outside of signal handlers; build another tree after an interruption",
            )

    def recipe(self, tree: Expression) -> Recipe:
        """What `put` takes of an expression."""
        normal = push_negations(tree, self.missing) if self._suppress else flatten(tree)
        return recipe_of(normal, self.missing)

    def put(self, position: int, recipe: Recipe) -> None:
        """As `insert`, for who has the tree for himself and the recipe of the expression."""
        self._arrays = None
        made: list[int] = []
        try:
            root = self._expression_nodes.node_of(recipe, made)
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

    def remove(self, position: int) -> None:
        """As `delete`, for who has the tree for himself."""
        if position not in self._root_of_position:
            raise UnknownIdError(f"there is no expression at position {position!r}")
        self._arrays = None
        self._detach(position)
        self._report_leaves()

    def copy(self) -> GrowingTree:
        """The same tree in other arrays; nobody may change this one meanwhile."""
        twin = copy(self)
        twin.nodes, twin.predicates = self.nodes.copy(), self.predicates.copy()
        twin._expression_nodes = ExpressionNodes(twin.nodes, twin.predicates)
        twin._root_of_position, twin._always = self._root_of_position.copy(), self._always.copy()
        twin._arrays = None
        twin._scratch = ScratchPool()
        twin._lock = threading.RLock()
        return twin

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
            self._check_whole()
            if self._arrays is None:
                self.prepare()
            return self.satisfied(attributes)

    def prepare(self) -> None:
        """Make the tree ready for `satisfied`, after changes and before the first reader."""
        num_tests, num_attributes = self.predicates.sizes
        sizes = {"test_signature": num_tests, "attribute_signature": num_attributes, "hits": num_tests, "counters": 0}
        sizes |= {"nodes": len(self.nodes.kind_of_node), "queues": self.nodes.top_level + 1}
        sizes |= {"matched": len(self._root_of_position)}
        always = np.fromiter(self._always, np.uint32, len(self._always))
        self._arrays = ReadyTree(self.nodes.tree_arrays(), self.predicates.arrays(), always, sizes)

    def satisfied(self, attributes: Mapping[str, tuple[Scalar, ...]]) -> npt.NDArray[np.uint32]:
        """As `match_attributes`, for any number of readers of a tree that is ready and not changed meanwhile."""
        ready = self._arrays
        assert ready is not None
        scratch = self._scratch.take() or MatchScratch()
        if scratch.sizes is not ready.sizes:
            scratch.fit(ready.sizes)
        count = match_event(
            self.predicates.probe(attributes),
            scratch.next_signature(),
            self._suppress,
            self._on_demand,
            ready.nodes,
            ready.tests,
            scratch.state,
        )
        matched = scratch.state.matched[:count]
        found = np.sort(np.concatenate((matched, ready.always)) if len(ready.always) else matched)
        self._last = scratch
        self._scratch.give(scratch)
        return found

    def last_match(self) -> LastMatch:
        """What the last match did."""
        counters = self._last.state.counters
        return LastMatch(int(counters[NODES]), int(counters[LEAVES]), int(counters[PROPAGATIONS]))

    def last_queues(self) -> list[list[int]]:
        """The nodes that the last match queued on each level, from level 1 up, in their order."""
        queues = []
        state = self._last.state
        for level in range(1, int(state.counters[TOP_LEVEL]) + 1):
            queue = []
            node = state.queues[level, FIRST]
            while node != NONE:
                queue.append(int(node))
                node = state.nodes[node, NEXT]
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
            sizes = self.nodes.array_bytes() | self.predicates.array_bytes()
            sizes["match_state"] = sum(array.nbytes for array in self._last.state)
            return measure(self.nodes, len(self), self.predicates.num_tests, sizes, self.last_match())

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
