"""Is Spark worth it around the kernels? Matching, counting, building and opening, against what else could be done."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from itertools import count as count_up
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

import eligo
from benchmarks import machine, processes, spark_alone
from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError, event_dict
from benchmarks.event_forms import EventForm, few, few_against_all, json_texts, maps, narrow, wide, wide_against_all
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome
from benchmarks.pipeline_tables import PipelineTables, discard, tables_of
from benchmarks.standalone_cluster import match_on_cluster
from benchmarks.timing import Action, interleave, interleave_fresh, seconds
from eligo.spark import build, count, match, match_to_parquet, parquet_events, parquet_expressions, stream
from eligo.spark.session.class_archive import archive_path
from eligo.spark.session.java import require_java
from eligo.storage.manifest import read_manifest

Pairs = npt.NDArray[np.int64]

WARM_UP_ROWS = 5_000
SHARDS = (1, 2, 7)


def match_share(make: Callable[[PipelineTables, int], EventForm], bench: Bench) -> Outcome:
    """The same events through the kernels, already encoded, and through Spark, from Parquet to Parquet."""
    tables = tables_of(bench.scale, bench.seed)
    form, out = make(tables, 0), str(tables.path("matches.parquet"))
    events = parquet_events(tables.spark, form.events)
    index = eligo.open(form.index)
    encoded = form.encoded(index)
    eligo.set_threads(None)
    num_found: list[int] = []
    numbers = count_up()

    def kernels() -> None:
        num_found.append(sum(len(index.match_batch(batch).positions) for batch in encoded))

    def by_spark() -> None:
        match(events, form.index, **form.options).write.mode("overwrite").parquet(f"{out}-by-spark")

    def turns() -> dict[str, Action]:
        nonlocal form, events, encoded
        before, form = form, make(tables, next(numbers))
        if form.events != before.events:
            events, encoded = parquet_events(tables.spark, form.events), form.encoded(index)
        return {
            "kernels": kernels,
            "spark": lambda: match_to_parquet(events, form.index, out, overwrite=True, **form.options),
            **({"spark_writes": by_spark} if make is wide else {}),
        }

    samples = interleave_fresh(turns, tables.sizes.num_rounds)
    for path in (out, f"{out}-by-spark") if make is wide else (out,):
        num_written = sum(fragment.metadata.num_rows for fragment in pq.ParquetDataset(path).fragments)
        if num_written != num_found[-1]:
            raise WrongAnswerError(f"Spark wrote {num_written:,} matches, the kernels found {num_found[-1]:,}")
        shutil.rmtree(path)
    shares = {name: 100 * samples["kernels"].median / times.median for name, times in samples.items()}
    return Outcome(
        shares["spark"],
        {
            "num_events": events.num_rows,
            "num_expressions": len(index),
            "num_matches": num_found[-1],
            "cores": machine.available_cores(),
            "events_a_second": {name: events.num_rows / times.median for name, times in samples.items()},
            "shares": shares,
            "samples": {name: times.to_json() for name, times in samples.items()},
        },
    )


def cold_match(bench: Bench) -> Outcome:
    """`eligo match` of few events in new processes, in turns with the archive of Spark's classes and without."""
    tables = tables_of(bench.scale, bench.seed)
    path, num_rounds = tables.whole_index(), tables.sizes.num_rounds
    out = tables.path("cold-matches.parquet")
    has_archive = archive_path(require_java()).is_file()
    ways = {"archive": True, "no_archive": False} if has_archive else {"no_archive": False}
    rounds: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    master = f"local[{machine.available_cores()}]"
    for number in range(num_rounds):
        events = tables.fresh_few(number)
        wanted = len(eligo.open(path).match_batch(pq.read_table(events).drop_columns(["event_id"])).positions)
        for way, with_archive in ways.items():
            asked = ("match", path, events, "--out", str(out), "--overwrite", "--master", master)
            rounds[way].append(processes.cold_command(*asked, with_archive=with_archive))
            if pq.read_table(out).num_rows != wanted:
                raise WrongAnswerError(f"eligo match found other than {wanted:,} matches")
    shown = rounds[next(iter(ways))]
    seconds_of = sorted(found["s"] for found in shown)
    return Outcome(
        median(seconds_of),
        {
            "num_events": tables.sizes.few_events,
            "has_archive": has_archive,
            "rounds": rounds,
            "processor_s": {way: median(found["processor_s"] for found in times) for way, times in rounds.items()},
            "s": {way: median(found["s"] for found in times) for way, times in rounds.items()},
        },
        (seconds_of[0], seconds_of[-1]),
    )


