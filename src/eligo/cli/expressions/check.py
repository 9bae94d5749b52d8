"""`eligo check`: are these expressions? All that is wrong in all files, with places and carets."""

from __future__ import annotations

import typer
from rich.text import Text

from eligo.cli.shared import options
from eligo.cli.shared.console import ExitCode, counted, messages, output
from eligo.cli.shared.expression_file import Columns
from eligo.cli.shared.parsed_file import ParsedFile, parse_files, read_schema
from eligo.cli.shared.problems import print_problem, print_records, problem_record


def check(
    files: options.ExpressionFiles,
    schema: options.SchemaFile = None,
    as_json: options.AsJson = False,
    format: options.Format = None,
    id_column: options.IdColumn = "id",
    expression_column: options.ExpressionColumn = "expression",
) -> None:
    """Check that every expression can be parsed, and show all that cannot.

    Exits with 1 when something is wrong. With --schema, attributes and values are checked too.

    Examples:
      eligo check rules.eligo
      eligo check --schema schema.json ads.csv more-ads.parquet
      echo "age between 18 and 24" | eligo check -
    """
    parsed = parse_files(files, Columns(id_column, expression_column), format, read_schema(schema))
    problems = [problem for file in parsed for problem in file.problems]
    console = output()
    if as_json:
        print_records(console, map(problem_record, problems))
    else:
        for problem in problems:
            print_problem(console, problem)
    print_summary(parsed, len(problems))
    raise typer.Exit(ExitCode.FOUND if problems else ExitCode.FINE)


def print_summary(parsed: list[ParsedFile], num_problems: int) -> None:
    """How many expressions there were and how many are wrong, on stderr."""
    num_expressions = sum(len(file.file.entries) for file in parsed)
    where = f" in {counted(len(parsed), 'file')}" if len(parsed) > 1 else ""
    found = counted(num_problems, "problem") if num_problems else "no problems"
    summary = f"{counted(num_expressions, 'expression')}{where}, {found}"
    messages().print(Text(summary, style="bold red" if num_problems else "bold green"))
