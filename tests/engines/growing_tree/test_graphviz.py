from __future__ import annotations

import pytest

from eligo.errors import InputError
from growing_cases import of_texts


def test_a_neighbourhood() -> None:
    tree = of_texts("(a = 'x\"y' or b) and c", "c and d", "e")
    text = tree.to_graphviz(0)
    assert text.startswith("digraph") and text.count("->") == 5
    assert 'x\\"y' in text and "expression 0" in text
    assert "e = true" not in text
    assert tree.to_graphviz(0, radius=0).count("label") == 1
    assert tree.to_graphviz(node=tree.node_of(2)).count("label") == 1


def test_leaves_are_readable() -> None:
    texts = ["a != 1", "a in (2, 1)", "a not between 1 and 2", "a exists", "a is missing", "a starts with 'x'"]
    texts += ["a under 'x'", "a < 1", "a >= 2", "a weak not in (1)"]
    shown = ["not a = 1", "a in (1, 2)", "not a between 1 and 2", "a exists", "a is missing", "a starts with 'x'"]
    shown += ["a under 'x'", "a < 1", "a >= 2", "not a = 1 [or missing]"]
    tree = of_texts(*texts)
    for position, text in enumerate(shown):
        assert f": {text}\\n" in tree.to_graphviz(position)


def test_a_large_neighbourhood_is_cut() -> None:
    tree = of_texts(*(f"a or b = {number}" for number in range(1_000)))
    leaf = tree.nodes.children.values(tree.node_of(0) or 0)[0]
    assert "more" in tree.to_graphviz(node=leaf)


def test_wrong_arguments_are_refused() -> None:
    tree = of_texts("a", "true")
    for arguments in ({}, {"position": 0, "node": 0}, {"node": 99}, {"node": 5}, {"position": 1}):
        with pytest.raises(InputError):
            tree.to_graphviz(**arguments)
