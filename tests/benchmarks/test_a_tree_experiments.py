"""Do the experiments on the growing tree and on reorganisation run, and do they measure what they say?"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import grown_trees, runner
from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiments import a_tree_fig9, a_tree_fig10, a_tree_growth, a_tree_reorganisation
from benchmarks.experiments.a_tree_reorganisation import reorganise
from benchmarks.results import Result
from benchmarks.workloads import catalogue
from eligo.data.events.event_batch import EventBatch
from eligo.engines.a_tree.engine import ATree
from eligo.engines.a_tree.freeze import freeze_nodes, share
from eligo.engines.growing_tree.engine import GrowingTree
from engine_cases import encoded, expression_texts, some_events


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SMALL", 200)
    monkeypatch.setattr(catalogue, "NUM_EVENTS", 30)


def values(result: Result, start: str) -> list[float]:
    return [row.value or 0.0 for row in result.rows if row.name.startswith(start)]


def run(module: object) -> Result:
    return runner.run(module.EXPERIMENT, "small", say=lambda line: None)  # type: ignore[attr-defined]


def test_figure_9() -> None:
    result = run(a_tree_fig9)
    nothing, shared, reorganised, adjusted = values(result, "edges")
    assert nothing > shared >= reorganised >= adjusted > 0
    assert values(result, "memory")[0] > values(result, "memory")[1] > 0
    assert min(*values(result, "construction"), *values(result, "matching")) > 0
    assert values(result, "ads_like_orders")[:2] == values(result, "abe_gen_orders")[:2] == [0.0, 0.0]
    nothing, shared, reorganised, adjusted = values(result, "abe_gen_edges")
    assert nothing > shared > reorganised > adjusted > 0


def test_figure_10() -> None:
    result = run(a_tree_fig10)
    for workload in ("abe_gen", "ads_like"):
        neither, demand, suppression, both = values(result, f"{workload}_nodes")
        assert neither > demand > both and neither > suppression > both > 0
        assert min(values(result, f"{workload}_time")) > 0


def test_growth() -> None:
    result = run(a_tree_growth)
    assert len(result.rows) == 16
    assert min(values(result, "abe_gen_insertion")) > 0
    assert all(0 < value < 1 for value in values(result, "abe_gen_matching"))
    assert [row.details["num_expressions"] for row in result.rows[:4] if row.details] == [25, 50, 100, 200]


def test_a_growing_tree_that_is_wrong_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GrowingTree, "match", lambda self, event: np.arange(200, dtype=np.uint32))
    with pytest.raises(WrongAnswerError, match="oracle"):
        grown_trees.race(Bench("small", 1), a_tree_fig9.POPULATION, a_tree_fig9.VARIANTS)


def test_reorganisation_runs() -> None:
    result = run(a_tree_reorganisation)
    as_it_is, ands, both = values(result, "abe_gen_100000_edges")
    assert as_it_is > ands > both > 0


def test_reorganisation_saves_the_edges_of_the_growing_tree() -> None:
    """On Figure 4 and the two expressions that sections 4.2.2 and 4.2.3 add to it."""
    texts = ["(p1 or p2 or p3) and p4 and (p5 or p6)", "(p5 or p6) and (p7 or p8)"]
    _, table = encoded(*texts, "p1 or p2 or p3 or p4", "(p1 or p2 or p3) and p4")
    nodes, roots = share(table)
    edges = [
        len(reorganise(nodes, roots, table.num_literals, kinds)[0].children) for kinds in ((), ("and",), ("and", "or"))
    ]
    assert edges == [18, 17, 15]


def test_reorganisation_changes_no_answer_and_no_score() -> None:
    texts = [*expression_texts(300, seed=5), "p and q and r", "q and r and s and p", "p or q or r", "r or q or p or s"]
    vocabulary, table = encoded(*texts)
    nodes, roots = share(table)
    plain = ATree(freeze_nodes(table, vocabulary, nodes, roots, None), table, vocabulary)
    made, new_roots = reorganise(nodes, roots, table.num_literals, ("and", "or"))
    assert len(made.children) < len(nodes.children)
    other = ATree(freeze_nodes(table, vocabulary, made, new_roots, None), table, vocabulary)
    for event in [*some_events(40, seed=2), {"p": True, "q": True, "r": True, "s": True}]:
        batch = EventBatch.from_dicts([event], vocabulary)
        assert other.match(batch).tolist() == plain.match(batch).tolist()
        assert other.top(batch, 20).positions.tolist() == plain.top(batch, 20).positions.tolist()
        assert other.top(batch, 20).units.tolist() == plain.top(batch, 20).units.tolist()
