"""What does targeting look like where no two events are alike? Conjunctions on popular attributes, and lists in events.

Like `conjunctions`, with attributes that are not equally popular, predicates that few events meet, and lists in events:

    r0 between 120 and 415        an integer range, 50 to 300 wide of 1,000
    s0 = 'v7'                     a string with 200 values, by Zipf's law
    l0 in ('v2', 'v5', 'v9')      2 to 6 of 500 strings

A conjunction has 3 to 5 predicates on distinct attributes, drawn by popularity: attribute k has weight 1 / (k + 1)^0.8.
An event has the ten most popular attributes and twelve more by popularity. An integer is uniform, a string follows the
law of the predicates, and every attribute that is tested by a list holds four distinct strings. The strings of lists
are skewed (`list_alpha`), so that about 70 of a million expressions match an event. There are more than 10^40 events to
draw from: none comes twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.workloads.predicate_texts import (
    Texts,
    comparisons,
    interleave,
    join,
    join_runs,
    memberships,
    ranges,
    string_values,
    to_texts,
)
from eligo.workloads.workload import Workload, choose_attributes, expressions_table, random_streams
from eligo.workloads.zipf import Zipf

VERSION = 1
"""Raised whenever the same parameters would give another workload."""

CHUNK = 250_000
"""Expressions made at a time, which bounds the memory."""

RANGE, STRING, LIST = range(3)
NAMES = np.array(["r", "s", "l"])
"""What an attribute of each kind is called, before its number."""


def generate(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    num_attributes: int = 100,
    attribute_alpha: float = 0.8,
    fewest_predicates: int = 3,
    most_predicates: int = 5,
    num_always: int = 10,
    num_further: int = 12,
    num_strings: int = 200,
    string_alpha: float = 1.0,
    range_domain: int = 1_000,
    range_width: tuple[int, int] = (50, 300),
    num_listed: int = 500,
    list_alpha: float = 0.68,
    list_size: tuple[int, int] = (2, 6),
    values_in_list: int = 4,
    block: int = 0,
) -> Workload:
    """Conjunctions by popularity. `range_width` and `list_size` are the least and the largest, `values_in_list` is how
    many values an event has in an attribute that is tested by a list.
    """
    parameters = dict(locals()) | {"range_width": list(range_width), "list_size": list(list_size)}
    del parameters["block"]
    check(parameters)
    expression_rng, event_rng = random_streams(seed, 2, block)
    sizes = [min(CHUNK, num_expressions - first) for first in range(0, num_expressions, CHUNK)]
    chunks = [make_expressions(expression_rng, size, parameters) for size in sizes]
    texts = pa.chunked_array([chunk for chunk, _ in chunks], pa.large_string()).combine_chunks()
    num_predicates = sum(count for _, count in chunks)
    report = {"predicates_per_expression": round(num_predicates / num_expressions, 3)}
    events = make_events(event_rng, parameters)
    return Workload("targeting", expressions_table(texts), events, parameters, report)


def check(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that describe no workload."""
    fewest, most = parameters["fewest_predicates"], parameters["most_predicates"]
    num_attributes = parameters["num_attributes"]
    if not 1 <= fewest <= most <= num_attributes:
        raise ValueError(f"a conjunction cannot have {fewest} to {most} of {num_attributes} attributes")
    if parameters["num_expressions"] < 1:
        raise ValueError(f"num_expressions is at least 1, not {parameters['num_expressions']}")
    if not 0 <= parameters["num_always"] <= num_attributes or parameters["num_further"] < 0:
        raise ValueError(
            f"an event cannot always have {parameters['num_always']} and {parameters['num_further']} further ones of "
            f"{num_attributes} attributes"
        )
    low, high = parameters["range_width"]
    if not 0 <= low <= high < parameters["range_domain"]:
        raise ValueError(f"range_width is two widths below {parameters['range_domain']}, not {low} and {high}")
    shortest, longest = parameters["list_size"]
    if not 1 <= shortest <= longest <= parameters["num_listed"]:
        raise ValueError(f"list_size is two sizes up to {parameters['num_listed']}, not {shortest} and {longest}")
    if not 1 <= parameters["values_in_list"] <= parameters["num_listed"]:
        raise ValueError(f"values_in_list is 1 to {parameters['num_listed']}, not {parameters['values_in_list']}")


def popularity(parameters: Mapping[str, Any]) -> Zipf:
    """By which attributes are drawn, the most popular first."""
    return Zipf(parameters["num_attributes"], parameters["attribute_alpha"])


