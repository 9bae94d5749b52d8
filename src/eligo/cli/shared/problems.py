"""How is something wrong in a file shown? Where, what, the source line with a caret, and what to do.

rules.eligo:2:9: expected a value, found the end of the expression
    | state =
    |         ^
  help: write a number, a 'string', true, false, date '…' or timestamp '…'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.text import Text

from eligo.cli.shared.console import json_line
from eligo.cli.shared.expression_file import Entry, Problem
from eligo.errors import ExpressionError, Position, excerpt
from eligo.language.lint.finding import Finding


def print_problem(console: Console, problem: Problem) -> None:
    """One problem for people."""
    error = problem.error
    shown = Text.assemble((f"{place_of(problem)}: ", "bold"), (f"{error.message}\n", "bold red"))
    if isinstance(error, ExpressionError) and error.position is not None:
        shown.append(_source_lines(error.text, error.position, "bold red"))
    if error.help:
        shown.append(f"  help: {error.help}\n", style="cyan")
    console.print(shown)


def print_finding(console: Console, finding: Finding, entry: Entry, other: Entry | None = None) -> None:
    """One finding for people: as a problem where its place is known, else on a line."""
    style = "yellow" if finding.is_remark else "bold red" if finding.position is not None else ""
    place = place_in_file(entry.file, entry.line, entry.id, finding.position)
    shown = Text.assemble((f"{place}: ", "bold"), (finding.rule, "yellow"), ": ", (finding.message, style))
    if other is not None and other.id is not None:
        shown.append(f" ({other.id!r})")
    if finding.position is not None:
        shown.append("\n")
        shown.append(_source_lines(finding.text, finding.position, style))
    if finding.help:
        shown.append(f"{'' if finding.position is not None else chr(10)}  help: {finding.help}\n", style="cyan")
    console.print(shown)


def _source_lines(text: str, position: Position, style: str) -> Text:
    """The line of a text and the caret below it."""
    source, caret = excerpt(text, position)
    return Text.assemble(f"    | {source}\n    | ", (f"{caret}\n", style))


def place_of(problem: Problem) -> str:
    """Where a problem is."""
    position = problem.error.position if isinstance(problem.error, ExpressionError) else None
    return place_in_file(problem.file, problem.line, problem.id, position)


def place_in_file(file: str, line: int | None, id: str | int | None, position: Position | None) -> str:
    """`file:line:column`; in a table `file:line: 'id', line 1, column 9`, where the latter are in the expression."""
    if id is None and line is not None:
        return f"{file}:{line}" if position is None else f"{file}:{line + position.line - 1}:{position.column}"
    parts = [file if line is None else f"{file}:{line}"]
    inside = f", line {position.line}, column {position.column}" if position is not None else ""
    parts += [f"{id!r}{inside}"] if id is not None else []
    return ": ".join(parts)


def problem_record(problem: Problem) -> dict[str, Any]:
    """One problem for programs."""
    error = problem.error
    position = error.position if isinstance(error, ExpressionError) else None
    return {
        "file": problem.file,
        "line": problem.line,
        "id": problem.id,
        "error": error.message,
        "help": error.help or None,
        "expression": error.text if isinstance(error, ExpressionError) else None,
        "expression_line": position.line if position is not None else None,
        "expression_column": position.column if position is not None else None,
    }


def finding_record(finding: Finding, entry: Entry, other: Entry | None = None) -> dict[str, Any]:
    """One finding for programs."""
    own = {"file": entry.file, "line": entry.line, **finding.to_json(), "id": entry.id}
    return {
        **own,
        "other_file": other.file if other is not None else None,
        "other_line": other.line if other is not None else None,
        "other_id": other.id if other is not None else None,
    }


def print_records(console: Console, records: Iterable[dict[str, Any]]) -> None:
    """JSON lines."""
    for record in records:
        console.out(json_line(record), highlight=False)
