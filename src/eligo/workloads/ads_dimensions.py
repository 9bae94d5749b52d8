"""What do advertisements ask about, and what do sessions say? 122 dimensions from everyday ones to rare ones.

Dimension 0 is the most popular, with predicates and with events alike (channel, region), the last the least (a list of
items). Two thirds hold strings, from three values to tens of thousands with Zipf frequencies; the others hold integers
that are tested by ranges. A-Tree 2021, section 6.2, prints the number of dimensions and the size of an event; what the
dimensions hold is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

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


class PredicateRows(NamedTuple):
    """What predicates ask, as numbers."""

    owners: npt.NDArray[np.int64]
    """For each predicate: its dimension."""
    is_negated: npt.NDArray[np.bool_]
    """For each predicate: whether it holds of values that are none of these."""
    members: npt.NDArray[np.int64]
    """For each predicate on strings: the ranks of its values, some perhaps twice."""
    lows: npt.NDArray[np.int64]
    """For each predicate on integers: its least value."""
    highs: npt.NDArray[np.int64]
    """And its largest one."""


def make_predicates(
    rng: np.random.Generator, dimensions: Dimensions, num_predicates: int
) -> tuple[Texts, PredicateRows]:
    """That many distinct predicates; those that were drawn first, and so are likely, come first."""
    distinct: Texts = pa.array([], pa.large_string())
    texts: list[Texts] = []
    rows: list[PredicateRows] = []
    while len(distinct) < num_predicates:
        num_drawn = max(int(1.5 * (num_predicates - len(distinct))), 1_000)
        drawn, drawn_rows = _draw_predicates(rng, dimensions, num_drawn)
        texts.append(drawn)
        rows.append(drawn_rows)
        distinct = pc.unique(pa.concat_arrays([distinct, drawn]))
    numbers = pa.concat_arrays(texts).dictionary_encode().indices.to_numpy()
    firsts = np.unique(numbers, return_index=True)[1][:num_predicates]
    all_rows = (np.concatenate(column)[firsts] for column in zip(*rows, strict=True))
    return distinct.slice(0, num_predicates), PredicateRows(*all_rows)


def _draw_predicates(rng: np.random.Generator, dimensions: Dimensions, num_drawn: int) -> tuple[Texts, PredicateRows]:
    shares = dimensions.popularity / dimensions.popularity.sum()
    drawn = rng.choice(len(shares), size=num_drawn, p=shares)
    is_string = dimensions.num_values[drawn] > 0
    strings, integers = np.flatnonzero(is_string), np.flatnonzero(~is_string)
    rows = PredicateRows(
        drawn,
        np.zeros(num_drawn, np.bool_),
        np.full((num_drawn, MOST_MEMBERS), -1),
        np.zeros(num_drawn, np.int64),
        np.full(num_drawn, INTEGER_DOMAIN),
    )
    texts = [
        _string_predicates(rng, dimensions, drawn[strings], strings, rows),
        _integer_predicates(rng, drawn[integers], integers, rows),
    ]
    return interleave([strings, integers], texts), rows


def _string_predicates(
    rng: np.random.Generator,
    dimensions: Dimensions,
    owners: npt.NDArray[np.int64],
    places: npt.NDArray[np.intp],
    given: PredicateRows,
) -> Texts:
    """Predicates on these dimensions; what they ask is written at `places`."""
    kinds = rng.choice(4, size=len(owners), p=STRING_SHARES)
    members = draw_by_owner(rng, np.repeat(owners, MOST_MEMBERS), dimensions.num_values, dimensions.value_alpha)
    members = members.reshape(len(owners), MOST_MEMBERS)
    sizes = rng.integers(2, MOST_MEMBERS + 1, len(owners))
    sizes_meant = np.where((kinds == IN) | (kinds == NOT_IN), sizes, 1)
    given.is_negated[places] = (kinds == NOT_EQUALS) | (kinds == NOT_IN)
    given.members[places] = np.where(np.arange(MOST_MEMBERS) < sizes_meant[:, None], members, members[:, :1])
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


def _integer_predicates(
    rng: np.random.Generator,
    owners: npt.NDArray[np.int64],
    places: npt.NDArray[np.intp],
    given: PredicateRows,
) -> Texts:
    """Predicates on these dimensions; what they ask is written at `places`."""
    kinds = rng.choice(3, size=len(owners), p=INTEGER_SHARES)
    bounds = np.sort(_draw_integers(rng, 2 * len(owners)).reshape(-1, 2), axis=1)
    given.lows[places] = np.where(kinds == AT_MOST, 0, bounds[:, 0])
    given.highs[places] = np.where(kinds == AT_LEAST, INTEGER_DOMAIN, bounds[:, 1])
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
    for dimension, (is_missing, drawn) in enumerate(_draw_values(rng, dimensions, num_events, event_size)):
        is_text = dimensions.num_values[dimension] > 0
        values: npt.NDArray[Any] = np.char.add("v", drawn.astype(str)) if is_text else drawn
        columns[f"d{dimension}"] = pa.array(values, mask=is_missing)
    return pa.table(columns)


def _draw_values(
    rng: np.random.Generator, dimensions: Dimensions, num_events: int, event_size: int
) -> Iterator[tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]]:
    """For each dimension: which events do not have it, and the ranks of strings or the integers of the others."""
    for dimension, likelihood in enumerate(presence(dimensions, event_size)):
        is_missing = rng.random(num_events) >= likelihood
        num_values = int(dimensions.num_values[dimension])
        if num_values:
            yield is_missing, Zipf(num_values, dimensions.value_alpha).draw(rng, num_events)
        else:
            yield is_missing, _draw_integers(rng, num_events)


def sample_masks(
    rng: np.random.Generator, dimensions: Dimensions, rows: PredicateRows, num_events: int, event_size: int
) -> npt.NDArray[np.uint8]:
    """For each predicate: which of so many events like those of `make_events` it is true of, a bit each.

    A predicate on a dimension that an event does not have is not true of it.
    """
    masks = np.zeros((len(rows.owners), (num_events + 7) // 8), np.uint8)
    for dimension, (is_missing, values) in enumerate(_draw_values(rng, dimensions, num_events, event_size)):
        owned = np.flatnonzero(rows.owners == dimension)
        for first in range(0, len(owned), 10_000):
            own = owned[first : first + 10_000]
            if dimensions.num_values[dimension] > 0:
                is_hit = (rows.members[own][:, :, None] == values).any(axis=1)
            else:
                is_hit = (rows.lows[own][:, None] <= values) & (values <= rows.highs[own][:, None])
            is_true = (is_hit ^ rows.is_negated[own][:, None]) & ~is_missing
            masks[own] = np.packbits(is_true, axis=1)
    return masks
