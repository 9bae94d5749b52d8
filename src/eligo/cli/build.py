"""`eligo build`: a table of expressions becomes an index on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from eligo.cli import options
from eligo.cli.console import ExitCode, counted, messages
from eligo.cli.expression_file import Problem
from eligo.cli.parsed_file import read_schema
from eligo.cli.problems import print_problem
from eligo.cli.spark_input import readable_path
from eligo.cli.spark_session import started_session
from eligo.cli.steps import Steps
from eligo.errors import ExpressionError, Position

if TYPE_CHECKING:
    import pyarrow as pa

    from eligo.spark.build import BuildSummary

SHOWN_REJECTS = 5


def build(
    expressions: Annotated[
        str, typer.Argument(help="A table of expressions: .jsonl, .csv or .parquet; - is stdin.", show_default=False)
    ],
    index: Annotated[
        str,
        typer.Argument(
            help="The directory of the index; one that is there already gets a new version.", show_default=False
        ),
    ],
    missing: options.Missing = options.MissingPolicy.UNKNOWN,
    engine: Annotated[
        str | None, typer.Option(metavar="NAME", help="The engine that will match.", show_default="the default engine")
    ] = None,
    rejects: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Write the rejected rows here, as .parquet or .jsonl.", show_default=False),
    ] = None,
    schema: options.SchemaFile = None,
    format: options.Format = None,
    id_column: options.IdColumn = "id",
    expression_column: options.ExpressionColumn = "expression",
    master: options.Master = "local[*]",
) -> None:
    """Check a table of expressions on Spark, index the good ones and publish the index.

    Rows that are no expressions are rejected, shown and counted, and the exit code is 1; the good ones are published
    all the same. When an id comes again, its last row counts.

    Examples:
      eligo build ads.parquet ads.index
      eligo build --missing false --rejects rejects.jsonl ads.csv ads.index
    """
    known_schema = read_schema(schema)
    from eligo.engines import registry

    registry.get(engine or registry.DEFAULT_ENGINE)
    from eligo.spark import build as build_index
    from eligo.spark import tables
    from eligo.spark.progress import running_tasks

    with Steps() as steps, readable_path(expressions, format) as path:
        spark = started_session(steps, "eligo build", master)
        titles = {"check": "check expressions", "build": "build index", "publish": "publish"}
        begun: list[str] = []

        def on_stage(stage: str) -> None:
            if begun:
                steps.finish()
            begun.append(stage)
            steps.begin(titles[stage], (lambda: running_tasks(spark)) if stage == "check" else None)

        table = tables.read_expressions(spark, path, format=format, id=id_column, expression=expression_column)
        summary = build_index(
            table,
            index,
            missing=missing.value,
            engine=engine or registry.DEFAULT_ENGINE,
            schema=known_schema,
            id=id_column,
            expression=expression_column,
            on_stage=on_stage,
        )
        steps.finish(f"version {summary.version}, {readable_bytes(summary.num_bytes)}")
    if rejects is not None:
        tables.write_table(summary.rejects, rejects)
    _print_outcome(expressions, index, rejects, summary)
    raise typer.Exit(ExitCode.FOUND if summary.num_rejected else ExitCode.FINE)


def _print_outcome(expressions: str, index: str, rejects: str | None, summary: BuildSummary) -> None:
    console = messages()
    for problem in reject_problems(expressions, summary.rejects, SHOWN_REJECTS):
        print_problem(console, problem)
    hidden = summary.num_rejected - SHOWN_REJECTS
    if hidden > 0:
        console.print(f"… and {hidden:,} more{'' if rejects else ': give --rejects to see all'}")
    replaced = f", {summary.num_replaced:,} replaced by a later row" if summary.num_replaced else ""
    where = f" (in {rejects})" if rejects and summary.num_rejected else ""
    outcome = (
        f"{counted(summary.num_rows, 'row')}: {summary.num_accepted:,} accepted, {summary.num_rejected:,} rejected"
    )
    style = "bold red" if summary.num_rejected else "bold green"
    console.print(Text(f"{outcome}{where}{replaced}; the index is in {index}", style=style))


def reject_problems(file: str, rejects: pa.Table, limit: int) -> list[Problem]:
    """The first rejects as problems that can be shown; they have no line, because a table in Spark has none."""
    return [
        Problem(
            file,
            None,
            row["id"],
            ExpressionError(
                row["error"],
                text=row["expression"] or "",
                position=Position(0, row["line"], row["column"]) if row["line"] is not None else None,
                help=row["help"] or "",
            ),
        )
        for row in rejects.slice(0, limit).to_pylist()
    ]


def readable_bytes(number: int) -> str:
    """A size for people: `3.2 MB`."""
    size = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{number} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
