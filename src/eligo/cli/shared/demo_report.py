"""What came out of the demo? Counts, the rate, the most matched expressions, one explained, rejects, and files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eligo.cli.build import reject_problems
from eligo.cli.shared.console import output
from eligo.cli.shared.problems import print_problem

if TYPE_CHECKING:
    from eligo.cli.demo import DemoFiles
    from eligo.index.build_summary import BuildSummary
    from eligo.report.match_summary import MatchSummary
    from eligo.spark.matching.most_matched import MatchedExpression

SHOWN_REJECTS = 3
NARROWEST_TABLE = 100


@dataclass(frozen=True)
class DemoOutcome:
    """Everything that the report tells."""

    built: BuildSummary
    matched: MatchSummary
    top: list[MatchedExpression]
    explained: tuple[Any, Any] | None
    """Event id and expression id of the match to explain."""


def print_report(outcome: DemoOutcome, files: DemoFiles, seconds: float) -> None:
    """Print the report on stdout."""
    console = output()
    _heading(console, "Result")
    _print_counts(console, outcome, seconds)
    _heading(console, "Most matched expressions")
    console.print(_top_table(outcome))
    if outcome.explained is not None:
        _print_explained(console, files, *outcome.explained)
    if outcome.built.num_rejected:
        _heading(console, f"Rejected: {outcome.built.num_rejected} expressions, such as")
        for problem in reject_problems(files.expressions, outcome.built.rejects, SHOWN_REJECTS):
            print_problem(console, problem)
    _heading(console, "Files")
    console.print(_file_table(files))
    if outcome.explained is not None:
        event, expression = outcome.explained
        hint = f"eligo explain --index {files.index} --id {expression} --events {files.events} {event}"
        console.print(Text.assemble("\nTry: ", (hint, "bold")))


def _heading(console: Console, text: str) -> None:
    console.print(Text(f"\n{text}", style="bold cyan"))


def _print_counts(console: Console, outcome: DemoOutcome, seconds: float) -> None:
    built, matched = outcome.built, outcome.matched
    per_event = matched.num_matches / matched.num_events
    rate = matched.num_events / matched.seconds
    table = Table.grid(padding=(0, 3))
    for name, told in (
        ("expressions", f"{built.num_rows:,} read, {built.num_accepted:,} accepted, {built.num_rejected:,} rejected"),
        ("events", f"{matched.num_events:,}"),
        ("matches", f"{matched.num_matches:,}, that is {per_event:.1f} an event"),
        ("rate", f"{rate:,.0f} events a second ({rate * built.num_accepted / 1e6:,.0f} million pairs a second)"),
        ("time", f"{seconds:.0f} s in all"),
    ):
        table.add_row(name, told)
    console.print(table)


def _top_table(outcome: DemoOutcome) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), width=NARROWEST_TABLE)
    table.add_column("matches", justify="right")
    table.add_column("id", no_wrap=True)
    table.add_column("expression")
    for row in outcome.top:
        table.add_row(f"{row.num_matches:,}", str(row.id), Text(row.expression))
    return table


def _print_explained(console: Console, files: DemoFiles, event_id: Any, expression_id: Any) -> None:
    import eligo

    rows = pq.read_table(files.events, filters=[("event_id", "=", event_id)]).to_pylist()
    event = {name: value for name, value in rows[0].items() if name != "event_id" and value is not None}
    _heading(console, f"Why event {event_id} satisfies {expression_id}")
    explanation = eligo.open(files.index).explanation(expression_id, event)
    console.print(Text.from_ansi(explanation.to_text(color=console.is_terminal and not console.no_color)))


def _file_table(files: DemoFiles) -> Table:
    table = Table.grid(padding=(0, 3))
    for name in ("expressions", "events", "rejects", "index", "matches"):
        table.add_row(name, getattr(files, name))
    return table
