"""How do the nodes of a tree that grows stay unique, linked and in level? A-Tree 2021, sections 4.1 and 4.2.

A connective is what its members say: `a or b or c` is the `or` of the members {a, b, c}. How it is put together is
another matter, and changes: its children may be other nodes that cover several members at once.

    members    a, b, c, d            what the node is: never changes, found by hash, counted as uses
    children   (a or b or c), d      how it is evaluated: changed by reorganisation, adjustment and deletion

Rules that hold between any two operations (`growing_invariants.py` checks them):
- the children cover the members: for `and` and `or` each at least once, for `xor` and `xnor` exactly;
- a node is there because an expression is that node or a node has it as a member; that is its use count;
- a node's level is one more than the highest of its children;
- each edge stands in the parent list of its child, in the part that `ParentLists` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Self

import numpy as np
import numpy.typing as npt

from eligo.engines.growing_tree.kernels.growing_search import (
    FREE,
    REMOVED,
    choose_cover,
    fill_slots,
    find_slot,
    find_wholes,
)
from eligo.engines.growing_tree.node_columns import NO_NODE, NodeColumns
from eligo.engines.growing_tree.parent_lists import ANCHORED, HEARD, SILENT
from eligo.kernels.codes import AND, LITERAL, NOT, OR, XNOR, XOR
from eligo.kernels.hashing import NONE

OVERLAPPING = (AND, OR)
"""Connectives in which a member may be covered more than once."""


class GrowingNodes(NodeColumns):
    """The nodes, their edges, and the operations that keep the rules."""

    def __init__(self, *, share: bool, reorganise: bool, self_adjust: bool, on_demand: bool, tracks_need: bool) -> None:
        super().__init__()
        self.share = share
        self.on_demand = on_demand
        self.tracks_need = tracks_need and on_demand
        """Whether there may be nodes for which false and unknown differ, and it matters who they are."""
        self._reorganise = reorganise and share
        self._self_adjust = self_adjust and share
        self.slots = np.full(32, NONE, np.uint32)
        """A hash table of connectives by kind and members."""
        self._num_slots_used = 0
        self._mark = 0
        self.climbs = np.zeros(2, np.int64)
        """Edges that all insertions so far have read, in search of parts and of wholes."""
        self.num_edges = 0
        self.top_level = 1
        """The highest level that any node has had."""
        self.touched_leaves: set[int] = set()
        """Leaves whose listeners may have changed."""

    def copy(self) -> Self:
        twin = super().copy()
        twin.touched_leaves = self.touched_leaves.copy()
        return twin

    def find(self, kind: int, members: Sequence[int]) -> int | None:
        """The node with this kind and these sorted members."""
        if not self.share:
            return None
        key = np.array(members, np.uint32)
        slot = int(find_slot(kind, key, self.slots, self.search_arrays()))
        return int(self.slots[slot]) if slot >= 0 else None

    def add_connective(self, kind: int, members: Sequence[int]) -> int:
        """A new connective with these sorted members, put together from what is there (A-Tree 2021, Algorithm 4)."""
        key = np.array(members, np.uint32)
        children = list(members)
        if self._reorganise and kind != NOT and len(members) > 2:
            children = choose_cover(kind, key, self.search_arrays(), self.climbs).tolist()
        node = self.add_node(kind, self._combined_likelihood(kind, key))
        for member in members:
            self.uses[member] += 1
        self._put_first_children(node, children, members)
        if self.share:
            self._enter(node, kind, key)
        if self._self_adjust and kind != NOT:
            self._adjust(node)
        return node

    def _combined_likelihood(self, kind: int, members: npt.NDArray[np.uint32]) -> float:
        chances = self.likelihood[members]
        if kind == AND:
            return float(np.prod(chances))
        if kind == OR:
            return float(1.0 - np.prod(1.0 - chances))
        return float(1.0 - chances[0]) if kind == NOT else 0.5

    def _enter(self, node: int, kind: int, key: npt.NDArray[np.uint32]) -> None:
        """Put a connective into the hash table, which is at most half full."""
        if 2 * (self._num_slots_used + 1) > len(self.slots):
            num_connectives = int(np.count_nonzero(self.kind_of_node < LITERAL))
            self.slots = np.full(max(32, 1 << (4 * num_connectives).bit_length()), NONE, np.uint32)
            fill_slots(self.slots, self.search_arrays())
            self._num_slots_used = num_connectives
            return
        slot = -1 - int(find_slot(kind, key, self.slots, self.search_arrays()))
        if self.slots[slot] == NONE:
            self._num_slots_used += 1
        self.slots[slot] = node

    def _adjust(self, node: int) -> None:
        """Let a new node stand for its parts in the nodes around it (A-Tree 2021, Algorithm 3)."""
        self._mark += 1
        wholes = find_wholes(node, self._mark, self.marks, self.search_arrays(), self.climbs).tolist()
        if not wholes:
            return
        kind = self.kinds[node]
        own_members, own_children = set(self.members_of(node)), Counter(self.children.values(node))
        for whole in wholes:
            children = self.children.values(whole)
            if kind in OVERLAPPING:
                kept = [child for child in children if not self._is_inside(child, kind, own_members)]
            else:
                rest = Counter(children)
                if own_children - rest:
                    continue
                kept = list((rest - own_children).elements())
            if len(kept) <= len(children) - 2:
                self._put_children(whole, [*kept, node], self.members_of(whole))

    def _is_inside(self, child: int, kind: int, members: set[int]) -> bool:
        if self.kinds[child] == kind:
            return members.issuperset(self.members_of(child))
        return child in members

    def _put_first_children(self, node: int, children: Sequence[int], members: Sequence[int]) -> None:
        """Put a new node together."""
        self.access[node] = self._least_likely(children)
        self.children.put(node, children)
        if len(children) < len(members):
            self.members.put(node, members)
        other_part = self.part_of_edge(node, NO_NODE)
        for child in children:
            self._add_edge(node, child, ANCHORED if child == self.access[node] else other_part)
        levels = self.levels
        levels[node] = 1 + max([levels[child] for child in children])
        self.top_level = max(self.top_level, levels[node])

    def _put_children(self, node: int, children: Sequence[int], members: Sequence[int]) -> None:
        """Put a node together differently."""
        before, after = Counter(self.children.values(node)), Counter(children)
        for child in (before - after).elements():
            self._drop_edge(node, child, self.part_of_edge(node, child))
        old_access, access = self.access[node], self._least_likely(children)
        if access != old_access:
            other_part = self.part_of_edge(node, NO_NODE)
            for child in (before & after).elements():
                if child == old_access:
                    self._move_edge(node, child, ANCHORED, other_part)
                elif child == access:
                    self._move_edge(node, child, other_part, ANCHORED)
        self.access[node] = access
        is_plain = len(children) == len(members) and after == Counter(members)
        self.members.put(node, [] if is_plain else members)
        self.children.put(node, members if is_plain else children)
        for child in (after - before).elements():
            self._add_edge(node, child, self.part_of_edge(node, child))
        self._put_levels([node])

    def _least_likely(self, children: Sequence[int]) -> int:
        """The access child: of equally likely ones the one with the fewest parents, then the lowest number."""
        likelihood, counts = self.likelihood, self.parents.counts
        return min(children, key=lambda child: (likelihood[child], counts[child], child))

    def _is_on_demand(self, node: int) -> bool:
        return self.on_demand and self.kinds[node] == AND and not self.needs[node]

    def part_of_edge(self, node: int, child: int) -> int:
        """The part of the child's parent list in which the node stands."""
        if child == self.access[node]:
            return ANCHORED
        return SILENT if self._is_on_demand(node) else HEARD

    def _touch(self, node: int) -> None:
        if self.kinds[node] == LITERAL:
            self.touched_leaves.add(node)

    def _add_edge(self, node: int, child: int, part: int) -> None:
        self.parents.add(child, node, part)
        self.num_edges += 1
        self._touch(child)
        if self.tracks_need and self._needs_false(node):
            self._change_need([(child, 1)])

    def _drop_edge(self, node: int, child: int, part: int) -> None:
        self.parents.discard(child, node, part)
        self.num_edges -= 1
        self._touch(child)
        if self.tracks_need and self._needs_false(node):
            self._change_need([(child, -1)])

    def _move_edge(self, node: int, child: int, old: int, new: int) -> None:
        self.parents.discard(child, node, old)
        self.parents.add(child, node, new)
        self._touch(child)

    def _needs_false(self, node: int) -> bool:
        """Whether false and unknown children make a difference to a node, and that difference to anyone."""
        return self.kinds[node] in (NOT, XOR, XNOR) or self.needs[node] > 0

    def _change_need(self, changes: list[tuple[int, int]]) -> None:
        """Count parents that need to know of false; an `and` is on demand only while there are none."""
        while changes:
            node, step = changes.pop()
            was_needed = self.needs[node] > 0
            self.needs[node] += step
            is_needed = self.needs[node] > 0
            if was_needed == is_needed or self.kinds[node] not in OVERLAPPING:
                continue
            old, new = (SILENT, HEARD) if is_needed else (HEARD, SILENT)
            for child in self.children.values(node):
                if self.kinds[node] == AND and child != self.access[node]:
                    self._move_edge(node, child, old, new)
                changes.append((child, step))

    def _put_levels(self, nodes: Iterable[int]) -> None:
        """Bring nodes to their levels, and what stands above them; lower ones first, so that each is met once."""
        pending: list[tuple[int, int]] = []
        for node in nodes:
            heappush(pending, (self.levels[node], node))
        while pending:
            _, node = heappop(pending)
            levels = self.levels
            level = 1 + max(levels[child] for child in self.children.values(node))
            if level == levels[node]:
                continue
            levels[node] = level
            self.top_level = max(self.top_level, level)
            for parent in set(self.parents.values(node)):
                heappush(pending, (levels[parent], parent))

    def attach(self, node: int, position: int) -> None:
        """Make a node an expression."""
        self.expressions.append(node, position)
        self.uses[node] += 1
        self._touch(node)

    def detach(self, node: int, position: int) -> list[int]:
        """Take an expression from its node; returns the leaves that are unused now, for the caller to free."""
        self.expressions.drop(node, self.expressions.find(node, position))
        self.uses[node] -= 1
        self._touch(node)
        return self.remove_unused([node])

    def remove_unused(self, nodes: Iterable[int]) -> list[int]:
        """Remove those of the nodes that nobody uses, and what then nobody uses (A-Tree 2021, Algorithm 5).

        The last of the nodes goes first. Unused leaves are returned, because their tests are not known here.
        """
        pending = list(nodes)
        leaves: dict[int, None] = {}
        while pending:
            node = pending.pop()
            kind = self.kinds[node]
            if kind == FREE or self.uses[node]:
                continue
            if kind == LITERAL:
                leaves[node] = None
                continue
            members = self.members_of(node)
            self._forget(node, kind, members)
            self._hand_over(node)
            for child in self.children.values(node):
                self._drop_edge(node, child, self.part_of_edge(node, child))
            for pool in (self.members, self.children):
                pool.clear(node)
            self.release(node)
            for member in members:
                self.uses[member] -= 1
                pending.append(member)
        return list(leaves)

    def _forget(self, node: int, kind: int, members: list[int]) -> None:
        if self.share:
            slot = find_slot(kind, np.array(members, np.uint32), self.slots, self.search_arrays())
            assert self.slots[slot] == node
            self.slots[slot] = REMOVED

    def _hand_over(self, node: int) -> None:
        """Give the children of a node that goes away to the nodes that it is a part of."""
        own = self.children.values(node)
        kind = self.kinds[node]
        for whole in set(self.parents.values(node)):
            children = self.children.values(whole)
            kept = [child for child in children if child != node]
            if kind in OVERLAPPING:
                bare = set(self.members_of(whole)).difference(*(self.cover_of(child, kind) for child in kept))
                for child in own:
                    cover = self.cover_of(child, kind)
                    if not bare.isdisjoint(cover):
                        bare.difference_update(cover)
                        kept.append(child)
            else:
                kept += own * (len(children) - len(kept))
            self._put_children(whole, kept, self.members_of(whole))

    def cover_of(self, child: int, kind: int) -> list[int]:
        """The members of a parent of this kind that a child covers."""
        return self.members_of(child) if self.kinds[child] == kind else [child]

    def free_leaf(self, leaf: int) -> None:
        """Remove an unused leaf."""
        self.touched_leaves.discard(leaf)
        self.release(leaf)

    def array_bytes(self) -> dict[str, int]:
        return super().array_bytes() | {"slots": self.slots.nbytes}
