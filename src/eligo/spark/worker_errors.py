"""What went wrong in a worker? Spark wraps it in its own error and a hundred lines; this gives Eligo's back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from eligo import errors
from eligo.errors import EligoError

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
    message, _, help = text.partition("\n  help: ")
    return kind(message, help=help) if issubclass(kind, EligoError) else EligoError(message, help=help)
