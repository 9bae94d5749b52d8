"""Which texts hold the JSON form of an expression? Those that begin with `{`, which no text of an expression does.

All texts of a column are parsed together, compiled. Only what the parser refuses is looked at here, and only what
begins with `{` is read as JSON; its canonical text then takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eligo.errors import EligoError
from eligo.language.canonical import canonical_text
from eligo.language.forms.json_form import loads
from eligo.language.limits import UNBOUNDED, Limits
from eligo.language.text.parse import ParsedBatch, parse_all
from eligo.language.tree import Expression


def holds_json_form(text: str) -> bool:
    """Whether a text is meant as the JSON form."""
    return text.lstrip().startswith("{")


def json_forms(
    text: Callable[[int], str | None], errors: dict[int, EligoError], limits: Limits
) -> dict[int, Expression]:
    """The trees of the rows that hold the JSON form, which are no longer errors; bad JSON is another error.

    `errors` are those of the parser by row, and `text` gives the text of a row.
    """
    trees: dict[int, Expression] = {}
    for row in list(errors):
        given = text(row)
        if given is None or not holds_json_form(given):
            continue
        try:
            trees[row] = loads(given, limits=limits)
            del errors[row]
        except EligoError as error:
            errors[row] = error
    return trees


def with_trees(batch: ParsedBatch, trees: Mapping[int, Expression]) -> ParsedBatch:
    """The texts parsed, with the canonical texts of some trees in their rows."""
    if not trees:
        return batch
    return parse_all(
        replaced(batch.texts, {row: canonical_text(tree) for row, tree in trees.items()}), limits=UNBOUNDED
    )


def replaced(texts: pa.Array, others: Mapping[int, str]) -> pa.Array:
    """The texts with those of some rows in their place."""
    rows = sorted(others)
    mask = np.zeros(len(texts), np.bool_)
    mask[rows] = True
    return pc.replace_with_mask(texts, pa.array(mask), pa.array([others[row] for row in rows], texts.type))
