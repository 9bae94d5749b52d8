"""What went wrong in a worker? Spark wraps it in its own error and a hundred lines; this gives Eligo's back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from eligo import errors
from eligo.errors import BuildError, EligoError, InputError, printable

_RAISED = re.compile(
    r"^eligo\.errors\.(\w+): (.*?)(?=^\s*(?:at |\t|JVM stacktrace)|\s*SQLSTATE: |\Z)", re.MULTILINE | re.DOTALL
)
_UNREADABLE = re.compile(r"\[FAILED_READ_FILE[.\w]*\] [^\n]*? file (\S+?)\.?\s*(?:SQLSTATE[^\n]*)?$", re.MULTILINE)
"""What Spark says of a file that it began to read and could not go on with, such as one that is cut off."""
_CAUSE = re.compile(r"^Caused by: [\w.$]+: ([^\n]+)$", re.MULTILINE)


@contextmanager
def worker_errors() -> Iterator[None]:
    """Raise an error of Eligo's that a worker raised as itself, name a damaged file, and leave all others alone."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        text = str(error)
        if found := _RAISED.search(text):
            raise _error(found.group(1), found.group(2).strip()) from error
        if unreadable := _UNREADABLE.search(text):
            causes = _CAUSE.findall(text)
            reason = causes[-1].strip() if causes else "it is damaged"
            raise InputError(
                f"{printable(unreadable[1])} cannot be read to its end: {printable(reason)}",
                help="the file is cut off or damaged; write it again",
            ) from error
        raise


def _error(name: str, text: str) -> EligoError:
    kind = getattr(errors, name, EligoError)
    if not (isinstance(kind, type) and issubclass(kind, EligoError)):
        kind = EligoError
    message, found, help = text.rpartition("\n  help: ")
    if not found:
        message, help = text, ""
    if issubclass(kind, BuildError):  # which is made of rejects
        return _as_said(kind, message, help)
    try:
        return kind(message, help=help)
    except TypeError:  # one that is made of other things
        return _as_said(kind, message, help)


def _as_said(kind: type[EligoError], message: str, help: str) -> EligoError:
    error = kind.__new__(kind)
    EligoError.__init__(error, message, help=help)
    if isinstance(error, BuildError):
        error.rejects = ()
    return error
