"""Does a column fit its attribute's schema? Kinds, whole numbers, bounds and listed values, for all rows at once.

Text is not checked here: where a schema restricts strings, `text_values` reads and checks each distinct one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EncodedValue, decode, encode
from eligo.data.events.column_values import ColumnValues, Ints, Refuse
from eligo.data.schema.attribute import Attribute, with_article
from eligo.kernels import codes
from eligo.language.canonical import value_text
from eligo.language.value import Kind

Mask = npt.NDArray[np.bool_]


def check_column(attribute: Attribute, values: ColumnValues, refuse: Refuse) -> None:
    """Refuse the values that the attribute does not allow."""
    if values.kinds is not None or not len(values.places):
        return
    if values.kind != attribute.value_kind:
        held = Kind(values.kind).name.lower()
        refuse(values.places, f"the column holds {held}s, and the attribute is {with_article(attribute.kind)}", "")
        return
    if values.kind == codes.STRING:
        return
    if attribute.kind == "int":
        _refuse_where(values, values.lows != 0.0, "is not a whole number", refuse)
    if attribute.low is not None:
        low = encode(attribute.low)
        is_below = (values.highs < low.high) | ((values.highs == low.high) & (values.lows < low.low))
        _refuse_where(values, is_below, f"is below the least value, {value_text(attribute.low)}", refuse)
    if attribute.high is not None:
        high = encode(attribute.high)
        is_above = (values.highs > high.high) | ((values.highs == high.high) & (values.lows > high.low))
        _refuse_where(values, is_above, f"is above the largest value, {value_text(attribute.high)}", refuse)
    if attribute.values:
        is_listed = np.zeros(len(values.places), np.bool_)
        for allowed in map(encode, attribute.values):
            is_listed |= (values.highs == allowed.high) & (values.lows == allowed.low)
        _refuse_where(values, ~is_listed, "is not one of the listed values", refuse)


def check_single(attribute: Attribute, values: ColumnValues, rows: Ints, refuse: Refuse) -> None:
    """Refuse rows with several values of an attribute that has one; the same value twice is one."""
    if attribute.several or len(rows) < 2:
        return
    for row in np.unique(rows[1:][rows[1:] == rows[:-1]]).tolist():
        first, end = np.searchsorted(rows, row), np.searchsorted(rows, row, "right")  # rows ascend
        count = len({_value_at(values, place) for place in range(int(first), int(end))})
        if count > 1:
            refuse(
                values.places[first : first + 1],
                f"{count} values, but the schema allows one",
                f'declare it as "list[{attribute.kind}]" to allow several',
            )


def _refuse_where(values: ColumnValues, is_bad: Mask, problem: str, refuse: Refuse) -> None:
    if is_bad.any():
        first = int(np.flatnonzero(is_bad)[0])
        refuse(values.places[is_bad], f"{value_text(decode(_value_at(values, first)))} {problem}", "")


def _value_at(values: ColumnValues, place: int) -> EncodedValue:
    kind = values.kind if values.kinds is None else int(values.kinds[place])
    if kind == codes.STRING:
        return EncodedValue(kind, 0, 0.0, values.text[int(values.starts[place]) : int(values.ends[place])].tobytes())
    return EncodedValue(kind, int(values.highs[place]), float(values.lows[place]), b"")
