"""How are maps from attribute names to values taken apart? Into their entries, with the distinct names apart."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from eligo.data.events.column_text import is_text
from eligo.data.events.column_values import is_list, plain
from eligo.errors import EventError


def as_list_of_entries(array: pa.Array) -> pa.Array:
    """An array of maps, or of lists of structs with two fields, as an array of lists of (key, value) structs."""
    if pt.is_map(array.type):
        entry = pa.struct([("key", array.type.key_type), ("value", array.type.item_type)])
        return array.cast(pa.list_(entry))
    if is_list(array.type) and pt.is_struct(array.type.value_type) and array.type.value_type.num_fields == 2:
        return array
    raise EventError(
        f"events in one column are maps, or lists of (key, value) structs, not {array.type}",
        help="use a map<string, …> column",
    )


def keys_as_dictionary(keys: pa.Array) -> pa.Array:
    """Names as indices into the distinct ones; an entry without a name is one named by the empty string."""
    if not is_text(keys.type):
        raise EventError(f"the keys of a map of attributes are strings, not {keys.type}")
    names = plain(keys)
    if pt.is_dictionary(names.type):
        names = names.dictionary_decode()
    return names.fill_null("").dictionary_encode()


def with_prefix(names: pa.Array, prefix: str) -> pa.Array:
    """Each name with a prefix before it."""
    if not prefix:
        return names
    nothing = pa.scalar("", names.type)
    return pc.binary_join_element_wise(pa.scalar(prefix, names.type), names, nothing)
