"""Are workloads what they say? Determinism, valid texts, and sharing as the parsed trees have it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import eligo
from benchmarks.workloads import cache
from benchmarks.workloads.catalogue import WORKLOADS
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import attributes_of
from eligo.language.text.parse import parse, parse_all
from eligo.language.tree import Expression, Predicate, distinct_nodes
from eligo.workloads import ads_like, conjunctions, fontoura_trees, tatbul_profiles
from eligo.workloads.workload import Workload

NAMES = tuple(WORKLOADS)


def make(name: str, num_expressions: int = 300, seed: int = 5, **parameters: Any) -> Workload:
    return WORKLOADS[name].generate(num_expressions, 40, seed, **parameters)


def texts(workload: Workload) -> list[str]:
    listed: list[str] = workload.expressions.column("expression").to_pylist()
    return listed


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_decides_everything(name: str) -> None:
    first, again, other = make(name), make(name), make(name, seed=6)
    assert first.expressions.equals(again.expressions)
    assert first.events.equals(again.events)
    assert first.report == again.report
    assert not first.expressions.equals(other.expressions)
    assert not first.events.equals(other.events)


@pytest.mark.parametrize("name", NAMES)
def test_every_text_parses(name: str) -> None:
    assert not parse_all(make(name, 2_500).expressions.column("expression")).errors()


@pytest.mark.parametrize("name", NAMES)
def test_tables_have_the_promised_form(name: str) -> None:
    workload = make(name)
    assert workload.expressions.schema == pa.schema([("id", pa.int64()), ("expression", pa.large_string())])
    assert workload.expressions.column("id").to_pylist() == list(range(300))
    assert workload.events.num_rows == 40
    assert workload.parameters["num_expressions"] == 300
    used = {name for text in texts(workload) for name in attributes_of(parse(text))}
    assert used <= set(workload.events.column_names)


def event_sizes(workload: Workload) -> np.ndarray[Any, Any]:
    return sum(pc.is_valid(column).to_numpy(zero_copy_only=False).astype(int) for column in workload.events.columns)


@pytest.mark.parametrize(("name", "size"), [("abe_gen", 20), ("conjunctions", 22), ("targeting", 22)])
def test_events_have_exactly_their_size(name: str, size: int) -> None:
    assert set(event_sizes(make(name)).tolist()) == {size}
    smaller = {"num_always": 4, "num_further": 3} if name == "targeting" else {"event_size": 7}
    assert set(event_sizes(make(name, **smaller)).tolist()) == {7}


def test_ads_events_have_their_size_on_average() -> None:
    sizes = event_sizes(ads_like.generate(300, 2_000, 1))
    assert 19.5 < sizes.mean() < 20.5


def level_counts(workload: Workload) -> dict[str, dict[str, float | int]]:
    """Figure 7's figures, from the parsed trees and not from the generator."""
    keys: dict[Any, int] = {}
    occurrences: Counter[tuple[int, int]] = Counter()
    for text in texts(workload):
        key_of: dict[int, tuple[int, int]] = {}

        def place(node: Expression, key_of: dict[int, tuple[int, int]] = key_of) -> tuple[int, int]:
            children = [key_of[id(child)] for child in node.children]
            level = 1 + max((child_level for child_level, _ in children), default=0)
            form = (type(node).__name__, tuple(sorted(children))) if children else canonical_text(node)
            return level, keys.setdefault(form, len(keys))

        root = parse(text)
        pending = [root]
        order = []
        while pending:
            node = pending.pop()
            order.append(node)
            pending.extend(node.children)
        for node in reversed(order):
            key_of[id(node)] = place(node)
        occurrences.update(key_of[id(node)] for node in order)
    return {
        str(level): {
            "occurrences": sum(count for (at, _), count in occurrences.items() if at == level),
            "distinct": sum(at == level for at, _ in occurrences),
        }
        for level in sorted({at for at, _ in occurrences})
    }


