"""What went wrong in a worker? Spark wraps it in its own error and a hundred lines; this gives Eligo's back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from eligo import errors
from eligo.errors import BuildError, EligoError

_RAISED = re.compile(
    r"^eligo\.errors\.(\w+): (.*?)(?=^\s*(?:SQLSTATE|at |\t|JVM stacktrace)|\Z)", re.MULTILINE | re.DOTALL
)


@contextmanager
def worker_errors() -> Iterator[None]:
    """Raise an error of Eligo's that a worker raised as itself, and leave all others as they are."""
    try:
        yield
    except PySparkException as error:
        found = _RAISED.search(str(error))
        if found is None:
            raise
        raise _error(found.group(1), found.group(2).strip()) from error


def _error(name: str, text: str) -> EligoError:
    kind = getattr(errors, name, EligoError)
    if not (isinstance(kind, type) and issubclass(kind, EligoError)):
        kind = EligoError
    message, found, help = text.rpartition("\n  help: ")
    if not found:
        message, help = text, ""
    try:
        return kind(message, help=help)
    except TypeError:  # one that is made of other things, such as the rejects of a `BuildError`
        return _as_said(kind, message, help)


def _as_said(kind: type[EligoError], message: str, help: str) -> EligoError:
    error = kind.__new__(kind)
    EligoError.__init__(error, message, help=help)
    if isinstance(error, BuildError):
        error.rejects = ()
    return error
