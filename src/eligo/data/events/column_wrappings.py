"""How are values taken out of dictionaries and runs? By Arrow where it can, else through the places of their values.

Arrow has no kernel for every type that a dictionary or a run may hold, such as views of strings.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt


def decoded_runs(array: pa.Array) -> pa.Array:
    """The values of an array of runs, one for each place."""
    try:
        return pc.run_end_decode(array)
    except pa.ArrowNotImplementedError:
        ends = array.run_ends.to_numpy(zero_copy_only=False)
        places = np.arange(array.offset, array.offset + len(array))
        return taken(array.values, pa.array(np.searchsorted(ends, places, side="right")))


def decoded_words(array: pa.Array) -> pa.Array:
    """The values of a dictionary, one for each place."""
    try:
        return array.dictionary_decode()
    except pa.ArrowNotImplementedError:
        return taken(array.dictionary, array.indices)


def taken(array: pa.Array, places: pa.Array) -> pa.Array:
    """The values of an array at these places, also of a type that Arrow does not take from."""
    return without_views(array).take(places)


def without_views(array: pa.Array) -> pa.Array:
    """Views of strings or bytes as strings or bytes; any other array as it is."""
    if pt.is_string_view(array.type):
        return array.cast(pa.large_string())
    if pt.is_binary_view(array.type):
        return array.cast(pa.large_binary())
    return array
