"""How is a column of text read by its attribute's kind? Each distinct string once, however often it stands there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from eligo.data.column_values import ColumnValues, Ints, Refuse, fixed_width, plain, valid_places
from eligo.data.encoded_value import EncodedValuesWriter, encode
from eligo.data.text_values import TextReader
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
    writer = EncodedValuesWriter()
    value_of_word: Ints = np.full(len(words.dictionary), -1, np.int64)
    for number, text in enumerate(words.dictionary.to_pylist()):
        if text is None:
            continue
        try:
            values = event_values(read(text))
        except EligoError as error:
            refuse(places[word_at == number], error.message, error.help)
            continue
        for value in values:
            value_of_word[number] = len(writer.kinds)
            writer.add(0, encode(value))
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
