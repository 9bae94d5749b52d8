"""Does a profile count what the trees of the expressions have?"""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.sql import SparkSession

from eligo.data.expressions.shapes import count_shapes
from eligo.language.canonical import canonical_text
from eligo.language.text.parse import parse
from eligo.language.tree import Predicate, postorder
from eligo.spark import profile
from eligo.workloads import abe_gen

TEXTS = [
    "age in (3, 4) and state = 'CA'",
    "state = 'CA' and age in (4, 3)",
    "(age in (3, 4) and state = 'CA') or vip",
    "not vip",
    "score between 0.5 and 1.5",
    '{"attribute": "score", "operator": "between", "low": 0.5, "high": 1.5}',
    "broken =",
]


def test_shapes_of_a_few_texts(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(text,) for text in TEXTS], "rule string").repartition(3)
    found = profile(frame, expression="rule")
    assert (found.num_expressions, found.num_rejected, found.num_distinct) == (6, 1, 4)
    sharing = {row["level"]: (row["occurrences"], row["distinct"]) for row in found.sharing.to_pylist()}
    assert sharing == {1: (10, 4), 2: (4, 2), 3: (1, 1)}
    assert found.sharing["ratio"][0].as_py() == 2.5
    operators = dict(zip(*found.operators.to_pydict().values(), strict=True))
    assert operators == {"and": 3, "=": 3, "in": 3, "is true": 2, "between": 2, "or": 1, "not": 1}
    attributes = {row["attribute"]: (row["occurrences"], row["distinct"]) for row in found.attributes.to_pylist()}
    assert attributes == {"age": (3, 1), "state": (3, 1), "vip": (2, 1), "score": (2, 1)}
    assert dict(zip(*found.sizes.to_pydict().values(), strict=True)) == {1: 3, 2: 2, 3: 1}
    assert dict(zip(*found.depths.to_pydict().values(), strict=True)) == {1: 2, 2: 3, 3: 1}
    assert found.predicates_per_expression == pytest.approx(10 / 6)
    assert found.to_json()["sharing"][0]["ratio"] == 2.5


def test_selectivity_from_events(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(text,) for text in TEXTS], "expression string")
    events = spark.createDataFrame([(3, "CA"), (9, "CA"), (9, "NY"), (9, None)], "age int, state string")
    found = profile(frame, events=events)
    shares = dict(
        zip(found.predicates["predicate"].to_pylist(), found.predicates["selectivity"].to_pylist(), strict=True)
    )
    assert shares["state = 'CA'"] == 0.5
    assert shares["vip"] == 0.0
    assert found.selectivity is not None
    assert sum(found.selectivity["num_expressions"].to_pylist()) == 6


def test_the_papers_workload_is_as_its_generator_says(spark: SparkSession) -> None:
    made = abe_gen.generate(2_000, 1, 3)
    found = profile(spark.createDataFrame(made.expressions.to_pandas()))
    reported = made.report["sharing"]["levels"]
    sharing = {str(row["level"]): row for row in found.sharing.to_pylist()}
    assert sharing["1"]["occurrences"] == reported["1"]["occurrences"]
    assert sharing["1"]["distinct"] == reported["1"]["distinct"]


def test_hashes_tell_texts_apart_as_their_trees_do() -> None:
    texts = abe_gen.generate(300, 1, 5).expressions["expression"].combine_chunks()
    shapes, _ = count_shapes(texts)
    trees = [parse(text) for text in texts.to_pylist()]
    leaves = Counter(canonical_text(node) for tree in trees for node in postorder(tree) if isinstance(node, Predicate))
    counted = Counter(
        {
            canonical_text(parse(row["predicate"])): row["occurrences"]
            for row in shapes.to_pylist()
            if row["predicate"] is not None
        }
    )
    assert counted == leaves
