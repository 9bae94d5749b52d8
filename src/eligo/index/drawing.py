"""What does the tree look like around an expression? Drawn as A-Tree 2021 does, with those that share parts of it."""

from __future__ import annotations

from collections.abc import Mapping

from eligo.data.expressions.expression_source import ExpressionId
from eligo.data.schema.hierarchy import Hierarchy
from eligo.engines.growing_tree.engine import GrowingTree
from eligo.index.live.live_part import LivePart
from eligo.language.evaluate import Missing
from eligo.language.tree import Expression


def draw(
    expressions: Mapping[ExpressionId, Expression], missing: Missing, hierarchies: Mapping[str, Hierarchy], radius: int
) -> str:
    """DOT text of the first expression's nodes and what is within `radius` edges of its root."""
    tree = GrowingTree(missing=missing, hierarchies=hierarchies)
    for position, expression in enumerate(expressions.values()):
        tree.insert(position, expression)
    return tree.to_graphviz(0, radius=radius, names=[str(id) for id in expressions])


def relatives(live: LivePart, position: int, most: int) -> list[ExpressionId]:
    """Ids of expressions of the same shard that share parts with one, nearer ones first."""
    for shard in live.part.shards:
        if position < len(shard.ids):
            ids: list[ExpressionId] = shard.ids.take(shard.engine.relatives(position, most)).to_pylist()
            return ids
        position -= len(shard.ids)
    return []
