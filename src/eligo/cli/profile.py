"""`eligo profile`: what is a table of expressions like?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eligo.cli.shared import event_options, options
from eligo.cli.shared.console import counted, json_line, output
from eligo.cli.shared.file_content import STANDARD_STREAM
from eligo.cli.shared.spark_input import readable_path
from eligo.cli.shared.spark_session import started_session
from eligo.cli.shared.steps import Steps
from eligo.data.file_format import FileFormat, format_of
from eligo.data.file_places import require_apart, require_there

if TYPE_CHECKING:
    import pyarrow as pa

    from eligo.data.expressions.expression_profile import Profile

SHOWN = 10


def profile(
    expressions: Annotated[
        str, typer.Argument(help="A table of expressions: .jsonl, .csv or .parquet; - is stdin.", show_default=False)
    ],
    events: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A Parquet or CSV table of events, of which a sample tells how selective predicates are.",
            show_default=False,
        ),
    ] = None,
    as_json: options.AsJson = False,
    report: event_options.ReportPath = None,
    missing: options.Missing = options.MissingPolicy.UNKNOWN,
    format: options.TableFormat = None,
    delimiter: options.Delimiter = ",",
    id_column: options.IdColumn = "id",
    expression_column: options.ExpressionColumn = "expression",
    master: options.Master = "local[*]",
) -> None:
    """Say what a table of expressions is like: how much it shares, its predicates, attributes and operators.

    Sharing is how often subexpressions of a level occur, over how many different ones there are: what an index saves
    that stores each once.

    Examples:
      eligo profile ads.parquet
      eligo profile ads.parquet --events events.parquet --report profile.html
    """
    from eligo.report.job_pages import profile_page
    from eligo.spark import profile as profile_table
    from eligo.spark.session.progress import running_tasks
    from eligo.spark.tables import expression_tables, tables

    if events is not None:
        require_there(events)
    if report is not None:
        require_apart(report, *(path for path in (expressions, events) if path not in (None, STANDARD_STREAM)))
    with Steps() as steps, readable_path(expressions, format) as path:
        spark = started_session(steps, "eligo profile", master)
        steps.begin("read expressions", lambda: running_tasks(spark))
        table = expression_tables.read_expressions(
            spark, path, format=format, id=id_column, expression=expression_column, delimiter=delimiter
        )
        sample = None
        if events is not None:
            sample = tables.read_events(spark, events, format=_format(events), needs_id=False, delimiter=delimiter)
        found = profile_table(tables.spread(table), expression=expression_column, events=sample, missing=missing.value)
        seconds = steps.finish(counted(found.num_expressions, "expression"))
    if report is not None:
        profile_page(f"Profile of {expressions}", found, seconds).write(report)
    if as_json:
        print(json_line(found.to_json()))
    else:
        _print(output(), found)


def _format(path: str) -> FileFormat:
    return format_of(path)


def _print(console: Console, found: Profile) -> None:
    console.print(
        f"{counted(found.num_expressions, 'expression')}, {found.num_distinct:,} distinct, "
        f"{found.num_rejected:,} rejected, {found.predicates_per_expression:.2f} predicates each"
    )
    for heading, table in (
        ("Sharing by level", found.sharing),
        ("Operators", found.operators),
        ("Attributes", found.attributes),
        ("Predicates", found.predicates),
        ("Depth", found.depths),
        ("Selectivity", found.selectivity),
    ):
        if table is not None and table.num_rows:
            console.print(Text(f"\n{heading}", style="bold cyan"))
            console.print(_shown(table))


def _shown(table: pa.Table) -> Table:
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    for name in table.column_names:
        shown.add_column(name)
    for row in table.slice(0, SHOWN).to_pylist():
        shown.add_row(*(f"{value:,.4g}" if isinstance(value, float) else Text(str(value)) for value in row.values()))
    if table.num_rows > SHOWN:
        shown.add_row(f"… {table.num_rows - SHOWN:,} more")
    return shown
