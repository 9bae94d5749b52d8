"""What did Tatbul 2001 measure on? Profiles that are conjunctions of intervals, dispersed around an origin: 4.1.6.

    a0 between 993 and 1003 and a1 between 1018 and 1028           an interval on each attribute, of the same size

How far an interval lies from the origin is a rank of Zipf's distribution, whose skew says how dispersed they are: 0 is
anywhere within `spread`, more is nearer to the origin. In which direction it lies is a coin's toss. Documents have a
value on each attribute, anywhere where intervals can be.

The paper prints two attributes, intervals of size 10, 50 documents and 100 to 1,000 profiles. It says that overlap was
from 1 to 20 % there, and brought from about 10 to 98 % by the size of the intervals, but neither how it is measured nor
skew and domain. Here overlap is the share of pairs of intervals that have a value in common, on average of attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.workloads.predicate_texts import join, join_runs, ranges, to_texts
from eligo.workloads.workload import Workload, expressions_table, random_streams
from eligo.workloads.zipf import Zipf

VERSION = 1
"""Raised whenever the same parameters would give another workload."""

PAPER: Mapping[str, Any] = {"overlap": {"figure 7": (0.01, 0.20), "figure 8": (0.10, 0.98)}, "num_documents": 50}
"""What 4.1.6 prints."""
MOST_CHECKED = 1_000
"""Documents from which the share of matches is counted."""

Numbers = npt.NDArray[np.int64]


class Drawn(NamedTuple):
    """Profiles and documents as numbers."""

    starts: Numbers
    """For each profile and attribute: the first value of its interval."""
    ends: Numbers
    """And the last."""
    documents: Numbers
    """For each document and attribute: its value."""


def generate(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    num_attributes: int = 2,
    interval_size: int = 10,
    origin: int = 1_000,
    spread: int = 1_000,
    skew: float = 0.5,
    block: int = 0,
) -> Workload:
    """Profiles with an interval of `interval_size` on each attribute, up to `spread` away from `origin`."""
    parameters = dict(locals())
    del parameters["block"]
    drawn = draw(**parameters, block=block)
    flat_names = join("a", to_texts(np.tile(np.arange(num_attributes), num_expressions)))
    predicates = ranges(flat_names, drawn.starts.ravel(), drawn.ends.ravel())
    texts = join_runs(np.arange(num_expressions + 1) * num_attributes, predicates, " and ")
    report = {
        "overlap": round(float(np.mean([overlap(*sides) for sides in _by_attribute(drawn)])), 4),
        "paper": list(PAPER["overlap"]["figure 7"]),
        "matching_share": matching_share(drawn),
    }
    events = pa.table({f"a{attribute}": pa.array(drawn.documents[:, attribute]) for attribute in range(num_attributes)})
    return Workload("tatbul_profiles", expressions_table(texts), events, parameters, report)


def draw(
    num_expressions: int,
    num_events: int,
    seed: int,
    *,
    num_attributes: int = 2,
    interval_size: int = 10,
    origin: int = 1_000,
    spread: int = 1_000,
    skew: float = 0.5,
    block: int = 0,
) -> Drawn:
    """The numbers of a workload, without texts."""
    if num_expressions < 1 or num_attributes < 1:
        raise ValueError(f"there are no {num_expressions} profiles over {num_attributes} attributes")
    if interval_size < 0 or spread < 1 or skew < 0:
        raise ValueError(f"size, spread and skew are not {interval_size}, {spread} and {skew}")
    profile_rng, document_rng = random_streams(seed, 2, block)
    shape = (num_expressions, num_attributes)
    distances = Zipf(spread, skew).draw(profile_rng, shape)
    starts = origin + distances * profile_rng.choice((-1, 1), shape)
    documents = document_rng.integers(origin - spread, origin + spread + interval_size, (num_events, num_attributes))
    return Drawn(starts, starts + interval_size, documents)


def _by_attribute(drawn: Drawn) -> list[tuple[Numbers, Numbers]]:
    return [(drawn.starts[:, column], drawn.ends[:, column]) for column in range(drawn.starts.shape[1])]


def overlap(starts: Numbers, ends: Numbers) -> float:
    """The share of pairs of closed intervals that have a value in common; 0 if there are no two."""
    num_pairs = len(starts) * (len(starts) - 1) / 2
    num_apart = int(np.searchsorted(np.sort(ends), starts).sum())
    return 1.0 - num_apart / num_pairs if num_pairs else 0.0


def matching_share(drawn: Drawn) -> float | None:
    """Which share of the profiles a document matches, on average; none without documents."""
    counted = [
        ((drawn.starts <= document) & (document <= drawn.ends)).all(axis=1).mean()
        for document in drawn.documents[:MOST_CHECKED]
    ]
    return round(float(np.mean(counted)), 6) if counted else None
