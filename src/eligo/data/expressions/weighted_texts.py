"""How do weights that stand in a column of their own get into an index? Into the text, of the rows that have any.

Other rows keep the text that they were given, and are not parsed again.
"""

from __future__ import annotations

import pyarrow as pa

from eligo.data.expressions.checked_texts import CheckedTexts
from eligo.data.expressions.json_texts import replaced
from eligo.errors import EligoError
from eligo.language.attribute_weights import read_weights, with_attribute_weights
from eligo.language.canonical import canonical_text
from eligo.language.limits import Limits
from eligo.language.text.parse import parse


def weighted_texts(checked: CheckedTexts, weights: pa.Array | None, limits: Limits) -> CheckedTexts:
    """The checked texts with weights where rows have some; bad weights are errors of their rows."""
    if weights is None or weights.null_count == len(weights):
        return checked
    errors = dict(checked.errors)
    texts: dict[int, str] = {}
    for row, given in enumerate(weights.to_pylist()):
        if given is None or row in errors:
            continue
        try:
            found = read_weights(given)
            if found:
                tree = parse(checked.texts[row].as_py(), limits=limits)
                texts[row] = canonical_text(with_attribute_weights(tree, found))
        except EligoError as error:
            errors[row] = error
    if not texts:
        return checked._replace(errors=errors)
    return checked._replace(
        texts=replaced(checked.texts, texts), errors=errors, converted=checked.converted | texts.keys()
    )
