"""Which texts of a column are expressions, and what is wrong with the others? Compiled, over Arrow's own buffers."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.expressions.json_texts import json_forms, replaced
from eligo.data.schema.schema import Schema
from eligo.errors import EligoError, ExpressionError, InputError
from eligo.language.canonical import canonical_text
from eligo.language.limits import Limits
from eligo.language.text.parse import ParsedBatch, parse_all

MISSING_ID = "the id is missing"


class CheckedTexts(NamedTuple):
    """Texts after the check; none is dropped."""

    texts: pa.Array
    """As they were given, the JSON form as its canonical text if it is good; of an unreadable row, the row."""
    parsed: ParsedBatch
    """The texts as given: a row that held the JSON form is an error here."""
    errors: dict[int, EligoError]
    """What is wrong, by row."""
    converted: frozenset[int]
    """The rows that held the JSON form, of those that are good."""

    def reparsed(self, limits: Limits) -> ParsedBatch:
        """The good texts in the postfix form, those that held the JSON form as well."""
        return parse_all(self.texts, limits=limits) if self.converted else self.parsed


def check_texts(
    ids: pa.Array, texts: pa.Array, unreadable: pa.Array | None, *, schema: Schema | None, limits: Limits
) -> CheckedTexts:
    """Parse every text; with a schema, also check attributes and values against it."""
    parsed = parse_all(texts, limits=limits)
    errors: dict[int, EligoError] = dict(parsed.errors())
    trees = json_forms(lambda row: _text(texts[row]), errors, limits)
    _check_rows(ids, texts, unreadable, errors)
    if schema is not None:
        for row in range(len(texts)):
            if row in errors:
                continue
            found = schema.check(trees[row] if row in trees else parsed.source(row))
            if found:
                errors[row] = found[0]
    shown = texts if unreadable is None else pc.coalesce(texts, unreadable)
    converted = {row: canonical_text(tree) for row, tree in trees.items() if row not in errors}
    if converted:
        shown = replaced(shown, converted)
    return CheckedTexts(shown, parsed, errors, frozenset(converted))


def without_json_forms(texts: pa.Array, limits: Limits) -> pa.Array:
    """The texts, with the canonical text for those that hold the JSON form; bad ones stay."""
    begin = pc.starts_with(pc.utf8_ltrim_whitespace(_readable(texts)), "{").fill_null(False)
    rows = _rows_where(begin)
    if not rows:
        return texts
    trees = json_forms(lambda row: _text(texts[row]), {row: InputError("") for row in rows}, limits)
    return replaced(texts, {row: canonical_text(tree) for row, tree in trees.items()})


def _text(scalar: pa.Scalar) -> str | None:
    try:
        text: str | None = scalar.as_py()
    except UnicodeDecodeError:
        return None
    return text


def _check_rows(ids: pa.Array, texts: pa.Array, unreadable: pa.Array | None, errors: dict[int, EligoError]) -> None:
    for row in _not_unicode(texts):
        errors[row] = InputError("the expression is not UTF-8", help="write the table in UTF-8")
    for row in _rows_where(texts.is_null()):
        errors[row] = InputError("the expression is missing")
    for row in _not_unicode(ids):
        errors[row] = InputError("the id is not UTF-8", help="write the table in UTF-8")
    for row in _rows_where(ids.is_null()):
        errors[row] = InputError(MISSING_ID, help="give every expression an id")
    if unreadable is not None:
        for row in _rows_where(unreadable.is_valid()):
            errors[row] = InputError("the row cannot be read: it is not JSON")


def _not_unicode(column: pa.Array) -> list[int]:
    """Rows of a text column that Spark let through though they are no text."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return [row for row in range(len(column)) if column[row].is_valid and _text(column[row]) is None]
    return []


def _rows_where(mask: pa.Array) -> list[int]:
    rows: list[int] = mask.to_numpy(zero_copy_only=False).nonzero()[0].tolist()
    return rows


def reject_columns(texts: pa.Array, errors: dict[int, EligoError], rows: list[int]) -> dict[str, pa.Array]:
    """The columns expression, error, help, line and column of some rows; null where there is nothing wrong."""
    places = []
    for row in rows:
        error = errors.get(row)
        position = error.position if isinstance(error, ExpressionError) else None
        places.append((error, position))
    return {
        "expression": _readable(texts.take(pa.array(rows, pa.int64()))),
        "error": pa.array([error.message if error else None for error, _ in places], pa.string()),
        "help": pa.array([(error.help or None) if error else None for error, _ in places], pa.string()),
        "line": pa.array([position.line if position else None for _, position in places], pa.int32()),
        "column": pa.array([position.column if position else None for _, position in places], pa.int32()),
    }


def _readable(texts: pa.Array) -> pa.Array:
    """Texts as UTF-8, with a sign in the place of what is not."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        raw = texts.cast(pa.large_binary()).to_pylist()
        return pa.array([None if data is None else data.decode("utf-8", "replace") for data in raw], pa.string())
    return texts.cast(pa.string())