@pytest.mark.parametrize("name", ["abe_gen", "ads_like"])
def test_reported_sharing_is_that_of_the_trees(name: str) -> None:
    workload = make(name, 150)
    reported = {
        level: {"occurrences": of_level["occurrences"], "distinct": of_level["distinct"]}
        for level, of_level in workload.report["sharing"]["levels"].items()
    }
    assert reported == level_counts(workload)


def sharing(kind: str, **parameters: Any) -> float:
    ratio: float = make("abe_gen", 2_000, **parameters).report["sharing"][kind]["ratio"]
    return ratio


def test_abe_gen_shares_more_with_alpha() -> None:
    assert sharing("subexpressions", alpha=0) == pytest.approx(1, abs=0.02)
    assert sharing("subexpressions", alpha=0) < sharing("subexpressions") < sharing("subexpressions", alpha=1.0)


def test_abe_gen_comes_near_the_paper() -> None:
    assert 4.0 < sharing("subexpressions") < 4.6
    # A hundredth of the dimensions for a hundredth of the expressions.
    ratio = WORKLOADS["abe_gen"].generate(10_000, 1, 1, num_dimensions=10).report["sharing"]["predicates"]["ratio"]
    assert 17 < ratio < 20


def test_abe_gen_shares_fewer_predicates_with_more_dimensions_and_values() -> None:
    assert (
        sharing("predicates", num_dimensions=30) > sharing("predicates") > sharing("predicates", num_dimensions=10_000)
    )
    assert sharing("predicates", cardinality=3) > sharing("predicates") > sharing("predicates", cardinality=1_000)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_abe_gen_has_its_depth(depth: int) -> None:
    workload = make("abe_gen", 50, tree_depth=depth, num_children=2)
    assert set(workload.report["sharing"]["levels"]) == {str(level) for level in range(1, depth + 2)}
    assert max(parse(text).depth for text in texts(workload)) == depth + 1


def test_abe_gen_draws_its_operators() -> None:
    words = [type(parse(text)).__name__ for text in texts(make("abe_gen", 1_500, tree_depth=1))]
    shares = {word: count / 1_500 for word, count in Counter(words).items()}
    expected = {"And": 0.4, "Or": 0.4, "Not": 0.1, "Xor": 0.05, "Xnor": 0.05}
    assert shares == {word: pytest.approx(share, abs=0.05) for word, share in expected.items()}
    only_or = make("abe_gen", 100, operators=(0, 1, 0, 0, 0), num_children=6, tree_depth=1)
    assert {(type(tree).__name__, len(tree.children)) for tree in map(parse, texts(only_or))} == {("Or", 6)}


def test_abe_gen_names_the_paper_only_for_its_parameters() -> None:
    assert make("abe_gen").report["paper"] == {"predicates": 18.35, "subexpressions": 4.33}
    assert make("abe_gen", cardinality=30).report["paper"] is None


def test_ads_like_has_the_papers_shape() -> None:
    report = ads_like.generate(20_000, 1, 1).report
    levels = report["sharing"]["levels"]
    ratios = [levels[str(level)]["ratio"] for level in range(1, 10)]
    assert (report["fewest_predicates"], report["most_predicates"]) == (1, 56)
    assert set(report["expressions_of_depth"]) == {str(depth) for depth in range(1, 10)}
    assert report["predicates_per_expression"] == pytest.approx(48.1, abs=1)
    assert ratios[0] == pytest.approx(68.76, rel=0.1)
    assert ratios[8] == pytest.approx(2.88, rel=0.1)
    assert ratios == sorted(ratios, reverse=True)
    assert levels["1"]["distinct"] / 20_000 == pytest.approx(973_794 / 1_392_196, rel=0.1)


@pytest.mark.parametrize(("share", "or_roots"), [(0.01, 0.16), (0.1, 0.16), (0.5, 0.8)])
def test_ads_like_matches_as_often_as_is_wanted(share: float, or_roots: float) -> None:
    workload = ads_like.generate(4_000, 400, 3, match_share=share, or_roots=or_roots)
    assert workload.report["match_share"] == pytest.approx(share, rel=0.2)
    assert workload.report["predicates_per_expression"] == pytest.approx(48.1, abs=1.5)
    index = eligo.build(workload.expressions)
    matched = index.count_batch(workload.events).sum() / (4_000 * 400)
    assert matched == pytest.approx(share, rel=0.35)  # these events are not the sample


