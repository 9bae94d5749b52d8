"""Do tenants and windows hold against the judge of the siege, in the library and on Spark?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.siege.tenants import attack_library, expected, make_guard_world, refused

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from benchmarks.siege.tenants import TenantKind


def test_the_world_is_worth_asking_about() -> None:
    for kind in ("string", "int"):
        world = make_guard_world(1, kind, 60, 40)  # type: ignore[arg-type]
        events, rules = world.events, world.versions[0].values()
        assert len(expected(world.versions[0], world.kind, events)) > 20
        assert bool(refused(world.kind, events)) == (kind == "int")
        assert any(rule.valid_from is not None and rule.valid_from == rule.valid_to for rule in rules)
        assert any(rule.valid_from and rule.valid_to and rule.valid_from > rule.valid_to for rule in rules)
        assert all(any(world.change(version)) for version in (1, 2))


def test_the_library_agrees() -> None:
    tally = attack_library(5)
    assert tally.num_failed == 0, tally.failures
    assert tally.counts["pairs of tenants and windows that match"] > 1_000


@pytest.mark.parametrize("kind", ["string"])
def test_spark_agrees(spark: SparkSession, tmp_path: Path, kind: TenantKind) -> None:
    from benchmarks.siege.tenants_on_spark import attack_spark

    tally = attack_spark(spark, tmp_path, 5, kind, num_rules=120, num_events=150, thorough=False)
    assert tally.num_failed == 0, tally.failures


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["string", "int"])
def test_spark_agrees_at_length(spark: SparkSession, tmp_path: Path, kind: TenantKind, seed: int) -> None:
    from benchmarks.siege.tenants_on_spark import attack_spark

    tally = attack_spark(spark, tmp_path, seed, kind, num_rules=600, num_events=600, thorough=True)
    assert tally.num_failed == 0, tally.failures


@pytest.mark.long
def test_the_library_agrees_at_length() -> None:
    for seed in range(20):
        tally = attack_library(seed, 200, 100)
        assert tally.num_failed == 0, tally.failures
