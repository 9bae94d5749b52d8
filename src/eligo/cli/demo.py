"""`eligo demo`: what is it like? The main job on an ad-targeting sample, from tables to matches, with a report."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from eligo.arguments import path as local_path
from eligo.cli.build import readable_bytes
from eligo.cli.shared import options
from eligo.cli.shared.console import counted
from eligo.cli.shared.demo_report import DemoOutcome, print_report
from eligo.cli.shared.spark_session import started_session
from eligo.cli.shared.stage_steps import shown_stages
from eligo.cli.shared.steps import Steps

TOP = 10
EXPLAINED_FROM = 200
"""One match of the first so many events is explained."""


@dataclass(frozen=True)
class DemoFiles:
    """Where the demo puts things."""

    directory: Path

    @property
    def expressions(self) -> str:
        return str(self.directory / "expressions.parquet")

    @property
    def events(self) -> str:
        return str(self.directory / "events.parquet")

    @property
    def rejects(self) -> str:
        return str(self.directory / "rejects.parquet")

    @property
    def index(self) -> str:
        return str(self.directory / "ads.index")

    @property
    def matches(self) -> str:
        return str(self.directory / "matches.parquet")


def demo(
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where the files go; a demo that is there is replaced.")
    ] = "eligo-demo",
    expressions: Annotated[int, typer.Option(metavar="N", min=1, help="How many expressions to make.")] = 20_000,
    events: Annotated[int, typer.Option(metavar="N", min=1, help="How many events to make.")] = 100_000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed makes the same sample.")] = 7,
    missing: options.Missing = options.MissingPolicy.UNKNOWN,
    master: options.Master = "local[*]",
) -> None:
    """Run the main job on a sample of ad campaigns and page views.

    Writes a table of expressions and one of events; then, on Spark: check, build, publish, match; and reports what came
    out. A few expressions are broken on purpose, to show rejects.

    Examples:
      eligo demo
      eligo demo --expressions 2000 --events 10000 --out /tmp/demo
    """
    start = time.perf_counter()
    files = DemoFiles(Path(local_path(out, "--out")))
    with Steps() as steps:
        _write_sample(steps, files, expressions, events, seed)
        outcome = _run(steps, started_session(steps, "eligo demo", master), files, missing)
    print_report(outcome, files, time.perf_counter() - start)


def _write_sample(steps: Steps, files: DemoFiles, num_expressions: int, num_events: int, seed: int) -> None:
    from eligo.index.written.table_files import write_arrow
    from eligo.workloads import sample

    steps.begin("write the sample")
    expressions = sample.expressions(num_expressions, seed=seed)
    write_arrow(expressions.to_batches(), sample.EXPRESSION_SCHEMA, files.expressions)
    write_arrow(sample.events(num_events, seed=seed), sample.EVENT_SCHEMA, files.events)
    steps.finish(f"{counted(num_expressions, 'expression')}, {counted(num_events, 'event')}")


def _run(steps: Steps, spark: Any, files: DemoFiles, missing: options.MissingPolicy) -> DemoOutcome:
    from eligo.index.written.table_files import write_table
    from eligo.spark import build
    from eligo.spark.matching.match_files import match_files
    from eligo.spark.matching.most_matched import longest_match, most_matched
    from eligo.spark.session.progress import running_tasks
    from eligo.spark.tables import expression_tables

    expressions = expression_tables.read_expressions(spark, files.expressions)
    built = build(expressions, files.index, missing=missing.value, on_stage=shown_stages(steps, spark))
    steps.finish(f"version {built.version}, {readable_bytes(built.num_bytes)}")
    write_table(built.rejects, files.rejects)

    steps.begin("match events", lambda: running_tasks(spark))
    matched = match_files(spark, files.index, files.events, files.matches, overwrite=True)
    steps.finish(f"{counted(matched.num_matches, 'match', 'matches')}")

    steps.begin("count matches", lambda: running_tasks(spark))
    matches = spark.read.parquet(files.matches)
    outcome = DemoOutcome(
        built=built,
        matched=matched,
        top=most_matched(matches, expressions, TOP),
        explained=longest_match(matches, expressions, first_events=EXPLAINED_FROM),
    )
    steps.finish()
    return outcome
