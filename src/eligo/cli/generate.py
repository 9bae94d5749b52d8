"""`eligo generate`: make one of the papers' workloads."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from eligo.cli.shared import options
from eligo.cli.shared.console import counted
from eligo.cli.shared.spark_session import started_session
from eligo.cli.shared.steps import Steps
from eligo.errors import InputError


def generate(
    workload: Annotated[
        str, typer.Argument(help="abe_gen, ads_like or conjunctions; see docs/benchmarks.md.", show_default=False)
    ],
    out: Annotated[
        str,
        typer.Option(
            metavar="DIR", help="Where expressions.parquet and events.parquet are written.", show_default=False
        ),
    ],
    expressions: Annotated[int, typer.Option(metavar="N", min=1, help="How many expressions to make.")] = 100_000,
    events: Annotated[int, typer.Option(metavar="N", min=0, help="How many events to make.")] = 100_000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed makes the same tables.")] = 1,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="A parameter of the generator, with a value in JSON; may be given again.",
            show_default=False,
        ),
    ] = None,
    overwrite: options.Overwrite = False,
    master: options.Master = "local[*]",
) -> None:
    """Make a workload of the papers at any size on Spark: a table of expressions and one of events.

    The same arguments give the same rows, whatever the machine.

    Examples:
      eligo generate conjunctions --out workload --expressions 1000000 --events 50000
      eligo generate abe_gen --out workload --parameter alpha=0.8
    """
    from eligo.data.file_places import require_writable
    from eligo.spark import generate as generate_tables
    from eligo.spark.session.progress import running_tasks
    from eligo.spark.tables import tables
    from eligo.workloads import registry

    registry.get(workload)  # an unknown name is told before Spark starts
    targets = [f"{out}/{name}.parquet" for name in ("expressions", "events")]
    for target in targets:
        require_writable(target, overwrite=overwrite)
    parameters = dict(map(_parameter, parameter or ()))
    with Steps() as steps:
        spark = started_session(steps, "eligo generate", master)
        made = generate_tables(spark, workload, num_expressions=expressions, num_events=events, seed=seed, **parameters)
        for title, count, table, target in zip(
            ("expression", "event"), (expressions, events), made, targets, strict=True
        ):
            steps.begin(f"write {title}s", lambda: running_tasks(spark), count)
            tables.write(table, target, overwrite=overwrite)
            steps.finish(f"{counted(count, title)} in {target}")


def _parameter(given: str) -> tuple[str, Any]:
    name, _, value = given.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        raise InputError(
            f"{given!r} is not a parameter", help="write NAME=VALUE with a value in JSON, such as alpha=0.8"
        ) from None
