"""What does the tree look like around a node? DOT text, which Graphviz draws.

A solid arrow goes from a child to a parent that hears it, a bold one to a parent whose access child it is; along a
dashed arrow the parent asks.
"""

from __future__ import annotations

from collections.abc import Sequence

from eligo.engines.growing_tree.growing_nodes import GrowingNodes
from eligo.engines.growing_tree.growing_predicates import GrowingPredicates
from eligo.engines.growing_tree.growing_stats import KIND_NAMES
from eligo.engines.growing_tree.leaf_form import leaf_text
from eligo.engines.growing_tree.parent_lists import ANCHORED, SILENT
from eligo.kernels.codes import LITERAL

MOST_NODES = 400
"""Nodes that are drawn; a predicate may have a million parents."""
MOST_POSITIONS = 5
"""Expressions that are listed at a node."""
LABEL_WIDTH = 60


def neighbourhood(
    nodes: GrowingNodes, predicates: GrowingPredicates, centre: int, radius: int, names: Sequence[str] | None = None
) -> str:
    """The nodes at most `radius` edges from a node, and all edges between them; `names` are those of expressions."""
    near: dict[int, None] = {centre: None}
    newest = [centre]
    num_hidden = 0
    for _ in range(radius):
        reached: dict[int, None] = {}
        for node in newest:
            for other in (*nodes.children.values(node), *nodes.parents.values(node)):
                if other not in near and other not in reached:
                    reached[other] = None
        shown = list(reached)[: MOST_NODES - len(near)]
        num_hidden += len(reached) - len(shown)
        near.update(dict.fromkeys(shown))
        newest = shown
    lines = ["digraph tree {", "  rankdir=BT;", '  node [shape=box, fontname="Helvetica"];']
    for node in sorted(near):
        style = ", style=bold" if node == centre else ""
        lines.append(f'  n{node} [label="{_label(nodes, predicates, node, names)}"{style}];')
    for node in sorted(near):
        for child in nodes.children.values(node):
            if child in near:
                lines.append(f"  n{child} -> n{node}{_edge_style(nodes, node, child)};")
    if num_hidden:
        lines.append(f'  more [label="{num_hidden} more", shape=plaintext];')
    return "\n".join([*lines, "}"]) + "\n"


def node_text(nodes: GrowingNodes, predicates: GrowingPredicates, node: int) -> str:
    """A leaf in full, or the operator of a connective."""
    if nodes.kinds[node] == LITERAL:
        return leaf_text(predicates.form_of(nodes.tests[node], nodes.outcomes[node]))
    return KIND_NAMES[nodes.kinds[node]]


def _label(nodes: GrowingNodes, predicates: GrowingPredicates, node: int, names: Sequence[str] | None) -> str:
    text = node_text(nodes, predicates, node)
    text = text if len(text) <= LABEL_WIDTH else f"{text[: LABEL_WIDTH - 1]}…"
    positions = sorted(nodes.expressions.values(node))
    shown = [str(position) if names is None else names[position] for position in positions[:MOST_POSITIONS]]
    listed = ", ".join(shown) + (", …" if len(positions) > MOST_POSITIONS else "")
    lines = [f"{node}: {text}", f"level {nodes.levels[node]}", f"used {nodes.uses[node]}×"]
    return "\\n".join(_escaped(line) for line in [*lines, *([f"expression {listed}"] if positions else [])])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _edge_style(nodes: GrowingNodes, node: int, child: int) -> str:
    part = nodes.part_of_edge(node, child)
    return " [style=bold]" if part == ANCHORED else " [style=dashed]" if part == SILENT else ""
