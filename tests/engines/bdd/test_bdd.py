"""Are decision diagrams reduced, ordered, shared and bounded, and do walks through them end where they should?"""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.engines.bdd.engine import Bdd
from eligo.engines.bdd.kernels.shared_diagrams import WORDS
from eligo.engines.scan.engine import Scan
from eligo.errors import NormalFormTooLargeError
from eligo.language.limits import Limits
from engine_cases import engine_of, expression_texts, matches, some_events

policies = pytest.mark.parametrize("missing", ["unknown", "false"])


@policies
@pytest.mark.parametrize("reorder", [True, False])
def test_bdd_agrees_with_scan(missing: Any, reorder: bool) -> None:
    texts = expression_texts(150, seed=3)
    scan = engine_of(Scan, *texts, *texts, missing=missing)
    bdd = engine_of(Bdd, *texts, *texts, missing=missing, sample=some_events(20, seed=5), reorder=reorder)
    rows = some_events(40, seed=4)
    events = EventBatch.from_dicts(rows, bdd.vocabulary)
    expected = scan.match_batch(events)
    for found in (bdd.match_batch(events), bdd.match_from_every_root(events), bdd.match_batch(events)):
        assert found.offsets.tolist() == expected.offsets.tolist()
        assert found.positions.tolist() == expected.positions.tolist()
    again = Bdd.from_arrays(bdd.arrays(), bdd.table, bdd.vocabulary)
    assert again.match_batch(events).positions.tolist() == expected.positions.tolist()
    for row in rows[:5]:
        event = EventBatch.from_dicts([row], bdd.vocabulary)
        assert bdd.top(event, 5).units.tolist() == scan.top(event, 5).units.tolist()


def decisions(engine: Any) -> list[tuple[int, int, int]]:
    """Fact, low and high of each decision, behind the two ends."""
    rows = engine.diagrams.decisions.reshape(-1, WORDS)[2:].tolist()
    return [(fact >> 1, low, high) for fact, low, high in rows]


def roots(engine: Any) -> list[int]:
    """The root of each expression."""
    found = [0] * engine.num_expressions
    diagrams = engine.diagrams
    for number, root in enumerate(diagrams.roots.tolist()):
        for place in range(diagrams.root_offsets[number], diagrams.root_offsets[number + 1]):
            found[diagrams.root_expressions[place]] = root >> 1
    return found


@pytest.mark.parametrize("reorder", [True, False])
def test_diagrams_are_reduced_and_ordered(reorder: bool) -> None:
    engine = engine_of(Bdd, *expression_texts(100, seed=8), reorder=reorder)
    rows = decisions(engine)
    assert len(set(rows)) == len(rows)
    assert all(low != high for _, low, high in rows)
    for root in set(roots(engine)):
        # No way from a root asks for a fact twice, and all ways ask in one order.
        followers: dict[int, set[int]] = {}
        todo = [root]
        while todo:
            decision = todo.pop()
            if decision < 2:
                continue
            fact, *sides = rows[decision - 2]
            followers.setdefault(fact, set()).update(rows[side - 2][0] for side in sides if side >= 2)
            todo += sides
        seen: set[int] = set()
        while ready := {fact for fact in followers if fact not in seen and not followers[fact] - seen}:
            seen |= ready
        assert seen == followers.keys()


def test_equal_functions_have_one_diagram() -> None:
    engine = engine_of(
        Bdd,
        "a and (b or c)",
        "a and b or a and c",
        "(c or b) and a",
        "a and b or a and c or a and b and c",
        "not (a xor b)",
        "a xnor b",
        missing="false",
        reorder=False,
    )
    same = roots(engine)
    assert same[0] == same[1] == same[3] and same[4] == same[5]
    assert same[0] != same[4]
    ordered = engine_of(Bdd, "a and (b or c)", "(c or b) and a", "b and d", "c and d", missing="false")
    assert roots(ordered)[0] == roots(ordered)[1]


def test_decisions_are_shared() -> None:
    engine = engine_of(Bdd, "a and c and d", "b and c and d", "c and d", "d")
    assert engine.stats().num_nodes == 4
    assert engine.stats().details["roots"] == 4


def test_what_is_always_or_never_true_is_an_end() -> None:
    texts = ["true", "false", "a or not a", "a and not a", "(a or b) and (not a or not b) and (a xnor b)"]
    engine = engine_of(Bdd, *texts, missing="false")
    assert roots(engine) == [1, 0, 1, 0, 0]
    assert engine.stats().num_nodes == 0
    assert matches(engine, {}) == matches(engine, {"a": True}) == [0, 2]


def test_a_root_is_entered_through_its_low_way_only() -> None:
    engine = engine_of(Bdd, *(f"a = {number} and (b = 1 or c = 1)" for number in range(50)))
    assert engine.stats().num_postings == 50
    assert matches(engine, {"a": 7, "b": 1}) == [7]
    assert engine.stats().details["walks"] == 1
    events = EventBatch.from_dicts([{"a": 7, "b": 1}], engine.vocabulary)
    assert engine.match_from_every_root(events).positions.tolist() == [7]
    assert engine.stats().details["walks"] == 1 + 50


