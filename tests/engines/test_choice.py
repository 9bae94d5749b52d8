"""Which engine does `auto` take, does it say why, and does it change no answer?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_source import read_expressions
from eligo.engines import choice, registry
from eligo.engines.choice import Choice, choose
from eligo.engines.set_statistics import SetStatistics, form_sizes, measure
from eligo.errors import UnknownEngineError
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.workloads import ads_like, conjunctions, fontoura_trees, whang_contracts
from eligo.workloads.workload import Workload

NUM_EXPRESSIONS = 12_000
"""Enough that a choice is made."""


def chosen_for(workload: Workload, *, with_sample: bool) -> Choice:
    given = read_expressions(workload.expressions, schema=None, limits=DEFAULT_LIMITS)
    vocabulary, table = given.encode("unknown")
    sample = EventBatch.from_arrow(workload.events, vocabulary) if with_sample else None
    return choose(measure(table, vocabulary, sample))


@pytest.mark.parametrize("with_sample", [True, False])
@pytest.mark.parametrize(
    ("generate", "parameters", "engine"),
    [
        (conjunctions.generate, {}, "a_tree"),
        (ads_like.generate, {}, "a_tree"),
        (whang_contracts.generate, {}, "k_index"),
        (whang_contracts.generate, {"form": "cnf"}, "cnf"),
        (fontoura_trees.generate, {"max_depth": 2}, "propagation"),
    ],
)
def test_each_workload_has_its_engine(generate, parameters, engine, with_sample) -> None:  # type: ignore[no-untyped-def]
    found = chosen_for(generate(NUM_EXPRESSIONS, 64, 7, **parameters), with_sample=with_sample)
    assert found.engine == engine, found.why


def test_sizes_of_normal_forms_are_counted() -> None:
    given = read_expressions(
        {
            "x": "(a or b) and (c or d)",
            "y": "a",
            "z": "a and b or c and d and e",
            "t": "true",
            "o": " xor ".join(f"a{n} = 1" for n in range(10)),
        },
        schema=None,
        limits=DEFAULT_LIMITS,
    )
    _, table = given.encode("unknown")
    sizes = form_sizes(table)
    assert sizes.literals.tolist() == [4, 1, 5, 0, 20], "what xor needs twice is counted once"
    assert sizes.dnf.tolist() == [8, 1, 5, 0, 5120]
    assert sizes.cnf.tolist()[:4] == [4, 1, 12, 0]
    assert sizes.depths.tolist()[:4] == [2, 0, 2, 0]


BASE = SetStatistics(
    num_expressions=100_000,
    literals=8.0,
    depth=2,
    num_predicates=5_000,
    dnf_growth=1.0,
    cnf_growth=50.0,
    largest_dnf=90.0,
    largest_cnf=1e9,
)


@pytest.mark.parametrize(
    ("statistics", "engine"),
    [
        (BASE, "k_index"),
        (BASE._replace(num_expressions=choice.FEW_EXPRESSIONS - 1), "a_tree"),
        (BASE._replace(num_predicates=200_000), "a_tree"),
        (BASE._replace(num_predicates=50_000), "propagation"),
        (BASE._replace(num_predicates=120_000), "a_tree"),
        (BASE._replace(num_predicates=120_000, dnf_growth=4.0), "propagation"),
        (BASE._replace(dnf_growth=4.0), "propagation"),
        (BASE._replace(dnf_growth=4.0, largest_dnf=20_000.0), "a_tree"),
        (BASE._replace(dnf_growth=7.0), "a_tree"),
        (BASE._replace(dnf_growth=7.0, share=0.4), "propagation"),
        (BASE._replace(dnf_growth=9.0, share=0.4), "a_tree"),
        (BASE._replace(dnf_growth=9.0, cnf_growth=1.0, largest_cnf=60.0), "cnf"),
    ],
)
def test_rules(statistics: SetStatistics, engine: str) -> None:
    found = choose(statistics)
    assert found.engine == engine
    assert found.why


def test_the_limit_of_normal_forms_counts() -> None:
    assert choose(BASE, limits=Limits(normal_form=89)).engine == "a_tree"


def test_what_was_chosen_is_told_kept_and_asked_alike(tmp_path: Path) -> None:
    workload = whang_contracts.generate(NUM_EXPRESSIONS, 40, 3)
    index = eligo.build(workload.expressions)
    assert index.settings.engine == "auto"
    assert index.engine_name == "k_index"
    (only,) = index.stats().chosen[0]
    assert only.engine == "k_index"
    assert "ORs of ANDs" in only.why
    other = eligo.build(workload.expressions, engine="a_tree")
    assert "by its name" in other.stats().chosen[0][0].why
    index.save(tmp_path / "index")
    opened = eligo.open(tmp_path / "index", trust=False)
    assert opened.stats().chosen == index.stats().chosen
    assert opened.stats().engine == "auto"
    for each in (index, opened):
        found = each.match_batch(workload.events)
        expected = other.match_batch(workload.events)
        assert np.array_equal(found.offsets, expected.offsets)
        assert np.array_equal(found.positions, expected.positions)
    assert eligo.verify(tmp_path / "index", deep=True).is_whole


def test_what_is_inserted_may_have_any_shape() -> None:
    index = eligo.build(whang_contracts.generate(NUM_EXPRESSIONS, 1, 3).expressions)
    wide = " and ".join(f"(x{n} = 1 or y{n} = 1)" for n in range(20))
    narrower = " and ".join(f"(x{n} = 1 or y{n} = 1)" for n in range(14))
    odd = " xor ".join(f"x{n} = 1" for n in range(60))
    for id, text in enumerate((wide, narrower, odd), 10**9):
        index.insert(id, text)
    event = {f"x{n}": int(n < 59) for n in range(60)}
    expected = [id for id in index.match(event) if id >= 10**9]
    assert expected == [10**9, 10**9 + 1, 10**9 + 2]
    index.merge()
    assert [id for id in index.match(event) if id >= 10**9] == expected
    assert index.engine_name == "a_tree"


def test_a_set_that_grows_is_judged_again() -> None:
    rows = whang_contracts.generate(NUM_EXPRESSIONS, 1, 3).expressions
    index = eligo.build(rows.slice(0, 100), merge_at=None)
    assert index.engine_name == "a_tree"
    for id, text in zip(rows["id"].to_pylist()[100:], rows["expression"].to_pylist()[100:], strict=True):
        index.insert(id, text)
    index.merge()
    assert index.engine_name == "k_index"


def test_nothing_is_chosen_for_nothing() -> None:
    index = eligo.build({})
    assert index.engine_name == "a_tree"
    assert index.match({"a": 1}) == []


def test_auto_is_no_engine_itself() -> None:
    assert registry.AUTO not in registry.names()
    with pytest.raises(UnknownEngineError, match="yet to be chosen"):
        registry.get("auto")
    with pytest.raises(UnknownEngineError, match="did you mean 'auto'"):
        eligo.build({}, engine="autos")


def test_a_shard_that_does_not_say_its_engine_is_refused(tmp_path: Path) -> None:
    index = tmp_path / "index"
    eligo.build({"a": "x = 1"}).save(index)
    from eligo.errors import StorageError
    from eligo.index.shard import stored_choice

    for meta in ({}, {"engine": "a_tree"}, {"engine": "none", "why": "x"}, {"engine": 3, "why": "x"}):
        with pytest.raises(StorageError, match="does not say which engine"):
            stored_choice(meta, "auto")
    assert stored_choice({}, "scan") == ("scan", None)
