"""What can go wrong: one base class, and a subclass for each thing that a caller may want to tell apart.

An error that concerns a place in a text knows that place and shows it:

    expected a value, found the end of the expression
      line 2, column 9
        | state =
        |         ^
      help: write a number, a 'string', true, false, date '…' or timestamp '…'
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

EXCERPT_WIDTH = 100
"""Source lines longer than this are cut around the caret."""
SHOWN_CHARACTERS = 60
"""Objects whose text is longer than this are cut in messages."""


def printable(text: str, *, keep: str = "") -> str:
    """The text with control and invisible characters written out, so that data cannot steer a terminal.

    That is escape sequences, line ends, and what turns the direction of writing; `keep` has those that stay.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape", "backslashreplace").decode("ascii")
        for c in text
    )


def shown(value: object, width: int = SHOWN_CHARACTERS) -> str:
    """Any object for a message, on one line and cut; one whose text cannot be had is shown by its type."""
    try:
        text = repr(value)
    except Exception:  # a huge int, a list in a list in a list, a foreign class that fails
        text = f"<{type(value).__name__}>"
    if "\n" in text:  # a table or an array, which says nothing on one line
        text = f"<{type(value).__name__}>"
    return printable(text if len(text) <= width else f"{text[: width - 1]}…")


class EligoError(Exception):
    """Anything that Eligo refuses; every other error here is one of these."""

    def __init__(self, message: str, *, help: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.help = help

    def __str__(self) -> str:
        return printable(f"{self.message}\n  help: {self.help}" if self.help else self.message, keep="\n")

    def __reduce__(self) -> tuple[Callable[..., EligoError], tuple[Any, ...]]:
        # Errors cross process borders (Spark workers); their constructors take keywords, so state is copied as it is.
        return _restore, (type(self), self.args, self.__dict__.copy())


def _restore(kind: type[EligoError], args: tuple[Any, ...], state: dict[str, Any]) -> EligoError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


@dataclass(frozen=True)
class Position:
    """A place in a text: the offset in characters, and the line and column (from 1) that people count."""

    offset: int
    line: int
    column: int

    @classmethod
    def at(cls, text: str, offset: int) -> Position:
        offset = max(0, min(offset, len(text)))
        line_start = text.rfind("\n", 0, offset) + 1
        return cls(offset, text.count("\n", 0, offset) + 1, offset - line_start + 1)

    @classmethod
    def at_byte(cls, text: str, byte_offset: int) -> Position:
        """The place of a byte of the text's UTF-8 form, which is what the parser counts in."""
        return cls.at(text, len(text.encode("utf-8", "surrogatepass")[:byte_offset].decode("utf-8", "ignore")))


def excerpt(text: str, position: Position) -> tuple[str, str]:
    """The source line of a position and the line with its caret, cut to a readable width."""
    line = text.split("\n")[position.line - 1].rstrip("\r")
    caret = min(position.column - 1, len(line))
    start = 0 if len(line) <= EXCERPT_WIDTH else max(0, min(caret - EXCERPT_WIDTH // 2, len(line) - EXCERPT_WIDTH))
    part = line[start : start + EXCERPT_WIDTH]
    before = "".join(_padding(character) for character in line[start:caret])
    left = "…" if start else ""
    right = "…" if start + EXCERPT_WIDTH < len(line) else ""
    return f"{left}{pictured(part)}{right}".rstrip(), f"{' ' * len(left)}{before}^"


def pictured(text: str, *, keep: str = "\t") -> str:
    """The text with a picture for each control or invisible character, so that what is below stays below."""
    return text if text.isprintable() else "".join(c if c in keep else _picture(c) for c in text)


def _picture(character: str) -> str:
    if character.isprintable():
        return character
    if unicodedata.category(character) == "Zs":  # a wide or narrow blank
        return " "
    return chr(0x2400 + ord(character)) if ord(character) < 0x20 else "␡" if character == "\x7f" else "�"


def _padding(character: str) -> str:
    """As much blank as the character takes on a terminal."""
    if character == "\t":
        return "\t"
    if unicodedata.combining(character):
        return ""
    if not character.isprintable():
        return " "
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "


class ExpressionError(EligoError):
    """An expression that cannot be used; knows the text and the place in it when there is one."""

    def __init__(self, message: str, *, text: str = "", position: Position | None = None, help: str = "") -> None:
        super().__init__(message, help=help)
        self.text = text
        self.position = position

    def __str__(self) -> str:
        return self.render()

    def render(self, *, first_line: int = 1) -> str:
        """The whole message; `first_line` is the line of the file on which the expression begins."""
        lines = [printable(self.message, keep="\n")]
        if self.position is not None:
            source, caret = excerpt(self.text, self.position)
            lines.append(f"  line {self.position.line + first_line - 1}, column {self.position.column}")
            lines += [f"    | {source}", f"    | {caret}"]
        if self.help:
            lines.append(f"  help: {printable(self.help, keep=chr(10))}")
        return "\n".join(lines)


class ExpressionSyntaxError(ExpressionError):
    """A text that is not an expression."""


class LimitError(ExpressionError):
    """An expression beyond a documented bound (see `Limits`)."""


class NormalFormTooLargeError(LimitError):
    """A disjunctive or conjunctive normal form, or a decision diagram, that would be larger than the bound."""

    SHOWN = 3

    rows: tuple[int, ...] = ()
    """Of a table of expressions: which have such a form."""

    def naming(self, ids: Sequence[object]) -> NormalFormTooLargeError:
        """The same error with the ids of the rows."""
        what = f"expression{'s' if len(ids) > 1 else ''} {', '.join(shown(id) for id in ids[: self.SHOWN])}"
        more = f" and {len(ids) - self.SHOWN:,} more" if len(ids) > self.SHOWN else ""
        named = NormalFormTooLargeError(f"{what}{more}: {self.message}", help=self.help)
        named.rows = self.rows
        return named


class ExpressionValueError(ExpressionError):
    """An operand, name or weight that an expression cannot hold, such as NaN or a 65-bit integer."""


class SchemaError(EligoError):
    """A schema that contradicts itself or cannot be read."""


class UnknownAttributeError(ExpressionError):
    """An expression that names an attribute which the schema does not have."""


class SchemaMismatchError(ExpressionError):
    """An expression that uses an attribute against its schema, such as comparing a number with a string."""


class UnsupportedSqlError(ExpressionError):
    """SQL that has no meaning as an expression, such as a subquery."""


class JsonFormError(ExpressionError):
    """A JSON document that is not the JSON form of an expression."""


class HierarchyError(EligoError):
    """A taxonomy that is not a forest, or a node that it does not have."""


class EventError(EligoError):
    """An event that cannot be read; knows its row and attribute when there are any."""

    def __init__(self, message: str, *, row: int | None = None, attribute: str | None = None, help: str = "") -> None:
        super().__init__(message, help=help)
        self.row = row
        self.attribute = attribute

    def __str__(self) -> str:
        places = [f"event {self.row}"] if self.row is not None else []
        places += [f"attribute {self.attribute!r}"] if self.attribute is not None else []
        where = f"{', '.join(places)}: " if places else ""
        return f"{where}{super().__str__()}"


class EventLimitError(EventError):
    """An event beyond a documented bound (see `Limits`)."""


@dataclass(frozen=True)
class Reject:
    """One expression that was refused: its id, its text as given, and why."""

    id: str | int
    text: str
    error: EligoError


class BuildError(EligoError):
    """Expressions that could not be built; `rejects` has every one of them, not only the first."""

    SHOWN = 20

    def __init__(
        self,
        rejects: Sequence[Reject],
        *,
        help: str = 'pass on_error="reject" to build the good ones; these are then the index.rejects',
    ) -> None:
        count = len(rejects)
        parts = [f"{count} expression{'s' if count != 1 else ''} could not be built"]
        parts += [f"{shown(reject.id)}: {reject.error}" for reject in rejects[: self.SHOWN]]
        parts += [f"… and {count - self.SHOWN} more"] if count > self.SHOWN else []
        super().__init__("\n".join(parts), help=help)
        self.rejects = tuple(rejects)


class PublishRefusedError(EligoError):
    """A version that would lose more than it may; nothing was published."""

    rejects: Any = None
    """An Arrow table of the first rows that were rejected, where a table was read."""


class TooManyRejectsError(PublishRefusedError):
    """A table of which more rows were rejected than may be."""


class ShrunkIndexError(PublishRefusedError):
    """A version without too many of the expressions that the live one has."""


class InputError(EligoError, ValueError):
    """A table, file or argument that does not have the form that the call needs."""


class NoTruthError(EligoError, TypeError):
    """An expression that was asked for its truth without an event, as by Python's `and`, `or` and `not`."""


class UnknownRowError(EligoError, IndexError):
    """The row of an event that a batch does not have."""


class DuplicateIdError(InputError):
    """An expression id that the index has already, or that is given with different expressions."""


class UnknownEngineError(EligoError):
    """An engine name that is not registered."""


class UnknownIdError(EligoError):
    """An expression id that the index does not have."""


class MergeError(EligoError):
    """Changes of an index cannot be merged now."""


class ShardTooLargeError(EligoError):
    """More expressions than one shard's numbers of 32 bits can count."""


class StorageError(EligoError):
    """An index on disk that cannot be used; the message names the file."""


class ForeignFileError(StorageError):
    """A file that is not Eligo's."""


class DamagedFileError(StorageError):
    """A file that is truncated or whose checksum does not fit."""


class NewerFormatError(StorageError):
    """A file written by a later version of Eligo."""


class LogFailedError(StorageError):
    """A log that could not be written, and takes nothing more until it is opened again."""


class LogGoneError(StorageError):
    """Records that a log no longer has, because a checkpoint has what they changed."""


class VersionConflictError(StorageError):
    """A version that is not the one on top of which something was to be published; nothing was."""

    def __init__(self, message: str, *, expected: int, live: int, help: str = "") -> None:
        super().__init__(message, help=help)
        self.expected = expected
        """The version that the publisher started from, 0 for none."""
        self.live = live
        """The version that is live, 0 for none."""


class MissingExtraError(EligoError, ImportError):
    """A part of Eligo whose packages are not installed; the help names the extra that brings them."""


class SparkVersionError(EligoError):
    """A version of Spark that is too old for what is asked of it."""


class JavaNotFoundError(EligoError):
    """No Java runtime that Spark can use."""


class ServiceError(EligoError):
    """What a service refuses, or that it does not answer."""

    status: int | None = None
    """Of HTTP; None where there was no answer."""
    retry_after: float | None = None
    """Seconds after which the service says to come back."""
