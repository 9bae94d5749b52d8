"""`eligo lint`: which expressions are written right but probably not meant?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from eligo.cli.expressions.check import print_summary
from eligo.cli.shared import options
from eligo.cli.shared.console import ExitCode, counted, messages, output
from eligo.cli.shared.expression_file import Columns, Entry
from eligo.cli.shared.parsed_file import parse_files, read_schema
from eligo.cli.shared.problems import print_problem, print_records, problem_record
from eligo.language.tree import Expression

if TYPE_CHECKING:
    from eligo.language.lint.lint import Finding


def lint(
    files: options.ExpressionFiles,
    missing: options.Missing = options.MissingPolicy.UNKNOWN,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="RULE", help="Leave a rule out; may be given again.", show_default=False),
    ] = None,
    schema: options.SchemaFile = None,
    as_json: options.AsJson = False,
    format: options.Format = None,
    id_column: options.IdColumn = "id",
    expression_column: options.ExpressionColumn = "expression",
) -> None:
    """Find expressions that are probably not meant.

    Expressions that are never or always true, duplicates, those that another one covers, and those that mean something
    else under the other policy for missing attributes. Exits with 1 when there is a finding or a bad expression.

    Examples:
      eligo lint rules.eligo
      eligo lint --ignore missing-policy --json ads.parquet
    """
    from eligo.language.lint.lint import RULES
    from eligo.language.lint.lint import lint as find

    ignored = set(ignore or ())
    if unknown := ignored - set(RULES):
        raise typer.BadParameter(f"{min(unknown)!r} is not one of {', '.join(RULES)}", param_hint="--ignore")
    known_schema = read_schema(schema)
    parsed = parse_files(files, Columns(id_column, expression_column), format, known_schema)
    entries: dict[str | int, Entry] = {}
    trees: dict[str | int, Expression] = {}
    for file in parsed:
        for number in file.good:
            entry = file.file.entries[number]
            place = f"{entry.file}:{entry.line}"
            entries[place], trees[place] = entry, file.tree(number)
    rules = [rule for rule in RULES if rule not in ignored]
    findings = find(trees, missing=missing.value, schema=known_schema, rules=rules)
    problems = [problem for file in parsed for problem in file.problems]
    console = output()
    if as_json:
        print_records(console, map(problem_record, problems))
        print_records(console, (_record(finding, entries) for finding in findings))
    else:
        for problem in problems:
            print_problem(console, problem)
        for finding in findings:
            console.print(_line(finding, entries))
    messages().print(Text(counted(len(findings), "finding"), style="bold red" if findings else "bold green"))
    if problems:
        print_summary(parsed, len(problems))
    raise typer.Exit(ExitCode.FOUND if findings or problems else ExitCode.FINE)


def _line(finding: Finding, entries: Mapping[str | int, Entry]) -> Text:
    id, other = entries[finding.id].id, entries[finding.other_id].id if finding.other_id is not None else None
    return Text.assemble(
        (f"{finding.id}: " if id is None else f"{finding.id}: {id!r}: ", "bold"),
        (finding.rule, "yellow"),
        f": {finding.message}",
        "" if other is None else f" ({other!r})",
    )


def _record(finding: Finding, entries: Mapping[str | int, Entry]) -> dict[str, Any]:
    entry = entries[finding.id]
    other = entries[finding.other_id] if finding.other_id is not None else None
    return {
        "file": entry.file,
        "line": entry.line,
        "id": entry.id,
        "rule": finding.rule,
        "message": finding.message,
        "other_file": other.file if other is not None else None,
        "other_line": other.line if other is not None else None,
        "other_id": other.id if other is not None else None,
    }
