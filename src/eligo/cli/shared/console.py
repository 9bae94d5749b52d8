"""How does the command speak? Results on stdout, all else on stderr, colours on a terminal (not with NO_COLOR).

Texts of users' data go through here: `DataConsole` shows their control characters instead of sending them to the
terminal, and takes no square brackets in them for markup.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from eligo.errors import pictured, printable


class ExitCode(IntEnum):
    """What the shell is told."""

    FINE = 0
    FOUND = 1
    """Something is wrong in what was read, such as an expression that cannot be parsed."""
    CANNOT_RUN = 2
    """Wrong usage, or a file that cannot be read or written."""
    UNFORESEEN = 70
    """A failure of Spark's, or a bug."""
    INTERRUPTED = 130
    UNREAD = 141
    """Nobody reads what is written."""
    TERMINATED = 143


class DataConsole(Console):
    """A console on which data cannot steer the terminal, whatever it is shown in."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, soft_wrap=True, markup=False, emoji=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(pictured(segment.text, keep="\n\t"), segment.style)


def output() -> DataConsole:
    """The console for results."""
    return DataConsole()


def messages() -> DataConsole:
    """The console for everything that is not a result."""
    return DataConsole(stderr=True)


def print_error(message: str) -> None:
    """A message that says why the command stops."""
    messages().print(Text.assemble(("error: ", "bold red"), printable(message, keep="\n\t")))


def print_message(message: str) -> None:
    """A line on stderr that is no error."""
    messages().print(printable(message))


def json_line(record: Any) -> str:
    """A document as one line of JSON; control and invisible characters are escaped, as JSON allows."""
    text = json.dumps(record, ensure_ascii=False, default=str)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def rate(number: float, seconds: float) -> str:
    """How many a second, as far as it says something: `81,012`, or `0.3` for a few rows."""
    found = number / max(seconds, 1e-9)
    return f"{found:,.0f}" if found >= 10 else f"{found:.2g}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 expression`, `20,000 expressions`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
