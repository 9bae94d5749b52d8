"""`eligo build`: a table of expressions becomes an index on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from eligo.cli.shared import options
from eligo.cli.shared.console import ExitCode, counted, messages, rate
from eligo.cli.shared.expression_file import Problem
from eligo.cli.shared.file_content import STANDARD_STREAM
from eligo.cli.shared.parsed_file import read_schema
from eligo.cli.shared.problems import print_problem
from eligo.cli.shared.spark_input import readable_path
from eligo.cli.shared.spark_session import started_session
from eligo.cli.shared.stage_steps import shown_stages
from eligo.cli.shared.steps import Steps
from eligo.data.file_format import FileFormat, format_of
from eligo.data.file_places import require_rejects
from eligo.errors import ExpressionError, Position, PublishRefusedError
from eligo.index.stored.loss_bounds import checked_bound
from eligo.stores.address import place

if TYPE_CHECKING:
    import pyarrow as pa

    from eligo.index.build_summary import BuildSummary
    from eligo.spark.tables.expression_rows import Expressions

SHOWN_REJECTS = 5

Rejects = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="Write the rejected rows here, as .parquet, .jsonl or .csv.", show_default=False),
]
OrderBy = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The column that tells which row of an id is the last, which counts.",
        show_default=False,
    ),
]


class Duplicates(StrEnum):
    """What becomes of rows with one id that differ."""

    ERROR = "error"
    LAST = "last"


OnDuplicate = Annotated[
    Duplicates,
    typer.Option(
        metavar="error|last",
        help="Rows of one id that differ, where no --order-by decides: refuse them, or take the last one of the file.",
    ),
]
TenantColumn = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The column, or JSON field, of the tenants; of CSV, they are text.", show_default=False
    ),
]
ValidFrom = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The column of the moments from which expressions hold.", show_default=False),
]
ValidTo = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The column of the moments until which expressions hold.", show_default=False),
]
WeightsColumn = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The column of maps from attributes to weights, for predicates that have no ^ of their own.",
        show_default=False,
    ),
]
ShardRows = Annotated[int, typer.Option(metavar="NUMBER", min=1, help="About so many rows make a shard.")]
MaxRejects = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|SHARE",
        help="Publish nothing when more rows are rejected: a number, or a share such as 10% or 0.1.",
        show_default="any number, but not all",
    ),
]
MaxShrink = Annotated[
    str,
    typer.Option(
        metavar="NUMBER|SHARE",
        help="Publish nothing when the index would lose more expressions: a number, or a share; 100% allows all.",
    ),
]
KeepVersions = Annotated[
    int, typer.Option(metavar="NUMBER", min=1, help="How many versions stay, the new one included.")
]


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
        str | None,
        typer.Option(metavar="NAME", help="The engine that will match; auto has one chosen.", show_default="auto"),
    ] = None,
    ranges: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="What lists ranges get: auto (chosen for each attribute), segment_tree or elementary."
        ),
    ] = "auto",
    rejects: Rejects = None,
    schema: options.SchemaFile = None,
    format: options.TableFormat = None,
    delimiter: options.Delimiter = ",",
    id_column: options.IdColumn = "id",
    expression_column: options.ExpressionColumn = "expression",
    weights_column: WeightsColumn = None,
    order_by: OrderBy = None,
    on_duplicate: OnDuplicate = Duplicates.ERROR,
    tenant_column: TenantColumn = None,
    valid_from: ValidFrom = None,
    valid_to: ValidTo = None,
    max_rejects: MaxRejects = None,
    max_shrink: MaxShrink = "50%",
    shard_rows: ShardRows = 500_000,
    keep_versions: KeepVersions = 10,
    master: options.Master = "local[*]",
) -> None:
    """Check a table of expressions on Spark, build the good ones in its executors and publish the index.

    Rows that are no expressions are rejected, shown and counted, and the exit code is 1; the good ones are published
    all the same, unless too many were rejected, or too few are left: then nothing is published, and the exit code is
    2. Rows of one id that differ are refused, unless --order-by or --on-duplicate last says which one counts.

    Examples:
      eligo build ads.parquet ads.index
      eligo build --missing false --rejects rejects.jsonl ads.csv ads.index
      eligo build --tenant-column shop --valid-from start --valid-to stop ads.parquet ads.index
    """
    known_schema = read_schema(schema)
    check_bounds(max_rejects, max_shrink)
    check_places(index, rejects, expressions)
    from eligo.engines import registry

    registry.require_name(engine or registry.DEFAULT_ENGINE)
    from eligo.ranges.list_choice import checked_range_lists

    known_ranges = checked_range_lists(ranges)
    from eligo.spark import build as build_index

    with shown_rejects(expressions), Steps() as steps, readable_path(expressions, format) as path:
        spark = started_session(steps, "eligo build", master)
        table = read_table(
            spark,
            path,
            format,
            id_column,
            expression_column,
            weights_column,
            order_by,
            tenant_column,
            valid_from,
            valid_to,
            delimiter,
        )
        summary = build_index(
            table,
            index,
            missing=missing.value,
            engine=engine or registry.DEFAULT_ENGINE,
            ranges=known_ranges,
            schema=known_schema,
            id=id_column,
            expression=expression_column,
            weights=weights_column,
            order_by=deciding_order(order_by, on_duplicate),
            tenant=tenant_column,
            valid_from=valid_from,
            valid_to=valid_to,
            target_shard_rows=shard_rows,
            rejects=rejects,
            max_rejects=max_rejects,
            max_shrink=max_shrink,
            keep_versions=keep_versions,
            on_stage=shown_stages(steps, spark),
        )
        steps.finish(outcome_of(summary))
    print_outcome(expressions, index, rejects, summary)
    raise typer.Exit(ExitCode.FOUND if summary.num_rejected else ExitCode.FINE)


def check_bounds(max_rejects: str | None, max_shrink: str) -> None:
    """Refuse what is no bound before anything is started."""
    checked_bound(max_shrink, "--max-shrink")
    if max_rejects is not None:
        checked_bound(max_rejects, "--max-rejects")


def check_places(index: str, rejects: str | None, *files: str | None) -> None:
    """Refuse an index and rejects that cannot be there, or would be written over what is read."""
    place(index, "the index")
    require_rejects(rejects, index, *(file for file in files if file not in (None, STANDARD_STREAM)))


def deciding_order(order_by: str | None, on_duplicate: Duplicates) -> str | None:
    """What tells which row of an id is the last; None for nothing, so that rows that differ are refused."""
    from eligo.spark.tables.expression_rows import POSITION

    return order_by or (POSITION if on_duplicate is Duplicates.LAST else None)


@contextmanager
def shown_rejects(file: str) -> Iterator[None]:
    """When nothing is published because of the rows of a file, the first bad ones are shown."""
    try:
        yield
    except PublishRefusedError as refusal:
        if refusal.rejects is not None:
            for problem in reject_problems(file, refusal.rejects, SHOWN_REJECTS):
                print_problem(messages(), problem)
        raise


def read_table(
    spark: Any,
    path: str,
    format: FileFormat | None,
    id: str,
    expression: str,
    weights: str | None,
    order_by: str | None,
    tenant: str | None,
    valid_from: str | None,
    valid_to: str | None,
    delimiter: str,
) -> Expressions:
    """The columns that were named; Parquet is read by workers."""
    from eligo.spark import parquet_expressions
    from eligo.spark.tables import expression_tables

    if (format or format_of(path)) is FileFormat.PARQUET:
        return parquet_expressions(spark, path)
    more = [name for name in (order_by, tenant) if name is not None]
    moments = [name for name in (valid_from, valid_to) if name is not None]
    texts = [weights] if weights is not None else []
    return expression_tables.read_expressions(
        spark,
        path,
        format=format,
        id=id,
        expression=expression,
        more=more,
        moments=moments,
        texts=texts,
        tenant=tenant,
        delimiter=delimiter,
    )


def outcome_of(summary: BuildSummary) -> str:
    """What was published, in a few words."""
    shards = counted(summary.num_shards, "shard")
    return f"version {summary.version}, {shards}, {readable_bytes(summary.num_bytes)}"


def print_outcome(expressions: str, index: str, rejects: str | None, summary: BuildSummary) -> None:
    """The first rejects, and what became of the rows."""
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
    total = sum(summary.seconds.values())
    pace = f", {rate(summary.num_rows, total)} rows a second" if total else ""
    style = "bold red" if summary.num_rejected else "bold green"
    console.print(Text(f"{outcome}{where}{replaced}{pace}; the index is in {index}", style=style))


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