def test_a_fact_may_take_a_match_away() -> None:
    engine = engine_of(Bdd, "a weak not in (1)", "a is missing", "not (a = 1 and b = 2)", missing="false")
    assert matches(engine, {}) == [0, 1, 2]
    assert matches(engine, {"a": 1}) == [2]
    assert matches(engine, {"a": 1, "b": 2}) == []
    assert matches(engine, {"a": 2, "b": 2}) == [0, 2]


def test_what_several_lead_to_is_walked_once() -> None:
    engine = engine_of(Bdd, *(f"a = {number} and (b = 1 or c = 1 or d = 1)" for number in range(40)))
    tags = engine_of(Bdd, *(f"tags = {number} and (b = 1 or c = 1 or d = 1)" for number in range(40)))
    assert matches(engine, {"a": 3, "d": 1}) == [3]
    assert matches(tags, {"tags": list(range(40)), "d": 1}) == list(range(40))
    assert tags.stats().num_evaluations == 40 + 3


@pytest.mark.parametrize("count", [1, 2, 3, 30, 200])
def test_xor_grows_with_its_length(count: int) -> None:
    names = [f"a{number}" for number in range(count)]
    engine = engine_of(Bdd, " xor ".join(names), missing="false")
    assert engine.stats().num_nodes == 2 * count - 1
    chance = random.Random(count)
    for _ in range(5):
        chosen = {name: True for name in names if chance.random() < 0.5}
        assert matches(engine, chosen) == [0] * (len(chosen) % 2)


def test_every_function_of_three_facts() -> None:
    cases = list(product([False, True], repeat=3))

    def row(case: tuple[bool, ...]) -> str:
        return " and ".join(name if own else f"not {name}" for own, name in zip(case, "abc", strict=True))

    texts = [
        " or ".join(row(case) for place, case in enumerate(cases) if number >> place & 1) or "false"
        for number in range(256)
    ]
    engine = engine_of(Bdd, *texts, missing="false", reorder=False)
    assert len(set(roots(engine))) == 256
    for place, case in enumerate(cases):
        event = {name: True for own, name in zip(case, "abc", strict=True) if own}
        assert matches(engine, event) == [number for number in range(256) if number >> place & 1]


def crossed(width: int) -> str:
    """Small in the order of the pairs, and large in the order of the first list."""
    first = " and ".join(f"a{number}" for number in range(width))
    pairs = " or ".join(f"a{number} and b{number}" for number in range(width))
    return f"({first}) or ({pairs})"


def test_a_diagram_beyond_the_bound_is_refused_by_its_row() -> None:
    with pytest.raises(NormalFormTooLargeError, match="the decision diagram has more than 200 decisions") as refused:
        engine_of(Bdd, "x", crossed(12), "y", bound=200)
    assert refused.value.rows == (1,)
    texts = {"small": "x", "wide": crossed(18)}
    with pytest.raises(NormalFormTooLargeError, match="expression 'wide': the decision diagram") as named:
        eligo.build(texts, engine="bdd")
    assert 'engine="a_tree"' in named.value.help
    index = eligo.build(texts, engine="bdd", on_error="reject")
    assert index.match({"x": True}) == ["small"] and [reject.id for reject in index.rejects] == ["wide"]
    with pytest.raises(NormalFormTooLargeError):
        index.insert("wide", crossed(18))
    wider = eligo.build({"w": crossed(12)}, engine="bdd", limits=Limits(normal_form=100_000))
    assert wider.match({"a3": True, "b3": True}) == ["w"]


def test_what_is_large_in_the_order_by_shares_is_made_in_that_of_the_text() -> None:
    pairs = " or ".join(f"(a{number} and b{number})" for number in range(14))
    # The neighbours make each a rarer than each b: the pairs keep together all the same.
    neighbours = [f"b{number} and c{row}" for number in range(14) for row in range(3)]
    engine = engine_of(Bdd, pairs, *neighbours, bound=200)
    assert engine.stats().num_nodes < 28 + 3 * len(neighbours)
    both = f"({pairs}) and ({' or '.join(f'(a{number} xor c{number})' for number in range(6))})"
    assert engine_of(Bdd, both, *neighbours).stats().details["as_written"] is not None
    assert matches(engine, {"a5": True, "b5": True}) == [0]


def test_walks_longer_than_what_is_kept() -> None:
    texts = [" and ".join(f"a{place}" for place in range(first, 80)) for first in range(0, 80, 3)]
    engine = engine_of(Bdd, *texts)
    event = {f"a{place}": True for place in range(5, 80)}
    expected = [number for number, first in enumerate(range(0, 80, 3)) if first >= 5]
    assert matches(engine, event) == expected
    assert matches(engine, {**event, "a79": False}) == []


def test_no_expressions_match_nothing() -> None:
    index = eligo.build({}, engine="bdd")
    assert index.match({"a": 1}) == []
    assert index.match_batch([{"a": 1}, {}]).offsets.tolist() == [0, 0, 0]