def listed_values(parameters: Mapping[str, Any]) -> Zipf:
    """By which the values of lists are drawn, in expressions as in events."""
    return Zipf(parameters["num_listed"], parameters["list_alpha"])


def distinct_ranks(rng: np.random.Generator, zipf: Zipf, num_rows: int, width: int) -> npt.NDArray[np.int64]:
    """In each row `width` distinct ranks, one drawn after the other, and again where the row has it already."""
    chosen = np.full((num_rows, width), -1, np.int64)
    for column in range(width):
        rows = np.arange(num_rows)
        while len(rows):
            chosen[rows, column] = zipf.draw(rng, len(rows))
            is_taken = (chosen[rows, :column] == chosen[rows, column, None]).any(axis=1)
            rows = rows[is_taken]
    return chosen


def make_expressions(rng: np.random.Generator, count: int, parameters: Mapping[str, Any]) -> tuple[Texts, int]:
    """Conjunctions as texts, and how many predicates they have together."""
    most = parameters["most_predicates"]
    sizes = rng.integers(parameters["fewest_predicates"], most + 1, count)
    attributes = distinct_ranks(rng, popularity(parameters), count, most)
    is_used = np.arange(most) < sizes[:, None]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    predicates = make_predicates(rng, attributes[is_used], parameters)
    return join_runs(offsets, predicates, " and "), len(predicates)


def attribute_names(attributes: npt.NDArray[np.int64]) -> Texts:
    """Attribute 3k + kind is the k-th of its kind."""
    return join(to_texts(NAMES[attributes % 3]), to_texts(attributes // 3))


def make_predicates(
    rng: np.random.Generator, attributes: npt.NDArray[np.int64], parameters: Mapping[str, Any]
) -> Texts:
    """A predicate on each of the attributes, of the kind that the attribute has."""
    rows = [np.flatnonzero(attributes % 3 == kind) for kind in (RANGE, STRING, LIST)]
    names = [attribute_names(attributes[chosen]) for chosen in rows]

    narrowest, widest = parameters["range_width"]
    widths = rng.integers(narrowest, widest + 1, len(rows[RANGE]))
    lows = rng.integers(0, parameters["range_domain"] - widths)
    ranks = Zipf(parameters["num_strings"], parameters["string_alpha"]).draw(rng, len(rows[STRING]))
    shortest, longest = parameters["list_size"]
    sizes = rng.integers(shortest, longest + 1, len(rows[LIST]))
    members = distinct_ranks(rng, listed_values(parameters), len(rows[LIST]), longest)
    return interleave(
        rows,
        [
            ranges(names[RANGE], lows, lows + widths),
            comparisons(names[STRING], "=", string_values(ranks)),
            memberships(names[LIST], "in", members, sizes, strings=True),
        ],
    )


def make_events(rng: np.random.Generator, parameters: Mapping[str, Any]) -> pa.Table:
    """Events with values from the distributions that the predicates are drawn from."""
    num_events, num_attributes = parameters["num_events"], parameters["num_attributes"]
    num_always = parameters["num_always"]
    present = np.ones((num_events, num_attributes), np.bool_)
    weights = popularity(parameters).weights[num_always:]
    present[:, num_always:] = choose_attributes(rng, weights, num_events, parameters["num_further"])
    strings = Zipf(parameters["num_strings"], parameters["string_alpha"])
    columns = {}
    for attribute, name in enumerate(attribute_names(np.arange(num_attributes)).to_pylist()):
        rows = np.flatnonzero(present[:, attribute])
        kind = attribute % 3
        if kind == RANGE:
            values = pa.array(rng.integers(0, parameters["range_domain"], len(rows)))
        elif kind == STRING:
            values = event_strings(strings.draw(rng, len(rows)))
        else:
            width = parameters["values_in_list"]
            ranks = distinct_ranks(rng, listed_values(parameters), len(rows), width)
            offsets = pa.array(np.arange(0, len(rows) * width + 1, width, dtype=np.int32))
            values = pa.ListArray.from_arrays(offsets, event_strings(ranks.ravel()))
        columns[name] = spread(values, present[:, attribute])
    return pa.table(columns)


def event_strings(ranks: npt.NDArray[np.int64]) -> pa.Array:
    """The values of ranks, as an event has them: v17."""
    return join("v", to_texts(ranks)).cast(pa.string())


def spread(values: pa.Array, is_present: npt.NDArray[np.bool_]) -> pa.Array:
    """The values in their order where something is present, and null elsewhere."""
    places = np.cumsum(is_present) - 1
    return values.take(pa.array(places, mask=~is_present))
