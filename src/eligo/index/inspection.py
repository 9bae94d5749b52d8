"""What is in an index, how much of it is shared, and which expressions cost most? Found by reading its texts again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from eligo.data.expressions.expression_source import ExpressionId
from eligo.engines.expected_costs import expected_costs
from eligo.engines.set_statistics import SetStatistics, form_sizes, measure
from eligo.index.part import held_expressions
from eligo.index.view import View

MOST_READ = 2_000_000
"""Expressions that are parsed at most; a larger index is judged by as many of its expressions."""


class Costly(NamedTuple):
    """An expression, and what it costs."""

    id: ExpressionId
    cost: float
    """Predicates that an event is expected to ask of it; see `engines.expected_costs`."""
    num_predicates: int
    """In negation normal form, equal ones counted each time."""
    text: str


class Inspection(NamedTuple):
    """What is in an index."""

    statistics: SetStatistics
    """Of the expressions that were read."""
    num_read: int
    """Expressions that were read: all of them, or `MOST_READ` that are drawn evenly."""
    num_distinct: int
    """Different texts among them."""
    costliest: tuple[Costly, ...]
    """The costliest first."""


def inspect(view: View, most: int) -> Inspection:
    """Read the expressions of a view; so many of the costliest are told."""
    ids, texts, settings = view.ids, view.texts, view.settings
    if len(ids) > MOST_READ:
        drawn = pa.array(np.linspace(0, len(ids) - 1, MOST_READ).astype(np.int64))
        ids, texts = ids.take(drawn), texts.take(drawn)
    given = held_expressions(ids, texts)
    vocabulary, table = given.encode(settings.missing, settings.hierarchies, settings.only_strings)
    statistics = measure(table, vocabulary)
    literals = form_sizes(table).literals
    costs = expected_costs(table, vocabulary, literals)
    places = np.argsort(-costs, kind="stable")[:most]
    found = (
        Costly(ids[place].as_py(), float(costs[place]), int(literals[place]), texts[place].as_py())
        for place in places.tolist()
    )
    return Inspection(statistics, len(ids), len(texts.unique()), tuple(found))
