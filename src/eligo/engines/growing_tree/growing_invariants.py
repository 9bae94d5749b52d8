"""Is a growing tree sound? The rules that hold between any two of its operations, checked one by one.

It costs far more than any operation, so only tests call it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from eligo.engines.growing_tree.growing_nodes import OVERLAPPING, GrowingNodes
from eligo.engines.growing_tree.growing_predicates import GrowingPredicates
from eligo.engines.growing_tree.kernels.growing_arrays import FALSE, TRUE, WHEN_MISSING, WHEN_NOT_HIT
from eligo.engines.growing_tree.kernels.growing_search import REMOVED
from eligo.engines.growing_tree.node_columns import NO_NODE
from eligo.engines.growing_tree.parent_lists import ANCHORED, HEARD, SILENT
from eligo.kernels.codes import AND, LITERAL, NOT, OR, XNOR, XOR
from eligo.kernels.hashing import NONE


def check(
    nodes: GrowingNodes, predicates: GrowingPredicates, root_of_position: Mapping[int, int], suppress: bool
) -> None:
    """Raise an AssertionError where a rule is broken."""
    present = nodes.numbers()
    alive = set(present)
    leaves = [node for node in present if nodes.kinds[node] == LITERAL]
    connectives = [node for node in present if nodes.kinds[node] != LITERAL]
    assert all(nodes.kinds[node] in (AND, OR) for node in connectives) or not suppress
    for node in connectives:
        _check_structure(nodes, node, alive)
    _check_uses(nodes, present, connectives, root_of_position)
    _check_edges(nodes, present, connectives)
    _check_table(nodes, connectives)
    _check_leaves(nodes, predicates, leaves, suppress)


def _check_structure(nodes: GrowingNodes, node: int, alive: set[int]) -> None:
    kind = nodes.kinds[node]
    members, children = nodes.members_of(node), nodes.children.values(node)
    assert members == sorted(members) and alive.issuperset(members) and alive.issuperset(children)
    assert len(members) == 1 if kind == NOT else len(members) >= 2
    assert nodes.access[node] in children
    assert nodes.levels[node] == 1 + max(nodes.levels[child] for child in children)
    if kind in OVERLAPPING:
        assert len(set(members)) == len(members) and len(set(children)) == len(children)
        assert all(nodes.kinds[member] != kind for member in members)
        covered = {member for child in children for member in nodes.cover_of(child, kind)}
        assert covered == set(members)
    elif sorted(children) != members:
        covers = [child for child in children if child not in members]
        assert all(nodes.kinds[child] == kind for child in covers)
        given = Counter(child for child in children if child in members)
        given.update(member for child in covers for member in nodes.members_of(child))
        assert given == Counter(members)


def _check_uses(
    nodes: GrowingNodes, present: list[int], connectives: list[int], root_of_position: Mapping[int, int]
) -> None:
    roots = {position: root for position, root in root_of_position.items() if root >= 0}
    uses = Counter(roots.values())
    for node in connectives:
        uses.update(nodes.members_of(node))
    attached = {position: node for node in present for position in nodes.expressions.values(node)}
    assert attached == roots
    for node in present:
        assert nodes.uses[node] == uses[node] > 0, f"node {node} is used {uses[node]} times, not {nodes.uses[node]}"


def _check_edges(nodes: GrowingNodes, present: list[int], connectives: list[int]) -> None:
    expected: dict[int, list[list[int]]] = {node: [[], [], []] for node in present}
    needs = Counter[int]()
    num_edges = 0
    for node in connectives:
        for child in nodes.children.values(node):
            num_edges += 1
            is_asked = nodes.on_demand and nodes.kinds[node] == AND and not nodes.needs[node]
            part = ANCHORED if child == nodes.access[node] else SILENT if is_asked else HEARD
            expected[child][part].append(node)
            if nodes.tracks_need and (nodes.kinds[node] in (NOT, XOR, XNOR) or nodes.needs[node]):
                needs[child] += 1
    assert num_edges == nodes.num_edges
    for node in present:
        found = nodes.parents.values(node)
        anchored, heard = nodes.parents.anchored[node], nodes.parents.heard[node]
        parts = [found[:anchored], found[anchored:heard], found[heard:]]
        assert [sorted(part) for part in parts] == [sorted(part) for part in expected[node]]
        assert nodes.needs[node] == needs[node]
        assert (nodes.access[node] == NO_NODE) == (nodes.kinds[node] == LITERAL)


def _check_table(nodes: GrowingNodes, connectives: list[int]) -> None:
    entered = [node for node in nodes.slots.tolist() if node not in (int(NONE), int(REMOVED))]
    if nodes.share:
        assert sorted(entered) == connectives
        contents = {(nodes.kinds[node], *nodes.members_of(node)) for node in connectives}
        assert len(contents) == len(connectives)
        assert all(nodes.find(nodes.kinds[node], nodes.members_of(node)) == node for node in connectives)
    else:
        assert entered == []


def _check_leaves(nodes: GrowingNodes, predicates: GrowingPredicates, leaves: list[int], suppress: bool) -> None:
    least = TRUE if suppress else FALSE
    not_hit: dict[int, list[int]] = {}
    missing: dict[int, list[int]] = {}
    assert not nodes.touched_leaves
    for leaf in leaves:
        test, outcomes = nodes.tests[leaf], nodes.outcomes[leaf]
        assert leaf in predicates.leaves.values(test)
        is_heard = bool(nodes.parents.heard[leaf] or nodes.expressions.length(leaf))
        assert bool(nodes.heard[leaf]) == is_heard
        attribute = int(predicates.attribute_of_test[test])
        if is_heard and outcomes >> WHEN_NOT_HIT & 3 >= least:
            not_hit.setdefault(attribute, []).append(leaf)
        if is_heard and outcomes >> WHEN_MISSING & 3 >= least:
            missing.setdefault(attribute, []).append(leaf)
    if nodes.share:
        assert len({(nodes.tests[leaf], nodes.outcomes[leaf]) for leaf in leaves}) == len(leaves)
    assert predicates.num_tests == len({nodes.tests[leaf] for leaf in leaves})
    predicates.check(not_hit, missing)
