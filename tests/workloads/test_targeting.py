"""Is `targeting` what it says? Popularity, kinds and sizes of predicates, and events of which none is like another."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

import eligo
from eligo.workloads import targeting
from eligo.workloads.workload import Workload
from eligo.workloads.zipf import Zipf

PREDICATE = re.compile(r"(\w+) (?:= '(\w+)'|between (\d+) and (\d+)|in \(([^)]*)\))")


@pytest.fixture(scope="module")
def made() -> Workload:
    return targeting.generate(20_000, 4_000, 3)


def predicates(made: Workload) -> list[tuple[str, ...]]:
    return [found for text in made.expressions.column("expression").to_pylist() for found in PREDICATE.findall(text)]


def test_about_seventy_of_a_million_match(made: Workload) -> None:
    matches = eligo.build(made.expressions).match_batch(made.events)
    assert len(matches.positions) / made.events.num_rows / 20_000 * 1_000_000 == pytest.approx(70, rel=0.15)


def test_predicates_are_of_the_promised_kinds_and_sizes(made: Workload) -> None:
    found = predicates(made)
    assert round(len(found) / 20_000, 3) == made.report["predicates_per_expression"] == pytest.approx(4, abs=0.02)
    widths = [int(high) - int(low) for name, _, low, high, _ in found if name.startswith("r")]
    assert (min(widths), max(widths)) == (50, 300)
    listed = [members.split(", ") for name, *_, members in found if name.startswith("l")]
    assert {len(members) for members in listed} == {len(set(members)) for members in listed} == {2, 3, 4, 5, 6}
    assert len({member for members in listed for member in members}) == 500
    strings = Counter(value for name, value, *_ in found if name.startswith("s"))
    weights = Zipf(200, 1.0).weights
    assert len(strings) == 200
    assert strings["v0"] / strings.total() == pytest.approx(weights[0] / weights.sum(), rel=0.05)


def test_popular_attributes_are_asked_for_and_had_more_often(made: Workload) -> None:
    uses = Counter(name for name, *_ in predicates(made))
    weights = Zipf(100, 0.8).weights
    first_of_all = targeting.distinct_ranks(np.random.default_rng(1), Zipf(100, 0.8), 50_000, 1)
    assert (first_of_all == 0).mean() == pytest.approx(weights[0] / weights.sum(), rel=0.05)
    names = made.events.column_names
    assert len(names) == 100
    asked = [sum(uses[name] for name in names[first : first + 10]) for first in range(0, 100, 10)]
    had = [sum(4_000 - made.events.column(name).null_count for name in names[i : i + 10]) for i in range(0, 100, 10)]
    assert asked == sorted(asked, reverse=True) and had == sorted(had, reverse=True)
    assert had[0] == 10 * 4_000


def test_no_event_is_like_another_and_lists_have_four_values(made: Workload) -> None:
    rows = made.events.to_pylist()
    assert len({repr(row) for row in rows}) == 4_000
    for row in rows[:200]:
        listed = [value for name, value in row.items() if name.startswith("l") and value is not None]
        assert len(listed) >= 3 and {len(value) for value in listed} == {len(set(value)) for value in listed} == {4}
