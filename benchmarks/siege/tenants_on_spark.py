"""Does Spark agree with the judge of `tenants`, whatever is asked, and whatever zone its session has?"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import eligo
from benchmarks.siege.tally import Tally
from benchmarks.siege.tenants import (
    Asked,
    GuardWorld,
    Rule,
    TenantKind,
    expected,
    judge_index,
    make_guard_world,
    refused,
)
from eligo.spark import build, compact, count, diff, explain, match, parquet_events, stream, top, update

ZONE = "America/New_York"
"""Of the session, which must not matter."""
SHARDS = 3
GUARDS = {"tenant": "tenant", "valid_from": "first", "valid_to": "last"}
ASKED: dict[str, Any] = {"tenant": "who", "time": "at"}


def attack_spark(
    spark: SparkSession, home: Path, seed: int, kind: TenantKind, *, num_rules: int, num_events: int, thorough: bool
) -> Tally:
    """Build and change an index on Spark and ask it in every way; `thorough` asks every version in all of them."""
    tally = Tally()
    world = make_guard_world(seed, kind, num_rules, num_events)
    path = home / f"{seed}-{kind}.index"
    where = f"seed {seed}, {kind}"
    with _zone(spark):
        build(_rules(spark, world.versions[0].values(), kind), path, target_shard_rows=num_rules // SHARDS, **GUARDS)
        for version in range(1, len(world.versions)):
            changed, deleted = world.change(version)
            gone = spark.createDataFrame([(id,) for id in deleted], "id string")
            update(path, _rules(spark, changed, kind), gone, **GUARDS)
        last = len(world.versions)
        for number in range(1, last + 1) if thorough else (last,):
            _ask(spark, home, path, world, number, tally, f"{where}, version {number}", thorough=thorough)
        _judge_diff(spark, path, world, tally, where)
        judge_index(eligo.open(path), world, world.versions[-1], random.Random(seed), tally, where)
        if thorough:
            compact(path, spark=spark)
            _ask(spark, home, path, world, last, tally, f"{where}, compacted", thorough=False, live=True)
    return tally


@contextmanager
def _zone(spark: SparkSession) -> Iterator[None]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", ZONE)
    try:
        yield
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def _rules(spark: SparkSession, rules: Any, kind: TenantKind) -> DataFrame:
    """Rules as a table: windows open with an instant, and close with a time of the clock, which is in UTC."""
    rows = [(rule.id, rule.text, rule.tenant, rule.valid_from, _on_the_clock(rule.valid_to)) for rule in rules]
    tenant = "string" if kind == "string" else "long"
    columns = f"id string, expression string, tenant {tenant}, first timestamp, last timestamp_ntz"
    return spark.createDataFrame(rows, columns)


def _on_the_clock(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=None)


def _events(spark: SparkSession, events: Sequence[Asked], form: str) -> DataFrame:
    """Events as a table, with times in one of three forms; tenants are text, as those of a file are."""
    moments = {
        "timestamp": lambda event: event.time,
        "timestamp_ntz": lambda event: _on_the_clock(event.time),
        "string": lambda event: event.time_text,
    }
    rows = [
        (event.id, None if event.tenant is None else str(event.tenant), moments[form](event), event.x)
        for event in events
    ]
    return spark.createDataFrame(rows, f"event_id int, who string, at {form}, x int")


def _ask(
    spark: SparkSession,
    home: Path,
    path: Path,
    world: GuardWorld,
    number: int,
    tally: Tally,
    where: str,
    *,
    thorough: bool,
    live: bool = False,
) -> None:
    rules, events = world.versions[number - 1], world.events
    wanted, bad = expected(rules, world.kind, events), refused(world.kind, events)
    version = None if live else number
    instants, clock, texts = (_events(spark, events, form) for form in ("timestamp", "timestamp_ntz", "string"))
    as_json = texts.select("event_id", "who", "at", F.to_json(F.struct("x")).alias("j"))
    ways: dict[str, tuple[Any, dict[str, Any]]] = {"columns": (clock, {}), "JSON": (as_json, {"json": "j"})}
    if thorough:
        files = home / f"{path.name}-{number}.parquet"
        instants.write.mode("overwrite").parquet(str(files))
        in_maps = instants.select("event_id", "who", "at", F.create_map(F.lit("x"), "x").alias("m"))
        ways |= {
            "instants": (instants, {}),
            "maps": (in_maps, {"attributes": "m"}),
            "Parquet": (parquet_events(spark, str(files)), {}),
        }
    for way, (table, options) in ways.items():
        rows = match(table, path, version=version, on_error="keep", **ASKED, **options).collect()
        found = {(row[0], row[1]) for row in rows if row[1] is not None}
        _compare(tally, f"{where}: match, {way}", world, rules, found, wanted)
        _compare(tally, f"{where}: rejects, {way}", world, rules, {row[0] for row in rows if row[1] is None}, bad)
    _judge_others(instants, path, version, rules, world, wanted, tally, where)
    if number == len(world.versions) and not live:
        _judge_stream(spark, home, path, texts, world, wanted, tally, where)


def _compare(
    tally: Tally, where: str, world: GuardWorld, rules: dict[str, Rule], found: set[Any], wanted: set[Any]
) -> None:
    tally.tried(len(rules) * len(world.events))
    if found != wanted:
        tally.fail(f"{where}: too many {sorted(found - wanted)[:3]}, too few {sorted(wanted - found)[:3]}")


def _judge_others(
    events: DataFrame,
    path: Path,
    version: int | None,
    rules: dict[str, Rule],
    world: GuardWorld,
    wanted: set[tuple[int, str]],
    tally: Tally,
    where: str,
) -> None:
    """Best matches by their scores, counts, and explanations of a few rules."""
    weights = {(event, id): rules[id].weight for event, id in wanted}
    ranked = {(row["event_id"], row["rank"]): row for row in top(events, path, 4, version=version, **ASKED).collect()}
    best: dict[tuple[int, int], float] = {}
    for event in {event for event, _ in wanted}:
        own = sorted((weight for (number, _), weight in weights.items() if number == event), reverse=True)
        best |= {(event, place): weight for place, weight in enumerate(own[:4], start=1)}
    _compare(
        tally,
        f"{where}: top",
        world,
        rules,
        {(*key, row["score"]) for key, row in ranked.items()},
        {(*key, weight) for key, weight in best.items()},
    )
    _compare(
        tally,
        f"{where}: top, whose",
        world,
        rules,
        {(row["event_id"], row["expression_id"]) for row in ranked.values()} - wanted,
        set(),
    )
    counted = {tuple(row) for row in count(events, path, version=version, **ASKED).collect()}
    totals = {(id, sum(other == id for _, other in wanted)) for id in {id for _, id in wanted}}
    _compare(tally, f"{where}: count", world, rules, counted, totals)
    few = sorted(rules)[:4]
    told = explain(events, path, few, version=version, **ASKED).collect()
    found = {(row["event_id"], row["expression_id"]) for row in told if row["matches"]}
    _compare(tally, f"{where}: explain", world, rules, found, {pair for pair in wanted if pair[1] in few})


def _judge_diff(spark: SparkSession, path: Path, world: GuardWorld, tally: Tally, where: str) -> None:
    events = _events(spark, world.events, "string")
    before, after = (expected(world.versions[place], world.kind, world.events) for place in (0, -1))
    rows = diff(events, path, path, old_version=1, new_version=len(world.versions), **ASKED).collect()
    found = {(row["expression_id"], row["gained"], row["lost"]) for row in rows}
    ids = {id for _, id in before ^ after}
    wanted = {(id, *(sum(pair[1] == id for pair in pairs) for pairs in (after - before, before - after))) for id in ids}
    _compare(tally, f"{where}: diff", world, world.versions[-1], found, wanted)


def _judge_stream(
    spark: SparkSession,
    home: Path,
    path: Path,
    events: DataFrame,
    world: GuardWorld,
    wanted: set[tuple[int, str]],
    tally: Tally,
    where: str,
) -> None:
    source, out = home / f"{path.name}-incoming", home / f"{path.name}-matches"
    events.write.parquet(str(source))
    arriving = spark.readStream.schema(events.schema).parquet(str(source))
    query = stream(arriving, path, out, checkpoint=f"{out}.checkpoint", trigger={"availableNow": True}, **ASKED)
    query.awaitTermination()
    found = {(row["event_id"], row["expression_id"]) for row in spark.read.parquet(str(out)).collect()}
    _compare(tally, f"{where}: stream", world, world.versions[-1], found, wanted)
