"""How is a tree made to answer single events one way? By a choice that is told before."""

from __future__ import annotations

from eligo.engines.a_tree.dense_event import LevelPasses
from eligo.engines.a_tree.engine import ATree


class Ways(LevelPasses):
    """Asks for every event with candidates which way to take, and takes those that it was told to, by turns."""

    def take(self, *passes: bool) -> Ways:
        self.fewest_candidates = 0
        self.taken: list[bool] = []
        self.passes = passes
        return self

    def prefers_pass(self, num_candidates: int) -> bool:
        self.taken.append(self.passes[len(self.taken) % len(self.passes)])
        return self.taken[-1]


def with_ways(engine: ATree, *passes: bool) -> Ways:
    """Have an engine that was asked nothing yet choose like that."""
    ways = Ways(engine.tree, engine.table, engine.vocabulary.num_keys).take(*passes)
    engine._levels = ways
    return ways
