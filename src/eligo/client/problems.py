"""What does a service's refusal become? The error that the library itself would have raised, where it has one.

{"type": "…#expression-syntax", "status": 422, "detail": "expected a value …", "line": 1, "column": 9, "help": "…"}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

import eligo.errors
from eligo.errors import EligoError, EventError, ExpressionError, Position, ServiceError

MOST_LINES, MOST_COLUMNS = 1_000_000, 10_000_000
"""Of an expression; a service that tells a place behind them is not believed."""
CUT = "…"
"""Before what is shown of a long line."""


def error_of(status: int, headers: Mapping[str, str], content: bytes) -> EligoError:
    """The error of an answer that is none."""
    problem = _problem(content)
    detail = str(problem.get("detail") or problem.get("title") or f"the service answered with status {status}")
    help = str(problem.get("help") or "")
    kind = _library_error(str(problem.get("type") or ""))
    if kind is not None and issubclass(kind, ExpressionError):
        position = _position(problem)
        known = kind(detail, text=_text(problem, position), position=position, help=help)
        return _with_service(known, status, problem)
    if kind is not None and issubclass(kind, EventError):
        place = {key: problem[key] for key in ("row", "attribute") if key in problem}
        return _with_service(kind(detail, **place, help=help), status, problem)
    if kind is not None and kind.__init__ is EligoError.__init__:
        return _with_service(kind(detail, help=help), status, problem)
    error = ServiceError(detail, help=help)
    error.retry_after = _seconds(headers.get("retry-after"))
    return _with_service(error, status, problem)


def _with_service(error: EligoError, status: int, problem: dict[str, Any]) -> EligoError:
    error.__dict__.update(status=status, problem=problem)
    return error


def _problem(content: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(content)
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _library_error(address: str) -> type[EligoError] | None:
    """`…#expression-syntax` is an `ExpressionSyntaxError`."""
    name = "".join(word.capitalize() for word in re.split(r"[-_]", address.rpartition("#")[2]))
    found = getattr(eligo.errors, f"{name}Error", None)
    return found if isinstance(found, type) and issubclass(found, EligoError) else None


def _position(problem: dict[str, Any]) -> Position | None:
    line, column = problem.get("line"), problem.get("column")
    if not isinstance(line, int) or not isinstance(column, int):
        return None
    if not (1 <= line <= MOST_LINES and 1 <= column <= MOST_COLUMNS):
        return None
    return Position(int(problem.get("offset") or 0), line, column)


def _text(problem: dict[str, Any], position: Position | None) -> str:
    """The text with the line that the place is in, as much of it as was told; of the other lines nothing is."""
    if position is None:
        return ""
    line, caret = str(problem.get("excerpt") or ""), str(problem.get("caret") or "")
    if line.startswith(CUT):  # what is left out in front takes its room, so that the caret stands where it should
        line = " " * max(position.column + 1 - len(caret), 0) + line.removeprefix(CUT)
    return "\n" * (position.line - 1) + line


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
