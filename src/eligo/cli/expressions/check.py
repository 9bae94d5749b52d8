"""`eligo check`: are these expressions? All that is wrong in all files, with places and carets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.text import Text

from eligo.cli.shared import options
from eligo.cli.shared.console import ExitCode, counted, messages, output
from eligo.cli.shared.expression_file import Columns, Entry
from eligo.cli.shared.parsed_file import ParsedFile, parse_files, read_schema, read_seen
from eligo.cli.shared.problems import finding_record, print_finding, print_problem, print_records, problem_record
from eligo.language.lint.finding import Finding

if TYPE_CHECKING:
    from eligo.data.lint.seen_events import SeenEvents


def check(
    files: options.ExpressionFiles,
    schema: options.SchemaFile = None,
    events: options.SampleFile = None,
    as_json: options.AsJson = False,
    format: options.Format = None,
    id_column: options.IdColumn = "id",
    expression_column: options.ExpressionColumn = "expression",
    delimiter: options.Delimiter = ",",
) -> None:
    """Check that every expression can be parsed, and show all that cannot.

    Exits with 1 when something is wrong. With --schema, attributes and values are checked too, and with --events those
    that no event has are shown; values that merely did not come are remarks, which do not count as wrong.

    Examples:
      eligo check rules.eligo
      eligo check --events events.parquet rules.csv
      eligo check --schema schema.json ads.csv more-ads.parquet
      echo "age between 18 and 24" | eligo check -
    """
    columns, known_schema = Columns(id_column, expression_column), read_schema(schema)
    parsed = parse_files(files, columns, format, known_schema, delimiter=delimiter)
    problems = [problem for file in parsed for problem in file.problems]
    seen = read_seen(events, delimiter)
    found = [] if seen is None else _unfit(parsed, seen)
    wrong = [finding for _, finding in found if not finding.is_remark]
    console = output()
    if as_json:
        print_records(console, map(problem_record, problems))
        print_records(console, (finding_record(finding, entry) for entry, finding in found))
    else:
        for problem in problems:
            print_problem(console, problem)
        for entry, finding in found:
            print_finding(console, finding, entry)
    print_summary(parsed, len(problems) + len(wrong))
    raise typer.Exit(ExitCode.FOUND if problems or wrong else ExitCode.FINE)


def _unfit(parsed: list[ParsedFile], seen: SeenEvents) -> list[tuple[Entry, Finding]]:
    """What in good expressions does not fit the events of a file."""
    from eligo.data.lint.event_findings import predicate_findings

    return [
        (file.file.entries[number], finding)
        for file in parsed
        for number in file.good
        for finding in predicate_findings(number, file.source(number), seen)
    ]


def print_summary(parsed: list[ParsedFile], num_problems: int) -> None:
    """How many expressions there were and how many are wrong, on stderr."""
    num_expressions = sum(len(file.file.entries) for file in parsed)
    where = f" in {counted(len(parsed), 'file')}" if len(parsed) > 1 else ""
    found = counted(num_problems, "problem") if num_problems else "no problems"
    summary = f"{counted(num_expressions, 'expression')}{where}, {found}"
    messages().print(Text(summary, style="bold red" if num_problems else "bold green"))