def test_ads_like_is_as_it_was_without_a_wanted_share() -> None:
    workload = ads_like.generate(300, 1, 1)
    assert "match_share" not in workload.parameters and "match_share" not in workload.report


@pytest.mark.parametrize("name", ["conjunctions", "targeting"])
def test_conjunctions_are_conjunctions(name: str) -> None:
    for text in texts(make(name)):
        tree = parse(text)
        assert type(tree).__name__ == "And"
        attributes = [child.attribute for child in tree.children if isinstance(child, Predicate)]
        assert 3 <= len(attributes) == len(set(attributes)) == len(tree.children) <= 5


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("abe_gen", {"num_children": 0}),
        ("abe_gen", {"operators": (1, 2)}),
        ("conjunctions", {"most_predicates": 101}),
        ("conjunctions", {"range_width": (0.5, 0.2)}),
        ("targeting", {"num_expressions": 0}),
        ("targeting", {"most_predicates": 101}),
        ("targeting", {"num_always": 101}),
        ("targeting", {"range_width": (300, 1_000)}),
        ("targeting", {"list_size": (6, 2)}),
        ("targeting", {"values_in_list": 501}),
        ("ads_like", {"num_expressions": 0}),
        ("ads_like", {"match_share": 1.5}),
        ("ads_like", {"num_expressions": 500, "match_share": 0.95}),
        ("whang_contracts", {"form": "both"}),
        ("whang_contracts", {"months": 13}),
        ("whang_contracts", {"used_dimensions": 5}),
        ("whang_contracts", {"num_expressions": 0}),
        ("offers", {"num_expressions": 0}),
        ("offers", {"num_categories": 6_000}),
        ("offers", {"num_shops": 0}),
        ("tatbul_profiles", {"num_expressions": 0}),
        ("tatbul_profiles", {"interval_size": -1}),
        ("tatbul_profiles", {"skew": -0.5}),
        ("fontoura_trees", {"num_expressions": 0}),
        ("fontoura_trees", {"min_depth": 4}),
        ("fontoura_trees", {"child_probabilities": (0.5, 0.2)}),
        ("fontoura_trees", {"size_probabilities": (0.25,) * 4, "num_attributes": 3}),
        ("fontoura_trees", {"leaf_probability": 1.5}),
        ("fontoura_trees", {"selectivity": 2.0}),
        ("fontoura_trees", {"selectivity": 0.1, "num_events": 0}),
    ],
)
def test_impossible_parameters_are_refused(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        WORKLOADS[name].generate(**{"num_expressions": 10, "num_events": 1, "seed": 1, **parameters})


def test_a_large_workload_is_made_once(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELIGO_BENCHMARK_CACHE", str(tmp_path))
    calls = []

    def generate(num_expressions: int, num_events: int, seed: int, *, event_size: int = 22) -> Workload:
        calls.append(seed)
        return conjunctions.generate(num_expressions, num_events, seed, event_size=event_size)

    given = {"num_expressions": 50, "num_events": 3, "seed": 1}
    made = conjunctions.generate(**given)
    for _ in range(2):
        loaded = cache.load_or_generate("conjunctions", generate, 1, given)
        assert loaded.expressions.equals(made.expressions)
        assert loaded.events.equals(made.events)
        assert loaded.parameters == made.parameters
        assert loaded.report == made.report
    assert calls == [1]
    cache.load_or_generate("conjunctions", generate, 2, given)
    cache.load_or_generate("conjunctions", generate, 1, {**given, "seed": 2})
    cache.load_or_generate("conjunctions", generate, 1, {**given, "event_size": 5})
    assert calls == [1, 1, 2, 1]
    assert not list(tmp_path.glob("partial-*"))


@pytest.mark.parametrize("name", NAMES)
def test_events_do_not_depend_on_the_number_of_expressions(name: str) -> None:
    assert make(name, 30).events.equals(make(name, 40).events)


def test_contracts_come_near_table_1() -> None:
    for exponent, size in ((3.0, 1.6), (2.5, 2.3), (2.0, 3.5)):
        report = make("whang_contracts", 20_000, exponent=exponent).report
        assert report["clauses_per_expression"] == pytest.approx(size, abs=0.07)
        assert report["predicates_per_clause"] == pytest.approx(3.65, abs=0.02)
        assert report["keys_per_event"] == 91
        assert report["paper"]["clauses_per_expression"] == size
    assert make("whang_contracts", 20_000, form="cnf").report["predicates_per_clause"] == pytest.approx(2.65, abs=0.02)


def test_contracts_match_as_often_as_the_papers() -> None:
    for form, months, share in (("dnf", 1, 0.1191), ("cnf", 8, 0.0516)):
        report = WORKLOADS["whang_contracts"].generate(5_000, 1_000, 1, form=form, months=months).report
        assert report["matching_share"] == pytest.approx(share, rel=0.2)


def test_the_reported_share_of_contracts_is_that_of_an_index() -> None:
    for form, months in (("dnf", 2), ("cnf", 3)):
        workload = make("whang_contracts", 400, form=form, months=months)
        found = eligo.build(workload.expressions, engine="scan").match_batch(workload.events)
        assert workload.report["matching_share"] == pytest.approx(len(found.positions) / 400 / 40, abs=1e-4)


def test_contracts_have_the_papers_form() -> None:
    for text in texts(make("whang_contracts", months=12)):
        tree = parse(text)
        conjunctions = tree.children if type(tree).__name__ == "Or" else (tree,)
        firsts = [child.children[0] for child in conjunctions]
        assert {canonical_text(first) for first in firsts} == {canonical_text(firsts[0])}  # one month an expression
        for child in conjunctions:
            attributes = [part.attribute for part in child.children if isinstance(part, Predicate)]
            assert attributes[0] == "month" and len(attributes) == len(set(attributes)) == len(child.children) <= 7
    listed = texts(make("whang_contracts", 2_000))
    negated = sum(text.count(" weak not in ") for text in listed) / sum(text.count(" in (") for text in listed)
    assert negated == pytest.approx(0.1, abs=0.02)
    assert all(text.startswith("month = 1 and (") for text in texts(make("whang_contracts", form="cnf")))


def test_contracts_copy_from_the_conjunction_before() -> None:
    def shared(**parameters: Any) -> float:
        counted = []
        for text in texts(make("whang_contracts", 1_000, **parameters)):
            rows = [set(row[1:-1].split(" and ")[1:]) for row in text.split(" or ")]
            counted += [bool(one & other) for one, other in pairwise(rows)]
        return sum(counted) / len(counted)

    assert shared() > 0.5 > shared(copy_probability=0.0)


def test_contracts_use_only_some_dimensions_when_told() -> None:
    workload = make("whang_contracts", used_dimensions=10)
    used = {
        node.attribute
        for text in texts(workload)
        for node in distinct_nodes(parse(text))
        if isinstance(node, Predicate)
    }
    assert used == {"month", *(f"a{number}" for number in range(9))}
    assert workload.events.equals(make("whang_contracts").events)


def test_weights_of_contracts_stay_below_their_bounds() -> None:
    plain, weighted = make("whang_contracts"), make("whang_contracts", weighted=True)
    assert plain.events.equals(weighted.events)
    assert all("^" not in text for text in texts(plain))
    weights = [float(part.split(",")[0].split(")")[0]) for text in texts(weighted) for part in text.split("^")[1:]]
    assert min(weights) >= 0.0
    assert max(weights) <= 10.0


def test_trees_match_about_as_often_as_the_papers() -> None:
    found = {
        depth: WORKLOADS["fontoura_trees"].generate(3_000, 500, 1, max_depth=depth).report["selectivity"]
        for depth in (1, 2, 3, 4)
    }
    assert found == {
        depth: pytest.approx(share, abs=0.12) for depth, share in fontoura_trees.PAPER["selectivity"].items()
    }


@pytest.mark.parametrize("parameters", [{}, {"max_depth": 4, "leaf_probability": 0.3}, {"negated_portion": 0.3}])
def test_the_reported_selectivity_of_trees_is_that_of_an_index(parameters: dict[str, Any]) -> None:
    workload = make("fontoura_trees", 400, **parameters)
    index = eligo.build(workload.expressions, engine="scan", missing="false")
    found = index.match_batch(workload.events)
    assert workload.report["selectivity"] == pytest.approx(len(found.positions) / 400 / 40, abs=1e-4)
    assert workload.report["conjunctions_per_expression"] > 5


def test_trees_alternate_and_have_the_papers_numbers_of_children() -> None:
    widths: Counter[int] = Counter()
    for text in texts(make("fontoura_trees", 2_000, max_depth=2, size_probabilities=(1.0,))):
        root = parse(text)
        # A node with one child is that child, so only an AND at the root says how many children it has.
        if type(root).__name__ == "And":
            widths[len(root.children)] += 1
            assert all(type(child).__name__ in ("Or", "Equals") for child in root.children)
            grandchildren = [below for child in root.children for below in child.children]
            assert all(isinstance(below, Predicate) for below in grandchildren)
    shares = {width: count / 2_000 for width, count in widths.items()}
    assert shares == {
        2: pytest.approx(0.7, abs=0.04),
        3: pytest.approx(0.2, abs=0.04),
        4: pytest.approx(0.05, abs=0.03),
    }


def test_trees_are_as_deep_as_they_may_be() -> None:
    deepest = {
        depth: max(parse(text).depth for text in texts(make("fontoura_trees", 200, max_depth=depth)))
        for depth in (1, 2, 5)
    }
    assert deepest == {1: 3, 2: 4, 5: 7}  # a conjunction and its predicates are two levels more
    shallow = make("fontoura_trees", 200, min_depth=1, max_depth=5, leaf_probability=1.0)
    assert max(parse(text).depth for text in texts(shallow)) <= 3


def test_selectivity_is_adjusted_by_trees_that_never_match() -> None:
    def adjusted(share: float) -> Workload:
        return WORKLOADS["fontoura_trees"].generate(2_000, 300, 1, selectivity=share)

    for share in (0.0, 0.01, 0.1):
        workload = adjusted(share)
        found = eligo.build(workload.expressions, engine="scan").match_batch(workload.events)
        assert len(found.positions) / 2_000 / 300 == pytest.approx(share, abs=0.0005)
        assert workload.report["selectivity"] == pytest.approx(share, abs=0.0005)
    with pytest.raises(ValueError, match="which none that never match can raise"):
        adjusted(0.9)


def test_tatbul_profiles_overlap_more_the_larger_they_are_and_the_nearer() -> None:
    def overlap(**parameters: Any) -> float:
        found: float = make("tatbul_profiles", 400, **parameters).report["overlap"]
        return found

    low, high = tatbul_profiles.PAPER["overlap"]["figure 7"]
    assert low <= overlap() <= high
    assert overlap(skew=0) < overlap() < overlap(skew=1.5)
    assert overlap(interval_size=100) < overlap(interval_size=600) < overlap(interval_size=1_900)
    assert overlap(interval_size=1_900) > 0.97


def test_reported_overlap_and_matches_are_those_of_the_profiles() -> None:
    drawn = tatbul_profiles.draw(30, 40, 5, num_attributes=3, interval_size=300)
    workload = make("tatbul_profiles", 30, num_attributes=3, interval_size=300)
    pairs = [(i, j) for i in range(30) for j in range(i)]
    meet = [
        drawn.starts[i, column] <= drawn.ends[j, column] and drawn.starts[j, column] <= drawn.ends[i, column]
        for i, j in pairs
        for column in range(3)
    ]
    assert workload.report["overlap"] == pytest.approx(sum(meet) / len(meet), abs=1e-4)
    index = eligo.build(workload.expressions)
    matches = index.match_batch(workload.events)
    assert workload.report["matching_share"] == pytest.approx(len(matches.positions) / (30 * 40), abs=1e-6)
