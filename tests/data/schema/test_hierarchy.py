"""Taxonomies: from paths and edges, what is under what, and what is no forest."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.schema.hierarchy import Hierarchy
from eligo.errors import HierarchyError

SPORTS = Hierarchy.from_edges([("NFL", "Sports"), ("MLB", "Sports"), ("Jets", "NFL"), ("News", None)])


def test_what_is_under_what() -> None:
    assert SPORTS.is_under("Jets", "Sports") and SPORTS.is_under("Jets", "NFL") and SPORTS.is_under("Jets", "Jets")
    assert not SPORTS.is_under("NFL", "Jets") and not SPORTS.is_under("MLB", "NFL")
    assert SPORTS.ancestors("Jets") == ["NFL", "Sports"]
    assert SPORTS.ancestors("Sports") == SPORTS.ancestors("unknown") == []
    assert list(SPORTS.nodes_under("Sports")) == ["Sports", "MLB", "NFL", "Jets"]
    assert SPORTS.roots == ["News", "Sports"]
    assert SPORTS.children("Sports") == ["MLB", "NFL"] and SPORTS.children("Jets") == []
    assert len(SPORTS) == 5 and "NFL" in SPORTS and "nfl" not in SPORTS


def test_what_the_taxonomy_does_not_have_is_under_itself_only() -> None:
    assert SPORTS.is_under("Chess", "Chess") and not SPORTS.is_under("Chess", "Sports")
    assert not SPORTS.is_under("Sports/NFL", "Sports")
    assert list(SPORTS.nodes_under("Chess")) == ["Chess"]


def test_paths_name_nodes_by_the_whole_path_or_by_the_last_step() -> None:
    whole = Hierarchy.from_paths(["Sports/NFL/Jets", "Sports/MLB", "News"])
    assert list(whole) == ["News", "Sports", "Sports/MLB", "Sports/NFL", "Sports/NFL/Jets"]
    assert whole.ancestors("Sports/NFL/Jets") == ["Sports/NFL", "Sports"]
    assert not whole.is_under("Sports/NFL/Giants", "Sports")
    steps = Hierarchy.from_paths(["Sports > NFL > Jets", "Sports > MLB", "News"], " > ", names="step")
    assert steps == SPORTS
    assert hash(steps) == hash(SPORTS) and steps != whole


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"child": ["NFL", "MLB", "Jets", "News"], "parent": ["Sports", "Sports", "NFL", None]}),
        pd.DataFrame({"child": ["NFL", "MLB", "Jets", "News"], "parent": ["Sports", "Sports", "NFL", float("nan")]}),
        pa.record_batch({"child": ["NFL", "MLB", "Jets", "News"], "parent": ["Sports", "Sports", "NFL", None]}),
        {"NFL": "Sports", "MLB": "Sports", "Jets": "NFL", "News": None}.items(),
        [["Jets", "NFL"], ["News", None], ["NFL", "Sports"], ["MLB", "Sports"], ["NFL", "Sports"]],
    ],
)
def test_edges_from_tables_and_pairs(table: Any) -> None:
    assert Hierarchy.from_edges(table) == SPORTS


def test_edges_with_other_column_names() -> None:
    table = pa.table({"node": ["a"], "above": ["b"]})
    assert Hierarchy.from_edges(table, child="node", parent="above").ancestors("a") == ["b"]
    with pytest.raises(HierarchyError, match="no column 'child'; it has 'node', 'above'"):
        Hierarchy.from_edges(table)


@pytest.mark.parametrize(
    ("edges", "problem"),
    [
        ([("a", "b"), ("a", "c")], "'a' has two parents, 'b' and 'c'"),
        ([("a", "b"), ("a", None)], "'a' has two parents, 'b' and none"),
        ([("a", "a")], "circle: 'a' under 'a'"),
        ([("x", "a"), ("a", "b"), ("b", "c"), ("c", "a")], "circle: 'a' under 'b' under 'c' under 'a'"),
        ([("a", 1)], "the nodes of a taxonomy are strings, not 1"),
        ([("a",)], "an edge is a pair"),
        (["ab"], "an edge is a pair"),
        ([("\ud800", "a")], "half a surrogate pair"),
    ],
)
def test_what_is_no_forest_is_refused(edges: Any, problem: str) -> None:
    with pytest.raises(HierarchyError, match=problem):
        Hierarchy.from_edges(edges)


@pytest.mark.parametrize(
    ("paths", "options", "problem"),
    [
        (["a//b"], {}, "empty step"),
        (["/a"], {}, "empty step"),
        (["a/b", "c/b"], {"names": "step"}, "'b' has two parents"),
        (["a/b/a"], {"names": "step"}, "'a' has two parents, none and 'b'"),
        (["a"], {"separator": ""}, "cannot be empty"),
        (["a"], {"names": "leaf"}, "not a way to name nodes"),
    ],
)
def test_paths_that_make_no_forest_are_refused(paths: list[str], options: dict[str, Any], problem: str) -> None:
    with pytest.raises(HierarchyError, match=problem):
        Hierarchy.from_paths(paths, **options)


@given(st.dictionaries(st.integers(1, 30), st.integers(0, 29)))
def test_json_and_pickle_give_the_taxonomy_back(parent_of: dict[int, int]) -> None:
    edges = [(str(child), str(parent % child)) for child, parent in parent_of.items()]
    hierarchy = Hierarchy.from_edges(edges)
    form = json.loads(json.dumps(hierarchy.to_json()))
    assert Hierarchy.from_json(form) == hierarchy == pickle.loads(pickle.dumps(hierarchy))
    for child, _ in edges:
        above = hierarchy.ancestors(child)
        assert all(hierarchy.is_under(child, node) for node in [child, *above])
        assert all(child in hierarchy.nodes_under(node) for node in [child, *above])


@pytest.mark.parametrize("form", [{}, [], {"edges": {}}, {"edges": [], "more": 1}])
def test_other_json_is_refused(form: Any) -> None:
    with pytest.raises(HierarchyError, match="a taxonomy in JSON is"):
        Hierarchy.from_json(form)


def test_a_very_deep_taxonomy_does_not_recurse() -> None:
    depth = 999  # as deep as one may be, and deeper than Python's own stack
    chain = Hierarchy.from_edges([(str(node), str(node + 1)) for node in range(depth)])
    assert len(chain.ancestors("0")) == depth
    assert sum(1 for _ in chain.nodes_under(str(depth))) == depth + 1


def test_the_levels_of_a_taxonomy_are_bounded() -> None:
    chain = [(str(level), str(level - 1) if level else None) for level in range(1_000)]
    assert len(Hierarchy.from_edges(chain).ancestors("999")) == 999
    for edges in ([*chain, ("1000", "999")], [("1000", "999"), *reversed(chain)]):
        with pytest.raises(HierarchyError, match="at most 1,000 levels"):
            Hierarchy.from_edges(edges)
    for names in ("path", "step"):
        with pytest.raises(HierarchyError, match="at most 1,000 levels"):
            Hierarchy.from_paths(["/".join(map(str, range(200_000)))], names=names)
