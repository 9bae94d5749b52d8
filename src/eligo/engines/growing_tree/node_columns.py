"""What is a node of a growing tree, in numbers? One place in each of these arrays, and a list in each of these pools.

Arrays double when they are full; numbers of removed nodes are used again. Python reads single numbers through views
(`kinds`, `levels`, `uses`, …), kernels read the arrays.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from eligo.engines.growing_tree.kernels.growing_arrays import TreeArrays
from eligo.engines.growing_tree.kernels.growing_search import FREE, SearchArrays
from eligo.engines.growing_tree.list_pool import ListPool, copied_arrays, grown, number_view
from eligo.engines.growing_tree.parent_lists import ParentLists
from eligo.kernels.codes import LITERAL
from eligo.kernels.hashing import NONE

NO_NODE = int(NONE)


class NodeColumns:
    """The arrays and lists of all nodes."""

    def __init__(self) -> None:
        size = 16
        self.kind_of_node = np.full(size, FREE, np.uint8)
        self.level_of_node = np.zeros(size, np.uint32)
        self.use_count = np.zeros(size, np.uint32)
        """For each node: the expressions that it is, and the nodes that have it as a member."""
        self.access_child = np.full(size, NONE, np.uint32)
        """For each connective: the child that it is anchored at; NONE for leaves."""
        self.likelihood = np.zeros(size, np.float64)
        """For each node: a guess at how often it is true."""
        self.num_needing_false = np.zeros(size, np.uint32)
        """For each node: edges from parents for which false and unknown differ; kept only where that can be."""
        self.is_heard = np.zeros(size, np.uint8)
        """For each leaf: whether its results are reported."""
        self.test_of_leaf = np.zeros(size, np.uint32)
        self.outcomes_of_leaf = np.zeros(size, np.uint8)
        self.marks = np.zeros(size, np.uint32)
        """For each node: the last search that met it."""
        self.members = ListPool()
        """Of each connective that has others than its children."""
        self.children = ListPool()
        self.parents = ParentLists()
        self.expressions = ListPool()
        self._free = list(range(size - 1, -1, -1))
        self._look()

    def copy(self) -> Self:
        """The same nodes in other arrays."""
        twin = copied_arrays(self)
        twin.members, twin.children = self.members.copy(), self.children.copy()
        twin.parents, twin.expressions = self.parents.copy(), self.expressions.copy()
        twin._free = self._free.copy()
        twin._look()
        return twin

    def _look(self) -> None:
        size = len(self.kind_of_node)
        for pool in (self.members, self.children, self.parents, self.expressions):
            pool.cover(size - 1)
        self.kinds, self.levels, self.uses = map(number_view, (self.kind_of_node, self.level_of_node, self.use_count))
        self.access, self.needs = number_view(self.access_child), number_view(self.num_needing_false)
        self.tests, self.outcomes = number_view(self.test_of_leaf), number_view(self.outcomes_of_leaf)
        self.heard = number_view(self.is_heard)

    def _grow(self) -> None:
        old = len(self.kind_of_node)
        size = 2 * old
        self.kind_of_node = grown(self.kind_of_node, size, FREE)
        self.access_child = grown(self.access_child, size, NO_NODE)
        self.level_of_node, self.use_count = grown(self.level_of_node, size), grown(self.use_count, size)
        self.likelihood, self.is_heard = grown(self.likelihood, size), grown(self.is_heard, size)
        self.num_needing_false, self.marks = grown(self.num_needing_false, size), grown(self.marks, size)
        self.test_of_leaf, self.outcomes_of_leaf = grown(self.test_of_leaf, size), grown(self.outcomes_of_leaf, size)
        self._free.extend(range(size - 1, old - 1, -1))
        self._look()

    def __len__(self) -> int:
        return len(self.kind_of_node) - len(self._free)

    def numbers(self) -> list[int]:
        """The nodes that are there."""
        found: list[int] = np.flatnonzero(self.kind_of_node != FREE).tolist()
        return found

    def members_of(self, node: int) -> list[int]:
        """The members of a connective, sorted."""
        return self.members.values(node) or self.children.values(node)

    def search_arrays(self) -> SearchArrays:
        """What the searches read."""
        members, children, parents = self.members, self.children, self.parents
        return SearchArrays(
            self.kind_of_node,
            *(members.start, members.count, members.items),
            *(children.start, children.count, children.items),
            *(parents.start, parents.count, parents.num_anchored, parents.items),
        )

    def tree_arrays(self) -> TreeArrays:
        """What matching reads."""
        children, parents, expressions = self.children, self.parents, self.expressions
        return TreeArrays(
            *(self.kind_of_node, self.level_of_node, self.access_child, self.num_needing_false),
            *(self.is_heard, self.test_of_leaf, self.outcomes_of_leaf),
            *(children.start, children.count, children.items),
            *(parents.start, parents.num_heard, parents.items),
            *(expressions.start, expressions.count, expressions.items),
        )

    def add_node(self, kind: int, likelihood: float) -> int:
        """A number for a new node, at level 1 and without edges."""
        if not self._free:
            self._grow()
        node = self._free.pop()
        self.kinds[node] = kind
        self.levels[node] = 1
        self.likelihood[node] = likelihood
        return node

    def add_leaf(self, test: int, outcomes: int, likelihood: float) -> int:
        """A new leaf."""
        leaf = self.add_node(LITERAL, likelihood)
        self.tests[leaf] = test
        self.outcomes[leaf] = outcomes
        return leaf

    def release(self, node: int) -> None:
        """Give back the number of a node without edges."""
        self.kinds[node] = FREE
        self.access[node] = NO_NODE
        self.needs[node] = 0
        self._free.append(node)

    def array_bytes(self) -> dict[str, int]:
        """Bytes of the flat arrays, by what they hold."""
        pools = {
            "members": self.members,
            "children": self.children,
            "parents": self.parents,
            "expressions": self.expressions,
        }
        columns = "kind_of_node level_of_node use_count access_child likelihood num_needing_false is_heard marks"
        columns += " test_of_leaf outcomes_of_leaf"
        sizes = {name: int(getattr(self, name).nbytes) for name in columns.split()}
        return sizes | {name: sum(array.nbytes for array in pool.arrays()) for name, pool in pools.items()}
