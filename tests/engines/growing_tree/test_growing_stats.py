from __future__ import annotations

from eligo.engines.growing_tree.engine import GrowingTree
from growing_cases import of_texts


def test_counts() -> None:
    tree = of_texts("(a or b) and c", "(a or b) and d", "(b or a) and c", "a")
    stats = tree.stats()
    assert stats.num_expressions == 4
    assert stats.num_nodes == 7
    assert stats.num_edges == 6
    assert stats.nodes_by_level == {1: {"leaf": 4}, 2: {"or": 1}, 3: {"and": 2}}
    assert stats.sharing_by_level == {1: (3 + 1 + 3 + 2 + 1) / 4, 2: 3.0, 3: 1.5}
    assert stats.num_bytes == sum(stats.bytes_by_array.values()) > 0
    assert 0 < stats.estimated_selectivity < 1


def test_last_match() -> None:
    tree = of_texts("a = 1 and b = 2", "a = 1 or c = 3")
    tree.match({"a": 1, "b": 2})
    assert tree.stats().last_match.num_nodes == 3
    tree.match({})
    assert tree.stats().last_match.num_nodes == 0


def test_an_empty_tree() -> None:
    stats = GrowingTree().stats()
    assert (stats.num_nodes, stats.sharing_by_level, stats.nodes_by_level) == (0, {}, {})
    assert GrowingTree().match({"a": 1}).tolist() == []


def test_each_option_saves_something() -> None:
    texts = ["(a or b or c) and d and (e or f)", "(a or b or c) and d", "a or b or c or d", "a or b or c"]

    def edges_and_nodes(**options: bool) -> tuple[int, int]:
        stats = of_texts(*texts, **options).stats()
        return stats.num_edges, stats.num_nodes

    none = edges_and_nodes(share=False)
    shared = edges_and_nodes(reorganise=False, self_adjust=False)
    reorganised = edges_and_nodes(self_adjust=False)
    adjusted = edges_and_nodes()
    assert none > shared > reorganised > adjusted