def first_job_against_second(bench: Bench) -> Outcome:
    """How many times as long the first job of a session takes as the second, over as many other events."""
    tables = tables_of(bench.scale, bench.seed)
    path, cores, out = tables.index(), machine.available_cores(), str(tables.path("two-jobs.parquet"))
    rounds = [
        processes.two_jobs(path, tables.fresh_few(first), tables.fresh_few(first + 1), out, cores)
        for first in range(0, 2 * tables.sizes.num_rounds, 2)
    ]
    ratios = [found["first_job_s"] / found["second_job_s"] for found in rounds]
    details = {"num_events": tables.sizes.few_events, "rounds": rounds}
    return Outcome(median(ratios), details, (min(ratios), max(ratios)))


def against_spark_alone(bench: Bench) -> Outcome:
    """Time for a pair of event and expression: the faster way of Spark alone on a cut, and Eligo on everything."""
    tables = tables_of(bench.scale, bench.seed)
    sizes, spark = tables.sizes, tables.spark
    path, all_events = tables.index(), parquet_events(spark, tables.events)
    expressions = pq.read_table(tables.expressions).slice(0, sizes.cut_expressions)
    events = spark.read.parquet(tables.events).where(f"event_id < {sizes.cut_events}")
    events = events.repartition(machine.available_cores()).persist()
    events.write.format("noop").mode("overwrite").save()
    wanted = _cut_matches(tables, path, expressions)
    few = str(tables.path("cut-index"))
    build(spark.createDataFrame(expressions), few)
    taken = {}
    for way, make in spark_alone.WAYS.items():
        found = spark_alone.pairs(make(events, expressions))  # warms up, too
        if found != wanted:
            raise WrongAnswerError(f"Spark alone, by {way}, finds {len(found)} matches; Eligo finds {len(wanted)}")
        taken[way] = seconds(lambda make=make: [discard(part) for part in make(events, expressions)])
    cut_samples = interleave({"eligo": lambda: discard(match(events, few))}, 3)
    events.unpersist()
    whole = interleave({"spark": lambda: discard(match(all_events, path))}, 1)["spark"].median
    ours = 1e9 * whole / (sizes.num_events * sizes.num_expressions)
    alone = spark_alone.per_pair(taken, sizes.cut_events * sizes.cut_expressions)
    return Outcome(
        min(alone.values()) / ours,
        {
            "cut": {"num_events": sizes.cut_events, "num_expressions": sizes.cut_expressions},
            "whole": {"num_events": sizes.num_events, "num_expressions": sizes.num_expressions},
            "num_matches_of_cut": len(wanted),
            "seconds_for_cut": {**taken, "eligo": cut_samples["eligo"].median},
            "seconds_for_whole": whole,
            "ns_a_pair": {"eligo": ours, **alone},
        },
    )


def _cut_matches(tables: PipelineTables, path: str, expressions: pa.Table) -> set[tuple[int, int]]:
    events = pq.ParquetFile(tables.events).read_row_group(0).slice(0, tables.sizes.cut_events)
    found = eligo.open(path).match_batch(events.drop_columns(["event_id"])).to_arrow()
    chosen = found.filter(pa.compute.is_in(found["expression_id"], value_set=expressions["id"].combine_chunks()))
    return set(zip(chosen["event"].to_pylist(), chosen["expression_id"].to_pylist(), strict=True))


def count_against_group(bench: Bench, *, is_dense: bool) -> Outcome:
    """Matches of each expression: counted by the engine, and as rows that Spark groups."""
    tables = tables_of(bench.scale, bench.seed)
    source, path = tables.dense if is_dense else (tables.events, tables.index())
    events = parquet_events(tables.spark, source)
    ways = {"count": partial(count, events, path), "match_and_group": partial(_grouped, events, path)}
    counts = [_counts(way()) for way in ways.values()]
    if not np.array_equal(*counts):
        raise WrongAnswerError("count, and match with groupBy, give different counts")
    samples = interleave(
        {way: lambda make=make: discard(make()) for way, make in ways.items()}, tables.sizes.num_rounds
    )
    return Outcome(
        samples["match_and_group"].median / samples["count"].median,
        {
            "num_events": events.num_rows,
            "num_expressions": read_manifest(Path(path)).num_expressions,
            "num_matches": int(counts[0][:, 1].sum()),
            "samples": {way: times.to_json() for way, times in samples.items()},
        },
    )


def _grouped(events: Any, path: str) -> DataFrame:
    return match(events, path).groupBy("expression_id").count()


