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
from eligo.cli.shared.expression_file import Problem
from eligo.errors import ExpressionError, excerpt


def print_problem(console: Console, problem: Problem) -> None:
    """One problem for people."""
    shown = Text(place_of(problem), style="bold")
    shown.append(": ", style="bold")
    shown.append(f"{problem.error.message}\n", style="bold red")
    error = problem.error
    if isinstance(error, ExpressionError) and error.position is not None:
        source, caret = excerpt(error.text, error.position)
        shown.append(f"    | {source}\n    | ")
        shown.append(f"{caret}\n", style="bold red")
    if error.help:
        shown.append(f"  help: {error.help}\n", style="cyan")
    console.print(shown)


def place_of(problem: Problem) -> str:
    """`file:line:column`; in a table `file:line: 'id', line 1, column 9`, where the latter are in the expression."""
    position = problem.error.position if isinstance(problem.error, ExpressionError) else None
    if problem.id is None and problem.line is not None:
        if position is None:
            return f"{problem.file}:{problem.line}"
        return f"{problem.file}:{problem.line + position.line - 1}:{position.column}"
    parts = [problem.file if problem.line is None else f"{problem.file}:{problem.line}"]
    inside = f", line {position.line}, column {position.column}" if position is not None else ""
    parts += [f"{problem.id!r}{inside}"] if problem.id is not None else []
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


def print_records(console: Console, records: Iterable[dict[str, Any]]) -> None:
    """JSON lines."""
    for record in records:
        console.out(json_line(record), highlight=False)
