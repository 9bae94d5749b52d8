"""`eligo lint`: which expressions are written right but probably not meant?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from eligo.cli.expressions.check import print_summary
from eligo.cli.shared import options
from eligo.cli.shared.console import ExitCode, counted, messages, output
from eligo.cli.shared.expression_file import Columns, Entry
from eligo.cli.shared.parsed_file import parse_files, read_schema, read_seen
from eligo.cli.shared.problems import finding_record, print_finding, print_problem, print_records, problem_record
from eligo.language.lint.finding import Finding
from eligo.language.tree import Expression

if TYPE_CHECKING:
    from eligo.language.text.parse import Source


def lint(
    files: options.ExpressionFiles,
    missing: options.Missing = options.MissingPolicy.UNKNOWN,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="RULE", help="Leave a rule out; may be given again.", show_default=False),
    ] = None,
    schema: options.SchemaFile = None,
    events: options.SampleFile = None,
    as_json: options.AsJson = False,
    format: options.Format = None,
    id_column: options.IdColumn = "id",
    expression_column: options.ExpressionColumn = "expression",
    delimiter: options.Delimiter = ",",
) -> None:
    """Find expressions that are probably not meant.

    Expressions that are never or always true, duplicates, those that another one covers, and those that mean something
    else under the other policy for missing attributes. With --events, also attributes and kinds of values that no event
    has, and expressions that for that reason never match; values and ranges that merely did not come are remarks. Exits
    with 1 when there is a finding that is no remark, or a bad expression.

    Examples:
      eligo lint rules.eligo
      eligo lint --events events.parquet rules.csv
      eligo lint --ignore missing-policy --json ads.parquet
    """
    from eligo.data.lint.lint_expressions import ALL_RULES, findings_of

    ignored = set(ignore or ())
    if unknown := ignored - set(ALL_RULES):
        raise typer.BadParameter(f"{min(unknown)!r} is not one of {', '.join(ALL_RULES)}", param_hint="--ignore")
    known_schema, seen = read_schema(schema), read_seen(events, delimiter)
    parsed = parse_files(files, Columns(id_column, expression_column), format, known_schema, delimiter=delimiter)
    entries: dict[str | int, Entry] = {}
    sources: list[tuple[str | int, Source | Expression]] = []
    for file in parsed:
        for number in file.good:
            entry = file.file.entries[number]
            place = f"{entry.file}:{entry.line}"
            entries[place] = entry
            sources.append((place, file.source(number)))
    each = findings_of(sources, seen, known_schema, missing.value, ignored)
    findings = [finding for own in each for finding in own]
    problems = [problem for file in parsed for problem in file.problems]
    console = output()
    if as_json:
        print_records(console, map(problem_record, problems))
        print_records(console, (finding_record(*_with_entries(finding, entries)) for finding in findings))
    else:
        for problem in problems:
            print_problem(console, problem)
        for finding in findings:
            print_finding(console, *_with_entries(finding, entries))
    num_remarks = sum(finding.is_remark for finding in findings)
    _print_counts(len(findings) - num_remarks, num_remarks)
    if problems:
        print_summary(parsed, len(problems))
    raise typer.Exit(ExitCode.FOUND if len(findings) > num_remarks or problems else ExitCode.FINE)


def _with_entries(finding: Finding, entries: dict[str | int, Entry]) -> tuple[Finding, Entry, Entry | None]:
    """A finding with the entries that its ids, which are places, stand for."""
    return finding, entries[finding.id], None if finding.other_id is None else entries[finding.other_id]


def _print_counts(num_findings: int, num_remarks: int) -> None:
    remarks = f", {counted(num_remarks, 'remark')}" if num_remarks else ""
    summary = f"{counted(num_findings, 'finding')}{remarks}"
    messages().print(Text(summary, style="bold red" if num_findings else "bold green"))
