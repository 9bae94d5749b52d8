"""What does a string of a text format stand for? Its attribute's kind decides, from the schema or the expressions.

JSON has no dates: a string is one where the schema says so or, of an attribute that the schema does not have, where
expressions compare the attribute only with dates (or only with timestamps) and the string is ISO. CSV has only strings:
there any kind is read so. A string that does not read as such stays a string, unless it is written like a date or
timestamp and is none, such as 2024-02-30; where the schema has it, it is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eligo.data.schema.attribute import parse_moment
from eligo.data.schema.guards import TENANT
from eligo.data.schema.schema import Schema
from eligo.data.schema.schema_events import read_number, read_values
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EventError, ExpressionValueError
from eligo.language.moment import TIMESTAMP_HELP, is_no_moment
from eligo.language.value import Kind, Scalar

TextReader = Callable[[str], "Scalar | float | None"]
"""What a string stands for: a value, or None for a missing one; may raise an `EventError`."""


def text_readers(vocabulary: Vocabulary, schema: Schema | None, *, from_text: bool) -> dict[str, TextReader]:
    """The reader of each attribute of a column whose strings may stand for something else."""
    if schema is None:
        return inferred_readers(vocabulary, None, from_text=from_text)
    kinds = ("date", "timestamp", *(("bool", "int", "float") if from_text else ()))
    declared: dict[str, TextReader] = {
        attribute.name: lambda text, attribute=attribute: next(  # type: ignore[misc]
            iter(read_values(attribute, text, from_text=from_text)), None
        )
        for attribute in schema
        if attribute.kind in kinds
        or (attribute.kind == "string" and attribute.is_restricted)
        or (attribute.name == TENANT and attribute.kind == "int")
    }
    return {**(inferred_readers(vocabulary, schema, from_text=True) if from_text else {}), **declared}


def inferred_readers(vocabulary: Vocabulary, schema: Schema | None, *, from_text: bool) -> dict[str, TextReader]:
    """Readers by what expressions compare attributes with, for those that the schema says nothing about."""
    temporal = {name: frozenset((kind,)) for name, kind in vocabulary.temporal_kinds.items()}
    kinds_of = {**vocabulary.attribute_kinds(), **temporal} if from_text else temporal
    return {
        name: inferring_reader(kinds, is_blank_missing=from_text)
        for name, kinds in kinds_of.items()
        if kinds and Kind.STRING not in kinds and (schema is None or name not in schema)
    }


def inferring_reader(kinds: frozenset[Kind], *, is_blank_missing: bool) -> TextReader:
    """Reads a string as one of the kinds if it can, else as the string that it is.

    What is written like a date or timestamp and is none is refused: as a string it would silently match nothing.
    """
    is_temporal = not kinds.isdisjoint({Kind.DATE, Kind.TIMESTAMP})

    def read(text: str) -> Scalar | float | None:
        stripped = text.strip()
        if is_blank_missing and not stripped:
            return None
        if Kind.BOOL in kinds and stripped.lower() in ("true", "false"):
            return stripped.lower() == "true"
        if Kind.NUMBER in kinds and (number := read_number(stripped)) is not None:
            return number
        for kind, name in ((Kind.DATE, "date"), (Kind.TIMESTAMP, "timestamp")):
            if kind in kinds:
                try:
                    return parse_moment(stripped if is_blank_missing else text, name)
                except ExpressionValueError:
                    continue
        if is_temporal and is_no_moment(text):
            raise EventError(
                f"{text!r} is no day or moment of the years 1 to 9999 in UTC, to the microsecond", help=TIMESTAMP_HELP
            )
        return text

    return read


def moment_readers(kinds: Mapping[str, Kind]) -> dict[str, Callable[[Any], Any]]:
    """How JSON's texts are read of attributes that are compared with dates, or timestamps, only."""
    return with_lists(
        {name: inferring_reader(frozenset((kind,)), is_blank_missing=False) for name, kind in kinds.items()}
    )


def with_lists(readers: Mapping[str, TextReader]) -> dict[str, Callable[[Any], Any]]:
    """Readers that also go into lists and leave alone what is no string."""

    def lifted(read: TextReader) -> Callable[[Any], Any]:
        def read_any(raw: Any) -> Any:
            if isinstance(raw, str):
                return read(raw)
            if isinstance(raw, (list, tuple)):
                return [read(item) if isinstance(item, str) else item for item in raw]
            return raw

        return read_any

    return {name: lifted(read) for name, read in readers.items()}
