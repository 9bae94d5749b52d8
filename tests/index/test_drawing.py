from __future__ import annotations

import pytest

import eligo

TEXTS = {
    "wide": "(state = 'CA' or state = 'NY') and age > 3",
    "shared": "(state = 'CA' or state = 'NY') and age < 9",
    "literal": "age > 3 and vip",
    "apart": "plan = 'free' and seats = 2",
    "always": "true",
}


@pytest.mark.parametrize("engine", ["a_tree", "scan"])
def test_an_expression_is_drawn_with_its_nodes(engine: str) -> None:
    dot = eligo.build(TEXTS, engine=engine).to_graphviz("wide")
    assert dot.startswith("digraph tree {") and dot.rstrip().endswith("}")
    assert "expression wide" in dot and "age > 3" in dot and "state = 'NY'" in dot


def test_expressions_that_share_parts_are_drawn_and_others_are_not() -> None:
    dot = eligo.build(TEXTS).to_graphviz("wide", radius=4)
    assert "expression shared" in dot and "expression literal" in dot
    assert "expression apart" not in dot


def test_the_number_of_expressions_and_the_radius_are_bounded() -> None:
    index = eligo.build({number: f"a = 1 and b = {number}" for number in range(100)})
    assert index.to_graphviz(7, most_expressions=3, radius=9).count("expression") == 4
    assert index.to_graphviz(7, radius=0).count("label") == 1


def test_a_new_expression_is_drawn_alone() -> None:
    index = eligo.build(TEXTS)
    index.insert("late", "(state = 'CA' or state = 'NY') and age > 3 and vip")
    dot = index.to_graphviz("late")
    assert "expression late" in dot and "expression wide" not in dot
    index.merge()
    assert "expression wide" in index.to_graphviz("late", radius=4)


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(eligo.EligoError, match="no expression 'none'"):
        eligo.build(TEXTS).to_graphviz("none")
    with pytest.raises(eligo.EligoError, match="constant"):
        eligo.build(TEXTS).to_graphviz("always")
