"""Do updates and compaction give what building the same expressions anew would give?"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import eligo
from eligo.errors import DamagedFileError, InputError
from eligo.spark import build, compact, update
from eligo.storage.directory import open_version
from eligo.storage.kept_versions import list_versions
from eligo.storage.manifest import read_manifest

COLUMNS = "id long, expression string"


def frame_of(spark: SparkSession, expressions: dict[int, str]) -> DataFrame:
    return spark.createDataFrame(list(expressions.items()), COLUMNS)


def ids_of(spark: SparkSession, ids: list[int]) -> DataFrame:
    return spark.createDataFrame([(id,) for id in ids], "id long")


def random_expression(rng: random.Random) -> str:
    return rng.choice(
        [
            f"age > {rng.randrange(40)}",
            f"age between {rng.randrange(20)} and {rng.randrange(20, 40)} and state in ('CA', 'NY')",
            f"not state = '{rng.choice(['CA', 'NY', 'TX'])}' or age = {rng.randrange(40)}",
            f"page under 'Sports/{rng.randrange(3)}'",
            f"city{rng.randrange(4)} exists",
        ]
    )


EVENTS: list[dict[str, Any]] = [
    {"age": 17, "state": "CA"},
    {"age": 33, "state": "TX", "page": "Sports/1/NFL"},
    {"state": "NY", "city2": "x"},
    {"page": "Sports/2", "city0": 1, "city3": 2},
    {},
]


def test_a_chain_of_updates_answers_as_a_new_build(spark: SparkSession, tmp_path: Path) -> None:
    rng = random.Random(3)
    expected = {id: random_expression(rng) for id in range(60)}
    path = tmp_path / "x.index"
    build(frame_of(spark, expected), path, target_shard_rows=25)
    histories = [dict(expected)]
    for step in range(3):
        changed = {rng.randrange(80): random_expression(rng) for _ in range(8)}
        deleted = rng.sample(range(80), 6)
        summary = update(path, frame_of(spark, changed), ids_of(spark, deleted) if step else None)
        named = [id for id in deleted if id not in changed] if step else []
        assert summary.num_deleted == sum(id in expected for id in named)
        assert summary.num_unknown == sum(id not in expected for id in named)
        for id in deleted if step else ():
            expected.pop(id, None)
        expected.update(changed)
        histories.append(dict(expected))
        assert (summary.version, summary.num_deltas, summary.num_accepted) == (step + 2, step + 1, len(changed))
        assert summary.num_live == len(expected)
        agree(path, expected)
    # Every version still answers as it did.
    for version, history in enumerate(histories, start=1):
        index = eligo.open(path, version=version)
        assert sorted(index.ids) == sorted(history)
    compacted = compact(path, spark=spark, target_shard_rows=25)
    assert (compacted.version, compacted.num_deltas, compacted.num_accepted) == (5, 0, len(expected))
    assert compacted.num_live == len(expected)
    agree(path, expected)
    # What is on disk is what a build of the same expressions gives.
    build(frame_of(spark, expected), tmp_path / "new.index", target_shard_rows=25)
    old, new = read_manifest(path), read_manifest(tmp_path / "new.index")
    assert (old.vocabulary, old.shards, old.deltas) == (new.vocabulary, new.shards, ())
    assert not list(path.rglob("*.tmp"))
    assert compact(path, spark=spark).version == 5, "there is nothing to merge any more"


def agree(path: Path, expected: dict[int, str]) -> None:
    index, whole = eligo.open(path), eligo.build(expected)
    assert sorted(index.ids) == sorted(expected)
    for event in EVENTS:
        assert sorted(index.match(event)) == sorted(whole.match(event))
    assert {id: index.text(id) for id in expected} == expected


def test_deletions_alone(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    build(frame_of(spark, {1: "a = 1", 2: "a = 1", 3: "a = 1"}), path)
    summary = update(path, deleted=ids_of(spark, [2, 2, 99]))
    assert (summary.version, summary.num_accepted) == (2, 0)
    assert (summary.num_deleted, summary.num_unknown, summary.num_live) == (1, 1, 2)
    assert eligo.open(path).match({"a": 1}) == [1, 3]
    again = update(path, deleted=ids_of(spark, [2, 99]))
    assert again.version == 2, "nothing changed, so nothing is published"
    assert (again.num_deleted, again.num_unknown, again.num_live) == (0, 2, 2)
    compact(path, spark=spark)
    assert eligo.open(path).match({"a": 1}) == [1, 3]
    update(path, deleted=ids_of(spark, [1, 3]), max_shrink="100%")
    compact(path, spark=spark)
    assert len(eligo.open(path)) == 0


def test_an_id_in_both_tables_is_changed(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    build(frame_of(spark, {1: "a = 1"}), path)
    summary = update(path, frame_of(spark, {1: "a = 2", 2: "a = 3"}), ids_of(spark, [1]))
    assert (summary.num_deleted, summary.num_unknown, summary.num_live) == (0, 0, 2)
    assert eligo.open(path).match({"a": 2}) == [1]


def test_a_bad_change_leaves_the_expression_as_it_was(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    build(frame_of(spark, {1: "a = 1", 2: "a = 1"}), path)
    summary = update(path, frame_of(spark, {1: "a =", 2: "a = 2"}), rejects=tmp_path / "rejects.jsonl")
    assert (summary.num_accepted, summary.num_rejected) == (1, 1)
    assert "a =" in (tmp_path / "rejects.jsonl").read_text()
    assert eligo.open(path).match({"a": 1}) == [1]
    assert eligo.open(path).match({"a": 2}) == [2]


def test_what_does_not_fit_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    tenants = spark.createDataFrame([("a", "a = 1", "x")], "id string, expression string, tenant string")
    build(tenants, path, tenant="tenant")
    with pytest.raises(InputError, match="nothing to update"):
        update(path)
    with pytest.raises(InputError, match="have tenants"):
        update(path, tenants)
    with pytest.raises(InputError, match="are strings, and those of the table are numbers"):
        update(path, deleted=ids_of(spark, [1]))
    with pytest.raises(InputError, match="has no id"):
        update(path, deleted=spark.createDataFrame([(None,)], "id string"))
    update(path, tenants.selectExpr("'b' as id", "expression", "'y' as tenant"), tenant="tenant")
    assert eligo.open(path).match({"a": 1, "@tenant": "y"}) == ["b"]
    assert [manifest.version for manifest in list_versions(path)] == [1, 2]


def test_a_damaged_shard_is_not_compacted(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    build(frame_of(spark, {1: "a = 1"}), path)
    update(path, frame_of(spark, {2: "a = 1"}))
    shard = path / open_version(path).manifest.shards[0].path
    data = bytearray(shard.read_bytes())
    data[-65] ^= 4
    shard.write_bytes(data)
    with pytest.raises(DamagedFileError, match=shard.name):
        compact(path, spark=spark)
    assert read_manifest(path).version == 2


def test_what_is_compacted_has_the_files_of_a_build(spark: SparkSession, tmp_path: Path) -> None:
    schema = eligo.Schema.from_dict({"page": "string", "age": "int"})
    rows = {1: "page under ('2024', '2023/12')", 2: "age > 3", 3: "page under '2025'"}
    build(frame_of(spark, {id: rows[id] for id in (1, 2)}), tmp_path / "grown", schema=schema)
    update(tmp_path / "grown", changed=frame_of(spark, {3: rows[3]}))
    compact(tmp_path / "grown", spark=spark)
    build(frame_of(spark, rows), tmp_path / "built", schema=schema)
    grown, built = (read_manifest(tmp_path / name) for name in ("grown", "built"))
    assert grown.vocabulary == built.vocabulary
    assert grown.shards == built.shards
    assert eligo.open(tmp_path / "grown").vocabulary.num_axes == 1, "page has no dates"
