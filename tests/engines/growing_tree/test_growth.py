"""Do insertion, deletion and matching cost what A-Tree 2021, sections 4.3 and 5.4, says? Counted, not timed."""

from __future__ import annotations

from itertools import product

import pytest

from eligo.engines.growing_tree.engine import GrowingTree
from eligo.language.text.parse import parse
from growing_cases import of_texts

SIZES = (20, 100, 1_000)
"""Expressions that are there before."""


def crowd(size: int) -> list[str]:
    """Expressions that share the predicate `g`, and one of ten others."""
    return [f"g and (q{number % 10} or r = {number}) and s = {number}" for number in range(size)]


def cost_of_insertion(tree: GrowingTree, text: str) -> tuple[int, int, int]:
    """How many edges an insertion reads, and how many nodes and edges it adds."""
    before = tree.stats()
    tree.insert(1_000_000, parse(text))
    after = tree.stats()
    return (
        after.num_climbs - before.num_climbs,
        after.num_nodes - before.num_nodes,
        after.num_edges - before.num_edges,
    )


class TestInsertion:
    """Section 4.3: by the size of the expression, not by the number of those that are there."""

    @pytest.mark.parametrize("size", SIZES)
    def test_what_is_there_costs_nothing(self, size: int) -> None:
        assert cost_of_insertion(of_texts(*crowd(size)), crowd(size)[7]) == (0, 0, 0)

    def test_the_number_of_expressions_makes_no_difference(self) -> None:
        """Although `g` is in all of them, and an `or` like the new one in many."""
        costs = {cost_of_insertion(of_texts(*crowd(size)), "g and (q3 or x) and y and z") for size in SIZES}
        [(climbs, nodes, edges)] = costs
        assert climbs <= 4 * 4
        assert (nodes, edges) == (5, 6)

    def test_reorganisation_is_at_most_quadratic_in_the_predicates(self) -> None:
        """With a node for every two predicates that stand side by side."""
        climbs = {}
        for size in (8, 16, 32, 64):
            tree = of_texts(*(f"p{number} or p{number + 1}" for number in range(size - 1)))
            climbs[size], _, edges = cost_of_insertion(tree, " or ".join(f"p{number}" for number in range(size)))
            assert 0 < climbs[size] <= size * size
            assert edges == size // 2  # a cover of pairs
        assert all(climbs[2 * size] <= 4 * climbs[size] for size in (8, 16, 32))

    @pytest.mark.parametrize("size", [2, 4, 8, 16])
    def test_space_is_linear_in_the_predicates(self, size: int) -> None:
        text = " or ".join(f"(a{number} and b{number})" for number in range(size // 2))
        stats = of_texts(text).stats()
        assert stats.num_nodes <= 2 * size and stats.num_edges <= 2 * size


class TestDeletion:
    @pytest.mark.parametrize("size", SIZES)
    def test_a_shared_expression_costs_nothing(self, size: int) -> None:
        tree = of_texts(*crowd(size), *crowd(size)[:1])
        before = tree.stats()
        tree.delete(size)
        after = tree.stats()
        assert (after.num_climbs, after.num_nodes) == (before.num_climbs, before.num_nodes)

    @pytest.mark.parametrize("size", SIZES)
    def test_only_what_nobody_uses_is_removed(self, size: int) -> None:
        tree = of_texts(*crowd(size))
        before = tree.stats()
        tree.delete(3)  # its root, its `or`, and two leaves
        after = tree.stats()
        assert (before.num_nodes - after.num_nodes, before.num_edges - after.num_edges) == (4, 5)
        assert after.num_climbs == before.num_climbs


class TestMatching:
    """Section 5.4: |E| pairs of an event, N_v predicates that match each of them, and N_l levels above."""

    def touched(self, num_pairs: int, num_predicates: int, num_levels: int, num_others: int = 0) -> int:
        texts = []
        for pair, own in product(range(num_pairs), range(num_predicates)):
            text = f"a{pair} in (1, {own + 2})"
            for level in range(2, num_levels + 1):
                text = f"({text}) and w" if level % 2 else f"({text}) or z{pair} = {own}"
            texts.append(text)
        texts += [f"a{number % num_pairs} = {number + 1_000} and b{number}" for number in range(num_others)]
        tree = of_texts(*texts)
        event: dict[str, object] = {f"a{pair}": 1 for pair in range(num_pairs)} | {"w": True}
        assert len(tree.match(event)) == num_pairs * num_predicates
        return tree.stats().last_match.num_nodes - (num_levels > 2)  # without the leaf `w`

    @pytest.mark.parametrize(
        ("num_pairs", "num_predicates", "num_levels"), [*product((2, 4, 8), (3, 6), (1, 2, 3, 4, 6))]
    )
    def test_nodes_touched_are_the_product(self, num_pairs: int, num_predicates: int, num_levels: int) -> None:
        assert self.touched(num_pairs, num_predicates, num_levels) == num_pairs * num_predicates * num_levels

    def test_expressions_that_the_event_does_not_meet_make_no_difference(self) -> None:
        assert {self.touched(4, 3, 3, num_others) for num_others in (0, 10, 1_000)} == {4 * 3 * 3}
