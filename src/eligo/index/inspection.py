"""What is in an index, how much of it is shared, and which expressions cost most? Found by reading its texts again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eligo.data.expressions.expression_source import ExpressionId
from eligo.engines.choice import SetStatistics, form_sizes, measure
from eligo.engines.expected_costs import expected_costs
from eligo.index.part import held_expressions
from eligo.index.view import View


class Costly(NamedTuple):
    """An expression, and what it costs."""

    id: ExpressionId
    cost: float
    """Predicates that an event is expected to ask of it; see `engines.expected_costs`."""
    num_predicates: int
    """As written, equal ones counted each time."""
    text: str


class Inspection(NamedTuple):
    """What is in an index."""

    statistics: SetStatistics
    """Of all expressions that are there."""
    num_distinct: int
    """Different texts."""
    costliest: tuple[Costly, ...]
    """The costliest first."""


def inspect(view: View, most: int) -> Inspection:
    """Read the expressions of a view; so many of the costliest are told."""
    ids, texts = view.ids, view.texts
    vocabulary, table = held_expressions(ids, texts).encode(view.settings.missing, view.settings.hierarchies)
    statistics = measure(table, vocabulary)
    literals = form_sizes(table).literals
    costs = expected_costs(table, vocabulary, literals)
    places = np.argsort(-costs, kind="stable")[:most]
    found = (
        Costly(ids[place].as_py(), float(costs[place]), int(literals[place]), texts[place].as_py())
        for place in places.tolist()
    )
    return Inspection(statistics, len(texts.unique()), tuple(found))
