"""How is a column of text read by its attribute's kind? Each distinct string once, however often it stands there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from eligo.data.encoded_value import EncodedValuesWriter, encode
from eligo.data.events.column_values import (
    NOT_UNICODE,
    ColumnValues,
    Ints,
    Refuse,
    fixed_width,
    not_unicode,
    plain,
    valid_places,
)
from eligo.data.events.text_values import TextReader
from eligo.errors import EligoError
from eligo.language.value import event_values


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is one of strings."""
    if pt.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind))


def read_text(array: pa.Array, read: TextReader, refuse: Refuse) -> ColumnValues:
    """The values that the strings of an array stand for; those that stand for nothing are missing."""
    words = plain(array)
    if not pt.is_dictionary(words.type):
        words = words.dictionary_encode()
    places = valid_places(words)
    word_at = fixed_width(words.indices.cast(pa.int64()), np.int64)[places]
    is_bad = np.isin(word_at, not_unicode(words.dictionary))
    if is_bad.any():
        refuse(places[is_bad], NOT_UNICODE, "")
        places, word_at = places[~is_bad], word_at[~is_bad]
    writer = EncodedValuesWriter()
    value_of_word: Ints = np.full(len(words.dictionary), -1, np.int64)
    errors: dict[int, EligoError] = {}
    for number in np.unique(word_at).tolist():
        text = words.dictionary[number].as_py()
        try:
            values = event_values(None if text is None else read(text))
        except EligoError as error:
            errors[number] = error
            continue
        for value in values:
            value_of_word[number] = len(writer.kinds)
            writer.add(0, encode(value))
    if errors:
        for place in np.flatnonzero(np.isin(word_at, list(errors))).tolist():
            told = errors[int(word_at[place])]
            refuse(places[place : place + 1], told.message, told.help)
    taken = value_of_word[word_at]
    encoded = writer.finish()
    places, taken = places[taken >= 0], taken[taken >= 0]
    return ColumnValues(
        int(encoded.kinds[0]) if len(encoded.kinds) else 0,
        places,
        encoded.highs[taken],
        encoded.lows[taken],
        encoded.starts[taken],
        encoded.ends[taken],
        encoded.text,
        encoded.kinds[taken],
    )
