"""Which nodes are the same as, parts of, or wholes around a given set of nodes? The searches behind an insertion.

`find_slot` decides equality by operator and members, never by a hash alone (A-Tree 2021, 4.2.1, has ids that collide).
`choose_cover` is its Algorithm 2 and `find_wholes` the search of its Algorithm 3. Neither scans the tree:

    parts     a node that is part of the set has all its children in it, so also the one that it is anchored at;
              climbing from the members through anchored parents meets each part once
    wholes    a node around the set has each of its members; climbing from the one with the fewest parents meets all

Members are sorted lists of node numbers. Where a node has no list of members, its children are its members. What a
search costs is counted in `climbs`: the edges to parents that it has read, for parts and for wholes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.kernels.codes import AND, LITERAL, XNOR, XOR
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE, mix, u64
from eligo.kernels.parameter_types import Bools, Int64s, Integer, UInt32s

FREE = 255
"""The kind of a node number that is not in use."""
REMOVED = np.uint32(0xFFFFFFFE)
"""A slot whose node is gone; probes go on behind it."""
FOR_PARTS, FOR_WHOLES = 0, 1
"""Places in `climbs`."""


class SearchArrays(NamedTuple):
    """What the searches read of a growing tree."""

    kind_of_node: npt.NDArray[np.uint8]
    """For each node: its kind of `codes`, or FREE."""
    member_start: npt.NDArray[np.uint32]
    member_count: npt.NDArray[np.uint32]
    """For each node: the length of its list of members; 0 when its children are its members."""
    members: npt.NDArray[np.uint32]
    child_start: npt.NDArray[np.uint32]
    child_count: npt.NDArray[np.uint32]
    children: npt.NDArray[np.uint32]
    parent_start: npt.NDArray[np.uint32]
    parent_count: npt.NDArray[np.uint32]
    num_anchored: npt.NDArray[np.uint32]
    """For each node: how many of its parents, the first ones, are anchored at it."""
    parents: npt.NDArray[np.uint32]


@kernel
def members_of(node: Integer, tree: SearchArrays) -> Any:
    """The members of a node, sorted."""
    if tree.member_count[node] > 0:
        start = np.int64(tree.member_start[node])
        return tree.members[start : start + np.int64(tree.member_count[node])]
    start = np.int64(tree.child_start[node])
    return tree.children[start : start + np.int64(tree.child_count[node])]


@kernel
def _hash_of(kind: Integer, members: UInt32s) -> Any:
    code = u64(kind + 1)
    for member in members:
        code = mix(code ^ u64(member))
    return code


@kernel
def _same(left: UInt32s, right: UInt32s) -> Any:
    is_same = len(left) == len(right)
    place = 0
    while is_same and place < len(left):
        is_same = left[place] == right[place]
        place += 1
    return is_same


@kernel
def find_slot(kind: Integer, members: UInt32s, slots: UInt32s, tree: SearchArrays) -> Any:
    """The slot of the node with this kind and these members, or else -1 - (the slot where it belongs)."""
    mask = u64(len(slots) - 1)
    slot = _hash_of(kind, members) & mask
    gap = np.int64(-1)
    while slots[slot] != NONE:
        node = slots[slot]
        if node == REMOVED:
            if gap < 0:
                gap = np.int64(slot)
        elif tree.kind_of_node[node] == kind and _same(members_of(node, tree), members):
            return np.int64(slot)
        slot = (slot + u64(1)) & mask
    return -1 - (gap if gap >= 0 else np.int64(slot))


@kernel
def fill_slots(slots: UInt32s, tree: SearchArrays) -> None:
    """Put all connectives into empty slots."""
    mask = u64(len(slots) - 1)
    for node in range(len(tree.kind_of_node)):
        kind = tree.kind_of_node[node]
        if kind in (FREE, LITERAL):
            continue
        slot = _hash_of(np.int64(kind), members_of(node, tree)) & mask
        while slots[slot] != NONE:
            slot = (slot + u64(1)) & mask
        slots[slot] = node


@kernel
def is_part(part: UInt32s, whole: UInt32s) -> Any:
    """Whether a sorted list is contained in another, each number at most as often."""
    if len(part) > len(whole):
        return False
    place = 0
    for member in part:
        while place < len(whole) and whole[place] < member:
            place += 1
        if place == len(whole) or whole[place] != member:
            return False
        place += 1
    return True


@kernel
def _appended(array: UInt32s, length: Integer, value: Integer) -> Any:
    """The array with a value at `length`, made longer when it is full."""
    if length == len(array):
        longer = np.empty(2 * length + 8, np.uint32)
        longer[:length] = array
        array = longer
    array[length] = value
    return array


@kernel
def _parts(kind: Integer, universe: UInt32s, tree: SearchArrays, climbs: Int64s) -> Any:
    """All nodes of a kind whose members are a proper part of the universe."""
    found = np.empty(8, np.uint32)
    num_found = 0
    for step in range(len(universe)):
        if step > 0 and universe[step] == universe[step - 1]:
            continue
        reached = num_found
        node = universe[step]
        while True:
            start = np.int64(tree.parent_start[node])
            climbs[FOR_PARTS] += np.int64(tree.num_anchored[node])
            for place in range(start, start + np.int64(tree.num_anchored[node])):
                parent = tree.parents[place]
                if tree.kind_of_node[parent] != kind:
                    continue
                members = members_of(parent, tree)
                if len(members) < len(universe) and is_part(members, universe):
                    found = _appended(found, num_found, parent)
                    num_found += 1
            if reached == num_found:
                break
            node = found[reached]
            reached += 1
    return found[:num_found]


@kernel
def _gain(members: UInt32s, universe: UInt32s, is_covered: Bools, is_exact: bool) -> Any:
    """How many members are not covered yet; 0 when one is and none may be covered twice."""
    gain = 0
    place = 0
    for member in members:
        while universe[place] < member or (is_exact and universe[place] == member and is_covered[place]):
            place += 1
            if place == len(universe):
                return 0
        if universe[place] != member:
            return 0
        gain += 0 if is_covered[place] else 1
        place += 1
        if place == len(universe):
            break
    return gain if not is_exact or gain == len(members) else 0


@kernel
def _cover(members: UInt32s, universe: UInt32s, is_covered: Bools, is_exact: bool) -> None:
    place = 0
    for member in members:
        while universe[place] != member or (is_exact and is_covered[place]):
            place += 1
        is_covered[place] = True
        place += 1


@kernel
def choose_cover(kind: Integer, universe: UInt32s, tree: SearchArrays, climbs: Int64s) -> Any:
    """The children of a new node with these members (A-Tree 2021, Algorithm 2): nodes that cover, then the rest.

    Each step takes the node that covers the most members not yet covered; of equals the one with the fewest members,
    then the lowest number. For `and` and `or` a member may be covered again; for `xor` and `xnor` that would change the
    meaning. Where a node covers one member only, an edge is swapped for an edge: an `and` gains, because it hears of a
    rarer child, and other kinds do not.
    """
    parts = _parts(kind, universe, tree, climbs)
    is_exact = kind in (XOR, XNOR)
    least_gain = 1 if kind == AND else 2
    is_covered = np.zeros(len(universe), np.bool_)
    children = np.empty(len(universe), np.uint32)
    num_children = 0
    while len(parts):
        best = -1
        best_gain = least_gain
        for place in range(len(parts)):
            members = members_of(parts[place], tree)
            gain = _gain(members, universe, is_covered, is_exact)
            if gain < best_gain:
                continue
            if gain == best_gain and best >= 0:
                least = members_of(parts[best], tree)
                if len(members) > len(least) or (len(members) == len(least) and parts[place] > parts[best]):
                    continue
            best = place
            best_gain = gain
        if best < 0:
            break
        _cover(members_of(parts[best], tree), universe, is_covered, is_exact)
        children[num_children] = parts[best]
        num_children += 1
    for place in range(len(universe)):
        if not is_covered[place]:
            children[num_children] = universe[place]
            num_children += 1
    return children[:num_children]


@kernel
def find_wholes(node: Integer, mark: Integer, marks: UInt32s, tree: SearchArrays, climbs: Int64s) -> Any:
    """All nodes of the node's kind that have its members and more (the search of A-Tree 2021, Algorithm 3).

    `marks` has a number for each node; those that the search has met are set to `mark`.
    """
    kind = tree.kind_of_node[node]
    members = members_of(node, tree)
    rarest = members[0]
    for member in members:
        if tree.parent_count[member] < tree.parent_count[rarest]:
            rarest = member
    pending = np.empty(8, np.uint32)
    pending[0] = rarest
    num_pending = 1
    found = np.empty(8, np.uint32)
    num_found = 0
    marks[node] = mark
    while num_pending:
        num_pending -= 1
        current = pending[num_pending]
        start = np.int64(tree.parent_start[current])
        climbs[FOR_WHOLES] += np.int64(tree.parent_count[current])
        for place in range(start, start + np.int64(tree.parent_count[current])):
            parent = tree.parents[place]
            if tree.kind_of_node[parent] != kind or marks[parent] == mark:
                continue
            marks[parent] = mark
            pending = _appended(pending, num_pending, parent)
            num_pending += 1
            around = members_of(parent, tree)
            if len(around) > len(members) and is_part(members, around):
                found = _appended(found, num_found, parent)
                num_found += 1
    return found[:num_found]