def _counts(rows: DataFrame) -> Pairs:
    columns = [column.to_numpy() for column in rows.toArrow().columns]
    counts = np.column_stack(columns)
    ordered: Pairs = counts[np.argsort(counts[:, 0])]
    return ordered


def build_against_single(bench: Bench) -> Outcome:
    """From Parquet to a published index: in one process, and in Spark on all cores; both warm, and both cold."""
    tables = tables_of(bench.scale, bench.seed)
    source, spark = tables.built, tables.spark
    alone, spread = tables.path("built-alone"), tables.path("built-in-spark")
    few = str(tables.path("few.parquet"))
    pq.write_table(pq.read_table(source).slice(0, WARM_UP_ROWS), few)
    eligo.build(pq.read_table(few)).save(tables.path("warm-alone"), expected_version="any")
    build(parquet_expressions(spark, few), tables.path("warm-spark"), target_shard_rows=WARM_UP_ROWS // 4)
    stages: list[dict[str, float]] = []
    samples = interleave(
        {
            "single_process": lambda: eligo.build(pq.read_table(source)).save(_fresh(alone)),
            "spark": lambda: stages.append(dict(build(parquet_expressions(spark, source), _fresh(spread)).seconds)),
        },
        tables.sizes.num_rounds,
    )
    cold = {}
    if bench.is_full:
        cores = str(machine.available_cores())
        cold = {
            "single_process": processes.cold_seconds(processes.BUILD, source, str(_fresh(alone))),
            "spark": processes.cold_seconds(processes.SPARK_BUILD, source, str(_fresh(tables.path("cold"))), cores),
        }
    manifest = read_manifest(spread)
    return Outcome(
        samples["single_process"].median / samples["spark"].median,
        {
            "num_expressions": manifest.num_expressions,
            "num_shards": len(manifest.shards),
            "num_bytes": manifest.num_bytes,
            "spark_stages_s": stages[-1],
            "cold_s": cold,
            "samples": {name: times.to_json() for name, times in samples.items()},
        },
    )


def _fresh(path: Path) -> Path:
    """The path, with nothing there."""
    shutil.rmtree(path, ignore_errors=True)
    return path


def verified_open(bench: Bench) -> Outcome:
    """The time of the first process that opens an index and so reads all of it; the second finds it verified."""
    opened, num_bytes = _opened_twice(bench)
    first, second = (process["open_s"] for process in opened)
    details = {"index_bytes": num_bytes, "first_s": first, "second_s": second, "seconds_a_gb": first / num_bytes * 1e9}
    return Outcome(first, details)


def second_open(bench: Bench) -> Outcome:
    """The time of the second process that opens an index; what both hold is in the details."""
    opened, num_bytes = _opened_twice(bench)
    return Outcome(opened[1]["open_s"], {"index_bytes": num_bytes, "processes": opened})


def memory_of_second(bench: Bench) -> Outcome:
    """What a process that opens an index and matches with it holds for itself alone, as a share of the index."""
    opened, num_bytes = _opened_twice(bench)
    held = opened[1]["bytes"]
    added = held["after_open"]["private"] - held["before"]["private"]
    return Outcome(100 * added / num_bytes, {"index_bytes": num_bytes, "private_bytes_added": added, "bytes": held})


def _opened_twice(bench: Bench) -> tuple[list[dict[str, Any]], int]:
    tables = tables_of(bench.scale, bench.seed)
    path = Path(tables.whole_index())
    some = str(tables.path("some-events.parquet"))
    made = pq.ParquetFile(tables.events).read_row_group(0).slice(0, 2_048)
    pq.write_table(made.drop_columns(["event_id"]), some)
    return processes.open_in_processes(str(path), some), read_manifest(path).num_bytes


def identical_matches(bench: Bench) -> Outcome:
    """In how many ways the same events were asked, all with the same answers; any other answer ends the run."""
    tables = tables_of(bench.scale, bench.seed)
    spark, num_events = tables.spark, tables.sizes.same_events
    table = pq.ParquetFile(tables.events).read_row_group(0).slice(0, num_events)
    source = tables.path("same")
    source.mkdir(exist_ok=True)
    pq.write_table(table, source / "events.parquet")
    index = eligo.open(tables.index())
    attributes = table.drop_columns(["event_id"])
    by_batch = index.match_batch(attributes).to_arrow()
    wanted = _sorted(by_batch["event"], by_batch["expression_id"])
    ways = {"match_batch": wanted, "match": _one_by_one(index, attributes)}
    events = parquet_events(spark, str(source))
    for num_shards in SHARDS:
        found = match(events, tables.index(num_shards)).toArrow()
        ways[f"spark_{num_shards}_shards"] = _sorted(found["event_id"], found["expression_id"])
    out = tables.path("streamed")
    arriving = spark.readStream.schema(events.schema).parquet(str(source))
    query = stream(
        arriving, tables.index(), _fresh(out), checkpoint=_fresh(tables.path("check")), trigger={"availableNow": True}
    )
    query.awaitTermination()
    streamed = spark.read.parquet(str(out)).select("event_id", "expression_id").toArrow()
    ways["spark_stream"] = _sorted(streamed["event_id"], streamed["expression_id"])
    if bench.is_full:
        logs, written = _fresh(tables.path("cluster")), str(_fresh(tables.path("on-cluster")))
        logs.mkdir()
        said = match_on_cluster(str(source), tables.index(SHARDS[-1]), written, logs)
        if said["executors"] != 2:
            raise RuntimeError(f"the cluster had {said['executors']} executors, not 2")
        found = pq.read_table(written)
        ways["spark_two_workers"] = _sorted(found["event_id"], found["expression_id"])
    for name, pairs in ways.items():
        if not np.array_equal(pairs, wanted):
            raise WrongAnswerError(f"{name} finds {len(pairs):,} matches, match_batch {len(wanted):,}, not the same")
    return Outcome(len(ways), {"num_events": num_events, "num_matches": len(wanted), "ways": list(ways)})


def _one_by_one(index: eligo.Index, events: pa.Table) -> Pairs:
    found = [index.match(event_dict(row)) for row in events.to_pylist()]
    lengths = [len(ids) for ids in found]
    return _sorted(np.repeat(np.arange(len(found)), lengths), [id for ids in found for id in ids])


def _sorted(events: Any, expressions: Any) -> Pairs:
    pairs = np.column_stack([np.asarray(events, np.int64), np.asarray(expressions, np.int64)])
    ordered: Pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return ordered


EXPERIMENT = Experiment(
    "spark_pipeline",
    "Is Spark worth it around the kernels?",
    (
        Measurement(
            "build_against_single",
            "build from Parquet, `conjunctions`, against a single process, both warm",
            "times",
            build_against_single,
            Bar(1.3),
        ),
        Measurement(
            "verified_open",
            "first open of that index, all checksums compared",
            "s",
            verified_open,
        ),
        Measurement(
            "second_open",
            "second open of that index, memory-mapped",
            "s",
            second_open,
            Bar(1, at_least=False),
        ),
        Measurement(
            "memory_of_second",
            "memory of the second process for itself alone",
            "% of the index",
            memory_of_second,
            Bar(5, at_least=False),
        ),
        *(
            Measurement(
                name,
                f"match from Parquet to Parquet, {what}: share of the kernels' rate",
                "%",
                partial(match_share, form),
                bar,
            )
            for name, what, form, bar in (
                ("match_share", "a million events of 100 columns, 100,000 expressions", wide, Bar(85)),
                ("match_share_all", "the same, a million expressions", wide_against_all, Bar(85)),
                ("match_share_few", "20,000 of these events, 100,000 expressions", few, Bar(50)),
                ("match_share_few_all", "the same, a million expressions", few_against_all, Bar(50)),
                ("match_share_narrow", "10 columns", narrow, None),
                ("match_share_maps", "maps", maps, None),
                ("match_share_json", "JSON texts", json_texts, None),
            )
        ),
        Measurement(
            "cold_match",
            "`eligo match` of 20,000 of these events in a new process, a million expressions",
            "s",
            cold_match,
        ),
        Measurement(
            "first_job",
            "the first job of a session over 20,000 of these events against its second, 100,000 expressions",
            "times",
            first_job_against_second,
        ),
        Measurement(
            "against_spark_alone",
            "the same for each pair of event and expression, against Spark alone on a cut",
            "times",
            against_spark_alone,
            Bar(100),
        ),
        Measurement(
            "count_against_group",
            "`count` against `match` and `groupBy`, dense, `ads_like`",
            "times",
            partial(count_against_group, is_dense=True),
            Bar(5),
        ),
        Measurement(
            "count_where_few_match",
            "the same where few match, `conjunctions`",
            "times",
            partial(count_against_group, is_dense=False),
            Bar(3),
        ),
        Measurement(
            "identical_matches",
            "ways to ask the same events with identical matches",
            "ways",
            identical_matches,
            Bar(7),
        ),
    ),
)
