"""How does the command speak? Results on stdout, all else on stderr, colours on a terminal (not with NO_COLOR)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from rich.console import Console
from rich.text import Text

from eligo.errors import EligoError


class ExitCode(IntEnum):
    """What the shell is told."""

    FINE = 0
    FOUND = 1
    """Something is wrong in what was read, such as an expression that cannot be parsed."""
    CANNOT_RUN = 2
    """Wrong usage, or a file that cannot be read or written."""


def output() -> Console:
    """The console for results."""
    return Console(highlight=False, soft_wrap=True)


def messages() -> Console:
    """The console for everything that is not a result."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def refusals() -> Iterator[None]:
    """Eligo's own errors, and files that cannot be opened, end the command with a message and no traceback."""
    try:
        yield
    except EligoError as error:
        print_error(str(error))
        sys.exit(ExitCode.CANNOT_RUN)
    except OSError as error:
        if isinstance(error, BrokenPipeError) or error.filename is None:
            raise
        print_error(f"{error.filename}: {error.strerror}")
        sys.exit(ExitCode.CANNOT_RUN)


def print_error(message: str) -> None:
    """A message that says why the command stops."""
    messages().print(Text.assemble(("error: ", "bold red"), message))


def rate(number: float, seconds: float) -> str:
    """How many a second, as far as it says something: `81,012`, or `0.3` for a few rows."""
    found = number / max(seconds, 1e-9)
    return f"{found:,.0f}" if found >= 10 else f"{found:.2g}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 expression`, `20,000 expressions`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
