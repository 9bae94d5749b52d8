"""Is the sample the same for a seed, and does it look like what it stands for?"""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from eligo.language.text.parse import parse_all
from eligo.workloads import sample


def events(num_events: int, seed: int) -> pa.Table:
    return pa.Table.from_batches(list(sample.events(num_events, seed=seed)))


def test_the_same_seed_gives_the_same_tables() -> None:
    assert sample.expressions(50, seed=7).equals(sample.expressions(50, seed=7))
    assert not sample.expressions(50, seed=7).equals(sample.expressions(50, seed=8))
    assert events(500, 7).equals(events(500, 7))
    assert not events(500, 7).equals(events(500, 8))


def test_events_are_numbered_through_and_skewed() -> None:
    table = events(sample.EVENTS_PER_BATCH + 1_000, 7)
    assert table["event_id"].to_pylist() == list(range(sample.EVENTS_PER_BATCH + 1_000))
    states = Counter(table["state"].to_pylist())
    assert states["CA"] > 20 * states["WY"]
    assert 0.05 < table["age"].null_count / table.num_rows < 0.2
    ages = table["age"].drop_null()
    assert pc.min(ages).as_py() >= 13
    categories = table["category"].drop_null().to_pylist()
    assert any(category.startswith("Sports/NFL/") for category in categories)


def test_interests_of_an_event_are_different() -> None:
    for interests in events(2_000, 7)["interests"].to_pylist():
        assert len(interests) == len(set(interests)) <= sample.MOST_INTERESTS


def test_only_the_broken_expressions_are_broken() -> None:
    table = sample.expressions(10_000, seed=7)
    errors = parse_all(table["expression"]).errors()
    assert sorted(errors) == list(range(sample.BROKEN_EVERY // 2, 10_000, sample.BROKEN_EVERY))
    assert len({error.message for error in errors.values()}) >= 5
    assert len(set(table["id"].to_pylist())) == 10_000
