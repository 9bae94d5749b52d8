"""Do scores and ranks depend on the expression and the event alone? Not on order, engine, merge, part or neighbours."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eligo
import strategies
from eligo.engines import registry
from eligo.engines.a_tree.kernels.frozen_top import keep_highest
from eligo.engines.kernels import exact_scores
from eligo.engines.ranking import scores_of
from eligo.kernels.score_units import MOST_UNITS, UNITS, add_units, hit_units
from eligo.language.canonical import canonical_text
from eligo.language.score import score, score_units
from eligo.language.text.parse import parse
from eligo.language.tree import Expression
from test_agreement import build
from weighted_cases import WEIGHTS, some_events, some_texts

engines = pytest.mark.parametrize("engine", registry.names())

Ranked = list[tuple[Any, float]]


def ranked_by_the_oracle(texts: dict[Any, str], event: dict[str, Any], weights: Any) -> Ranked:
    units = {id: score_units(parse(text), event, weights=weights) for id, text in texts.items()}
    ranked = sorted((-own, place, id) for place, (id, own) in enumerate(units.items()) if own is not None)
    return [(id, -own / UNITS) for own, _, id in ranked]


EVENT_WEIGHTS: list[Any] = [
    None,
    {"a": 0.1, "b": 0.7, "c": {1: 0.3, 2: 1 / 3}, "d": 1e-9},
    {"a": 1e9, "b": 0.3, "e": 1 / 3},
]


@engines
def test_built_inserted_merged_published_and_opened_are_alike(engine: str, tmp_path: Path) -> None:
    texts = some_texts(60, seed=1)
    built = eligo.build(texts, engine=engine)
    inserted = eligo.build(dict(itertools.islice(texts.items(), 25)), engine=engine)
    for id in range(25, 60):
        inserted.insert(id, texts[id])
    merged = eligo.build({}, engine=engine)
    for id, text in texts.items():
        merged.insert(id, parse(text))
    merged.merge()
    inserted.save(tmp_path / "parts.index")
    opened = eligo.open(tmp_path / "parts.index")
    num_ranked = 0
    for event, weights in itertools.product(some_events(6, seed=2), EVENT_WEIGHTS):
        expected = ranked_by_the_oracle(texts, event, weights)
        num_ranked += len(expected)
        for n in (1, 5, 60):
            for index in (built, inserted, merged, opened):
                assert index.top(event, n, weights=weights) == expected[:n]
                assert index.top_batch([event], n, weights=weights).scored_ids(0) == expected[:n]
    assert num_ranked > 300


@engines
def test_neighbours_and_the_order_of_children_change_nothing(engine: str) -> None:
    children = ["a = 1^0.1", "b = 1^0.2", "c = 1^0.3", "d = 1^0.7", "e > 0^0.3333333333333333"]
    orders = list(itertools.permutations(children))[::7]
    texts = {number: " and ".join(order) for number, order in enumerate(orders)}
    texts |= {1_000 + number: f"{order[0]} and ({order[1]} or {order[2]})" for number, order in enumerate(orders)}
    event = dict.fromkeys("abcde", 1)
    together = dict(eligo.build(texts, engine=engine).top(event, len(texts)))
    assert {together[number] for number in range(len(orders))} == {1.633333333}
    for id in [0, 5, 1_003, 1_009]:
        assert eligo.build({id: texts[id]}, engine=engine).top(event) == [(id, together[id])]


@engines
@settings(max_examples=15)
@given(
    trees=st.lists(strategies.expressions(), min_size=1, max_size=6),
    event=strategies.events(),
    weights=strategies.event_weights(),
)
def test_each_alone_scores_what_it_scores_among_others(
    engine: str, trees: list[Expression], event: dict[str, Any], weights: dict[str, Any]
) -> None:
    together = dict(build(trees, "unknown", engine).top(event, len(trees), weights=weights))
    for id, tree in enumerate(trees):
        own = score(tree, event, weights=weights)
        assert together.get(id) == own
        assert eligo.build({id: canonical_text(tree)}, engine=engine).top(event, 1, weights=weights) == (
            [] if own is None else [(id, own)]
        )


def test_tenths_add_up() -> None:
    index = eligo.build({"x": "a = 1^0.1 and b = 1^0.2", "y": "c = 1^0.3"})
    assert index.top({"a": 1, "b": 1, "c": 1}) == [("x", 0.3), ("y", 0.3)]


@engines
def test_sums_stay_at_the_cap_in_any_order(engine: str) -> None:
    """Every text is above the cap or just below it; among those above, the position decides."""
    texts = {
        "first": "a = 1^1e9 and b = 1^1e9",
        "below": "a = 1^1e9 and c = 1^1e9",
        "second": "c = 1^1e9 and d = 1^0.1 and b = 1^1e9 and a = 1^1e9",
        "third": "(a = 1^1e9 or d = 1) and (b = 1^1e9 or c = 1)",
    }
    event, weights = dict.fromkeys("abcd", 1), {"a": 1.9, "b": 3.0, "c": 2.0}
    index = eligo.build(texts, engine=engine)
    expected = [("first", 4e9), ("second", 4e9), ("third", 4e9), ("below", 3.9e9)]
    for n in (1, 2, 3, 4):
        assert index.top(event, n, weights=weights) == expected[:n] == ranked_by_the_oracle(texts, event, weights)[:n]


@engines
def test_ranks_are_by_units_where_floats_are_equal(engine: str) -> None:
    """Above nine million, several scores in units are one float: the higher one still comes first."""
    texts = {"less": "a = 1^100000000", "more": "a = 1^100000000 and b = 1^1e-9", "most": "a = 1^1e8 and b = 1^2e-9"}
    index = eligo.build({"less": texts["less"], "more": texts["more"]}, engine=engine)
    index.insert("most", texts["most"])
    event = {"a": 1, "b": 1}
    expected = [("most", 1e8), ("more", 1e8), ("less", 1e8)]
    assert index.top(event, 3) == index.top_batch([event], 3).scored_ids(0) == expected
    index.merge()
    assert index.top(event, 3) == expected


def test_what_is_below_half_a_unit_counts_nothing() -> None:
    index = eligo.build({"none": "a = 1^4.9e-10", "even": "a = 1^5e-10", "one": "a = 1^5.1e-10"})
    assert index.top({"a": 1}, 3) == [("one", 1e-9), ("none", 0.0), ("even", 0.0)]


weights = st.one_of(st.sampled_from((0.0, *WEIGHTS)), st.floats(0, 1e9))


@given(weights, weights)
def test_compiled_and_plain_hits_are_the_same(weight: float, event_weight: float) -> None:
    units = hit_units(weight, event_weight)
    assert exact_scores.hit_units(weight, event_weight) == units == hit_units(event_weight, weight)
    assert 0 <= units <= MOST_UNITS and abs(units - min(weight * event_weight * 1e9, 4e18)) <= 0.5
    assert units <= exact_scores.bound_units(weight) * max(1.0, event_weight) * exact_scores.HAIR


@given(st.lists(st.integers(0, MOST_UNITS), max_size=6), st.randoms(use_true_random=False))
def test_sums_are_the_same_in_any_order(parts: list[int], chance: random.Random) -> None:
    def added(values: list[int]) -> int:
        total = 0
        for value in values:
            total = exact_scores.add_units(total, value)
            assert total == add_units(total, 0)
        return total

    assert added(parts) == added(chance.sample(parts, len(parts))) == min(sum(parts), MOST_UNITS)


@given(st.lists(st.integers(0, MOST_UNITS), min_size=1))
def test_scores_are_the_nearest_floats(units: list[int]) -> None:
    assert scores_of(np.array(units, np.int64)).tolist() == [own / UNITS for own in units]


def moves_of(count: int) -> int:
    """How many times something is written while so many rising scores are all kept."""
    moves = 0

    class Counted(list[int]):
        def __setitem__(self, place: Any, value: Any) -> None:
            nonlocal moves
            moves += 1
            super().__setitem__(place, value)

    plain: Any = getattr(keep_highest, "py_func", keep_highest)
    highest = Counted([-1] * count)
    for own in range(count):
        plain(own, highest)
    assert sorted(highest) == list(range(count))
    return moves


def test_keeping_all_costs_what_sorting_costs() -> None:
    assert moves_of(4_000) < 6 * moves_of(1_000) < 6 * 12 * 1_000  # 16 times as many if it were quadratic


WORK = """
import sys
import eligo

