"""What stands in a CSV file? Rows of texts, and kinds of text of which a column may have several.

What they make of a column's type is for its reader to say: `spark/tables/csv_types.py`, `index/local/csv_events.py`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from enum import IntFlag

import pyarrow as pa
import pyarrow.compute as pc

from eligo.errors import ExpressionValueError
from eligo.language.moment import DATE_PATTERN, TIMESTAMP_PATTERN, parse_date, parse_timestamp

ROWS_AT_ONCE = 1 << 14
LONGEST_FIELD = 2**31 - 1
MOST_DIGITS = 38
"""Of a whole number that a decimal can hold."""
_WHOLE = r"^[+-]?[0-9]+$"
_NUMBER = r"^([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:nan|[+-]?inf(inity)?))$"
_BOOL = r"^(?i:true|false)$"


def text_rows(lines: Iterable[str], names: Sequence[str], delimiter: str) -> Iterator[list[list[str | None]]]:
    """The rows of a file in the order of the names, some at a time; what is not there or empty is None."""
    csv.field_size_limit(LONGEST_FIELD)
    records = (record for record in csv.reader(lines, delimiter=delimiter) if record)
    header = next(records, [])
    places = [header.index(name) if name in header else len(header) for name in names]
    rows = []
    for record in records:
        rows.append([(record[place] or None) if place < min(len(record), len(header)) else None for place in places])
        if len(rows) == ROWS_AT_ONCE:
            yield rows
            rows = []
    if rows:
        yield rows


class Seen(IntFlag):
    """Which kinds of text a column has; each text is of one of them."""

    INT = 1
    LONG = 2
    WHOLE = 4
    """A whole number of more than 64 bits."""
    NUMBER = 8
    BOOL = 16
    DATE = 32
    TIMESTAMP = 64
    TEXT = 128


def seen_in(column: pa.Array) -> Seen:
    """Which kinds of text there are among bytes; blank ones are missing values."""
    try:
        texts = pc.utf8_trim_whitespace(column.drop_null().cast(pa.large_string()))
    except pa.ArrowInvalid:  # not UTF-8
        return Seen.TEXT
    texts = texts.filter(pc.not_equal(texts, ""))
    seen = Seen(0)
    for pattern, of_texts in (
        (_WHOLE, _seen_in_whole),
        (_NUMBER, lambda _: Seen.NUMBER),
        (_BOOL, lambda _: Seen.BOOL),
        (f"^{DATE_PATTERN}$", lambda own: _seen_in_moments(own, Seen.DATE)),
        (f"^{TIMESTAMP_PATTERN}$", lambda own: _seen_in_moments(own, Seen.TIMESTAMP)),
    ):
        is_such = pc.match_substring_regex(texts, pattern)
        own, texts = texts.filter(is_such), texts.filter(pc.invert(is_such))
        if len(own):
            seen |= of_texts(own)
    return seen | Seen.TEXT if len(texts) else seen


def _seen_in_whole(texts: pa.Array) -> Seen:
    numbers = pc.utf8_ltrim(texts, characters="+")
    for kind, seen in ((pa.int32(), Seen.INT), (pa.int64(), Seen.LONG)):
        try:
            numbers.cast(kind)
        except pa.ArrowInvalid:
            continue
        return seen
    digits = pc.utf8_length(pc.utf8_ltrim(texts, characters="+-0"))
    return Seen.WHOLE if pc.max(digits).as_py() <= MOST_DIGITS else Seen.NUMBER


def _seen_in_moments(texts: pa.Array, kind: Seen) -> Seen:
    read = parse_date if kind is Seen.DATE else parse_timestamp
    try:
        for text in texts.unique().to_pylist():
            read(text)
    except ExpressionValueError:  # such as the 30th of February
        return kind | Seen.TEXT
    return kind
