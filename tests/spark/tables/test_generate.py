"""Are generated tables the same whatever makes them, and the papers' workloads up to a block?"""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from eligo.errors import InputError
from eligo.spark import generate
from eligo.spark import generate as generate_function
from eligo.workloads import ads_like, registry


@pytest.mark.parametrize("workload", ["conjunctions", "targeting"])
def test_small_ones_are_those_of_the_generators(workload: str, spark: SparkSession) -> None:
    made = generate(spark, workload, num_expressions=50, num_events=20, seed=9, num_attributes=30)
    expected = registry.get(workload)(50, 20, 9, num_attributes=30)
    rows = made.expressions.orderBy("id").collect()
    assert [row["expression"] for row in rows] == expected.expressions["expression"].to_pylist()
    events = [row.asDict() for row in made.events.orderBy("event_id").collect()]
    assert [event.pop("event_id") for event in events] == list(range(20))
    assert events == expected.events.to_pylist()


def test_blocks(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    module = __import__("sys").modules["eligo.spark.tables.generate"]
    monkeypatch.setattr(module, "EXPRESSIONS_AT_ONCE", 200)
    monkeypatch.setattr(module, "EVENTS_AT_ONCE", 30)
    sizes = list(module._sizes(iter([]), 450, 200))
    assert sizes == []
    first, second = ads_like.generate(200, 30, 4), ads_like.generate(200, 30, 4, block=1)
    assert first.events.schema == second.events.schema
    assert first.expressions["expression"] != second.expressions["expression"]
    assert first.events != second.events
    again = ads_like.generate(200, 30, 4, block=1)
    assert again.expressions.equals(second.expressions)


def test_what_cannot_be_made(spark: SparkSession) -> None:
    with pytest.raises(InputError, match="abe_gen, ads_like"):
        generate_function(spark, "nothing")
    with pytest.raises(InputError, match="no_such"):
        generate(spark, "conjunctions", no_such=1)
    with pytest.raises(InputError, match="num_expressions is a whole number, 1 or more, not 0"):
        generate(spark, "conjunctions", num_expressions=0)
    with pytest.raises(InputError, match="fontoura_trees cannot be made so: selectivity is counted over events"):
        generate(spark, "fontoura_trees", selectivity=0.1)