def lines_of(path, event, n):
    index = eligo.open(path)
    index.top(event, 3)
    count = 0
    def trace(frame, what, argument):
        nonlocal count
        count += what == "line"
        return trace
    sys.settrace(trace)
    found = index.top(event, n)
    sys.settrace(None)
    assert len(found) == n and all(one >= other for (_, one), (_, other) in zip(found, found[1:]))
    return count

engine, folder = sys.argv[1:]
for part in ("all", "most", "dead"):
    sizes = (150, 600)
    few, many = (lines_of(f"{folder}/{engine}-{part}-{size}", {"a": 1, "b": 60}, size * 9 // 10) for size in sizes)
    print(part, few, many)
    assert many < 7 * few, (engine, part, few, many)
"""


@pytest.mark.parametrize("engine", ["a_tree", "k_index", "cnf", "scan"])
def test_a_large_n_costs_what_sorting_costs(engine: str, tmp_path: Path) -> None:
    """The lines that the interpreted kernels run through grow as the number of matches does, and not as its square."""
    for size in (150, 600):
        wanted = size * 9 // 10
        rising = {id: f"a = 1^{0.1 * id!r} and b > {id % 50}" for id in range(size)}
        eligo.build(dict(list(rising.items())[:wanted]), engine=engine).save(tmp_path / f"{engine}-all-{size}")
        eligo.build(rising, engine=engine).save(tmp_path / f"{engine}-most-{size}")
        index = eligo.build(rising, engine=engine)
        for id in range(wanted, size):
            index.delete(id)
        index.save(tmp_path / f"{engine}-dead-{size}")
    found = subprocess.run(
        [sys.executable, "-c", WORK, engine, str(tmp_path)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
