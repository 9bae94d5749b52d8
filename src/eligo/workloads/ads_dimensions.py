"""What do advertisements ask about, and what do sessions say? 122 dimensions from everyday ones to rare ones.

Dimension 0 is the most popular, with predicates and with events alike (channel, region), the last the least (a list of
items). Two thirds hold strings, from three values to tens of thousands with Zipf frequencies; the others hold integers
that are tested by ranges. A-Tree 2021, section 6.2, prints the number of dimensions and the size of an event; what the
dimensions hold is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.workloads.predicate_texts import (
    Texts,
    comparisons,
    interleave,
    join,
    memberships,
    ranges,
    string_values,
    to_texts,
)
from eligo.workloads.zipf import Zipf, draw_by_owner

MOST_MEMBERS = 3
"""The most values of a list."""

INTEGER_DOMAIN = 10_000

EQUALS, IN, NOT_EQUALS, NOT_IN = range(4)
STRING_SHARES = (0.50, 0.34, 0.06, 0.10)
"""How often a predicate on a string dimension is each of the above."""

AT_LEAST, AT_MOST, BETWEEN = range(3)
INTEGER_SHARES = (0.35, 0.25, 0.40)
"""How often a predicate on an integer dimension is each of the above."""


@dataclass(frozen=True)
class Dimensions:
    """The value domains of all attributes, the most popular first."""

    num_values: npt.NDArray[np.int64]
    """For each dimension: how many strings it has; 0 for a dimension of integers."""
    popularity: npt.NDArray[np.float64]
    """For each dimension: how often predicates are on it, relative to the others."""
    value_alpha: float
    """How skewed the strings of a dimension are."""


def make_dimensions(
    rng: np.random.Generator, num_dimensions: int, dimension_alpha: float, value_alpha: float
) -> Dimensions:
    """Dimensions with sizes spread evenly in their logarithm, every third one with integers."""
    num_values = np.rint(10 ** rng.uniform(0.5, 4.5, num_dimensions)).astype(np.int64)
    num_values[2::3] = 0
    return Dimensions(num_values, Zipf(num_dimensions, dimension_alpha).weights, value_alpha)


def make_predicates(rng: np.random.Generator, dimensions: Dimensions, num_predicates: int) -> Texts:
    """That many distinct predicates; those that were drawn first, and so are likely, come first."""
    distinct: Texts = pa.array([], pa.large_string())
    while len(distinct) < num_predicates:
        num_drawn = max(int(1.5 * (num_predicates - len(distinct))), 1_000)
        distinct = pc.unique(pa.concat_arrays([distinct, _draw_predicates(rng, dimensions, num_drawn)]))
    return distinct.slice(0, num_predicates)


def _draw_predicates(rng: np.random.Generator, dimensions: Dimensions, num_drawn: int) -> Texts:
    shares = dimensions.popularity / dimensions.popularity.sum()
    drawn = rng.choice(len(shares), size=num_drawn, p=shares)
    is_string = dimensions.num_values[drawn] > 0
    strings, integers = np.flatnonzero(is_string), np.flatnonzero(~is_string)
    return interleave(
        [strings, integers],
        [_string_predicates(rng, dimensions, drawn[strings]), _integer_predicates(rng, drawn[integers])],
    )


def _string_predicates(rng: np.random.Generator, dimensions: Dimensions, owners: npt.NDArray[np.int64]) -> Texts:
    kinds = rng.choice(4, size=len(owners), p=STRING_SHARES)
    members = draw_by_owner(rng, np.repeat(owners, MOST_MEMBERS), dimensions.num_values, dimensions.value_alpha)
    members = members.reshape(len(owners), MOST_MEMBERS)
    sizes = rng.integers(2, MOST_MEMBERS + 1, len(owners))
    names = join("d", to_texts(owners))
    rows, texts = [], []
    for kind, word in ((EQUALS, "="), (NOT_EQUALS, "!="), (IN, "in"), (NOT_IN, "not in")):
        chosen = np.flatnonzero(kinds == kind)
        chosen_names = names.take(pa.array(chosen))
        rows.append(chosen)
        if kind in (IN, NOT_IN):
            texts.append(memberships(chosen_names, word, members[chosen], sizes[chosen], strings=True))
        else:
            texts.append(comparisons(chosen_names, word, string_values(members[chosen, 0])))
    return interleave(rows, texts)


def _integer_predicates(rng: np.random.Generator, owners: npt.NDArray[np.int64]) -> Texts:
    kinds = rng.choice(3, size=len(owners), p=INTEGER_SHARES)
    bounds = np.sort(_draw_integers(rng, 2 * len(owners)).reshape(-1, 2), axis=1)
    names = join("d", to_texts(owners))
    rows = [np.flatnonzero(kinds == kind) for kind in (AT_LEAST, AT_MOST, BETWEEN)]
    chosen_names = [names.take(pa.array(chosen)) for chosen in rows]
    return interleave(
        rows,
        [
            comparisons(chosen_names[AT_LEAST], ">=", to_texts(bounds[rows[AT_LEAST], 0])),
            comparisons(chosen_names[AT_MOST], "<=", to_texts(bounds[rows[AT_MOST], 1])),
            ranges(chosen_names[BETWEEN], bounds[rows[BETWEEN], 0], bounds[rows[BETWEEN], 1]),
        ],
    )


def _draw_integers(rng: np.random.Generator, size: int) -> npt.NDArray[np.int64]:
    """Small integers more often than large ones."""
    drawn: npt.NDArray[np.int64] = (rng.random(size) ** 2 * INTEGER_DOMAIN).astype(np.int64)
    return drawn


def presence(dimensions: Dimensions, event_size: float) -> npt.NDArray[np.float64]:
    """For each dimension: how likely an event has it, in proportion to its popularity, `event_size` in all."""
    low, high = 0.0, 1e6
    for _ in range(100):  # bisection for the factor
        factor = (low + high) / 2
        if np.minimum(1, factor * dimensions.popularity).sum() < event_size:
            low = factor
        else:
            high = factor
    return np.minimum(1, high * dimensions.popularity)


def make_events(rng: np.random.Generator, dimensions: Dimensions, num_events: int, event_size: int) -> pa.Table:
    """Sessions with about `event_size` values, popular dimensions and popular values more often."""
    columns = {}
    for dimension, likelihood in enumerate(presence(dimensions, event_size)):
        is_missing = rng.random(num_events) >= likelihood
        num_values = int(dimensions.num_values[dimension])
        if num_values:
            ranks = Zipf(num_values, dimensions.value_alpha).draw(rng, num_events)
            values: npt.NDArray[Any] = np.char.add("v", ranks.astype(str))
        else:
            values = _draw_integers(rng, num_events)
        columns[f"d{dimension}"] = pa.array(values, mask=is_missing)
    return pa.table(columns)
