"""What does the commonest targeting look like? Conjunctions of 3 to 5 predicates, of which an event meets a few.

A third of the attributes each hold a string with Zipf values (`s3 = 'v7'`), an integer that is tested by a range
(`r3 between 120 and 415`) and an integer that is tested by a list (`l3 in (2, 5, 9)`). The predicates of a conjunction
are on distinct attributes, all equally likely; an event has 22 of the 100. The defaults give about 70 matches an event
for a million expressions. Rows are independent of each other, so the first n rows are a workload of n.
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

STRING, RANGE, LIST = range(3)
NAMES = np.array(["s", "r", "l"])
"""What an attribute of each kind is called, before its number."""


def generate(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    num_attributes: int = 100,
    fewest_predicates: int = 3,
    most_predicates: int = 5,
    event_size: int = 22,
    num_strings: int = 500,
    string_alpha: float = 1.2,
    range_domain: int = 1_000,
    range_width: tuple[float, float] = (0.1, 0.85),
    list_domain: int = 8,
    list_size: int = 4,
    block: int = 0,
) -> Workload:
    """Conjunctions. `range_width` is the least and largest share of the domain that a range covers."""
    parameters = dict(locals()) | {"range_width": list(range_width)}
    del parameters["block"]
    check(parameters)
    expression_rng, event_rng = random_streams(seed, 2, block)
    sizes = [min(CHUNK, num_expressions - first) for first in range(0, num_expressions, CHUNK)]
    chunks = [make_expressions(expression_rng, size, parameters) for size in sizes]
    texts = pa.chunked_array([chunk for chunk, _ in chunks], pa.large_string()).combine_chunks()
    num_predicates = sum(count for _, count in chunks)
    report = {"predicates_per_expression": round(num_predicates / num_expressions, 3)}
    events = make_events(event_rng, parameters)
    return Workload("conjunctions", expressions_table(texts), events, parameters, report)


def check(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that describe no workload."""
    fewest, most = parameters["fewest_predicates"], parameters["most_predicates"]
    if not 1 <= fewest <= most <= parameters["num_attributes"]:
        raise ValueError(f"a conjunction cannot have {fewest} to {most} of {parameters['num_attributes']} attributes")
    if parameters["num_expressions"] < 1:
        raise ValueError(f"num_expressions is at least 1, not {parameters['num_expressions']}")
    low, high = parameters["range_width"]
    if not 0 <= low <= high <= 1:
        raise ValueError(f"range_width is two shares of the domain, not {low} and {high}")


def make_expressions(rng: np.random.Generator, count: int, parameters: Mapping[str, Any]) -> tuple[Texts, int]:
    """Conjunctions as texts, and how many predicates they have together."""
    most = parameters["most_predicates"]
    sizes = rng.integers(parameters["fewest_predicates"], most + 1, count)
    attributes = distinct_rows(rng, count, most, parameters["num_attributes"])
    used = attributes[np.arange(most) < sizes[:, None]]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    return join_runs(offsets, make_predicates(rng, used, parameters), " and "), len(used)


def distinct_rows(rng: np.random.Generator, num_rows: int, width: int, below: int) -> npt.NDArray[np.int64]:
    """In each row `width` distinct numbers below `below`, by Floyd's algorithm, in random order."""
    chosen = np.full((num_rows, width), -1, np.int64)
    for column in range(width):
        largest = below - width + column
        drawn = rng.integers(0, largest + 1, num_rows)
        is_taken = (chosen[:, :column] == drawn[:, None]).any(axis=1)
        chosen[:, column] = np.where(is_taken, largest, drawn)
    return rng.permuted(chosen, axis=1)


def attribute_names(attributes: npt.NDArray[np.int64]) -> Texts:
    """Attribute 3k + kind is the k-th of its kind."""
    return join(to_texts(NAMES[attributes % 3]), to_texts(attributes // 3))


def make_predicates(
    rng: np.random.Generator, attributes: npt.NDArray[np.int64], parameters: Mapping[str, Any]
) -> Texts:
    """A predicate on each of the attributes, of the kind that the attribute has."""
    rows = [np.flatnonzero(attributes % 3 == kind) for kind in (STRING, RANGE, LIST)]
    names = [attribute_names(attributes[chosen]) for chosen in rows]
    domain = parameters["range_domain"]

    ranks = Zipf(parameters["num_strings"], parameters["string_alpha"]).draw(rng, len(rows[STRING]))
    low_share, high_share = parameters["range_width"]
    widths = (rng.uniform(low_share, high_share, len(rows[RANGE])) * domain).astype(np.int64)
    lows = (rng.random(len(rows[RANGE])) * (domain - widths)).astype(np.int64)
    members = rng.integers(0, parameters["list_domain"], (len(rows[LIST]), parameters["list_size"]))
    sizes = rng.integers(1, parameters["list_size"] + 1, len(rows[LIST]))
    return interleave(
        rows,
        [
            comparisons(names[STRING], "=", string_values(ranks)),
            ranges(names[RANGE], lows, lows + widths),
            memberships(names[LIST], "in", members, sizes, strings=False),
        ],
    )


def make_events(rng: np.random.Generator, parameters: Mapping[str, Any]) -> pa.Table:
    """Events of `event_size` attributes with values from the distributions that the predicates are drawn from."""
    num_events, num_attributes = parameters["num_events"], parameters["num_attributes"]
    present = choose_attributes(rng, np.ones(num_attributes), num_events, parameters["event_size"])
    strings = Zipf(parameters["num_strings"], parameters["string_alpha"])
    columns = {}
    for attribute, name in enumerate(attribute_names(np.arange(num_attributes)).to_pylist()):
        kind = attribute % 3
        if kind == STRING:
            values: npt.NDArray[Any] = np.char.add("v", strings.draw(rng, num_events).astype(str))
        else:
            domain = parameters["range_domain"] if kind == RANGE else parameters["list_domain"]
            values = rng.integers(0, domain, num_events)
        columns[name] = pa.array(values, mask=~present[:, attribute])
    return pa.table(columns)
