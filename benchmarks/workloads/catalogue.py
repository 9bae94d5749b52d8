"""Which workloads are there, and how large are they? One entry a workload, at two scales."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.workloads import cache
from eligo.workloads import (
    abe_gen,
    ads_like,
    conjunctions,
    fontoura_trees,
    offers,
    targeting,
    tatbul_profiles,
    whang_contracts,
)
from eligo.workloads.workload import Generator, Workload

Scale = Literal["small", "full"]

NUM_EVENTS = 2_048
SMALL = 10_000
"""Expressions at scale `small`, which is for trying things out; no figure at that scale means anything."""
SMALL_EVENTS = 6_000
"""Events at scale `small` of a workload whose name says how many it has."""


@dataclass(frozen=True)
class Entry:
    """A workload that experiments can name."""

    name: str
    what: str
    generate: Generator
    version: int
    full: int
    """Expressions at scale `full`."""


WORKLOADS: Mapping[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "abe_gen",
            "A-Tree 2021's synthetic workload: two levels of operators over shared subexpressions",
            abe_gen.generate,
            abe_gen.VERSION,
            1_000_000,
        ),
        Entry(
            "ads_like",
            "like A-Tree 2021's display ads: deep, heavily shared, skewed, many matches",
            ads_like.generate,
            ads_like.VERSION,
            1_392_196,
        ),
        Entry(
            "conjunctions",
            "3 to 5 predicates on 100 attributes, about 70 matches an event in a million",
            conjunctions.generate,
            conjunctions.VERSION,
            1_000_000,
        ),
        Entry(
            "fontoura_trees",
            "Fontoura 2010's alternating trees of depth 3, 15 % of which match an event",
            fontoura_trees.generate,
            fontoura_trees.VERSION,
            150_000,
        ),
        Entry(
            "offers",
            "profiles that compare a new offer with those of a catalogue, some 10,000 distinct joins",
            offers.generate,
            offers.VERSION,
            100_000,
        ),
        Entry(
            "targeting",
            "3 to 5 predicates on 100 attributes by popularity, events with lists, about 70 matches in a million",
            targeting.generate,
            targeting.VERSION,
            1_000_000,
        ),
        Entry(
            "tatbul_profiles",
            "Tatbul 2001's profiles: an interval on each of two attributes, dispersed around an origin",
            tatbul_profiles.generate,
            tatbul_profiles.VERSION,
            100_000,
        ),
        Entry(
            "whang_contracts",
            "Whang 2009's advertising contracts: disjunctions of conjunctions, 12 % of which match an event",
            whang_contracts.generate,
            whang_contracts.VERSION,
            1_000_000,
        ),
    )
}


def variant(name: str, **parameters: Any) -> str:
    """The name of a workload with other parameters than its own: `whang_contracts form="cnf" months=8`."""
    return " ".join([name, *(f"{key}={json.dumps(value)}" for key, value in parameters.items())])


def load(name: str, scale: Scale, seed: int, **parameters: Any) -> Workload:
    """A workload at a scale, with its default parameters unless others are given; kept on disk when it is large.

    Numbers of expressions and events in the name are those of scale `full`; a small workload has fewer.
    """
    name, *named = name.split(" ")
    of_name = {key: json.loads(value) for key, _, value in (part.partition("=") for part in named)}
    if scale == "small" and "num_events" in of_name:
        of_name["num_events"] = min(SMALL_EVENTS, of_name["num_events"])
    parameters = of_name | parameters
    entry = WORKLOADS[name]
    everything = {"num_expressions": entry.full, "num_events": NUM_EVENTS, "seed": seed, **parameters}
    if scale == "small":
        return entry.generate(**{**everything, "num_expressions": min(SMALL, everything["num_expressions"])})
    return cache.load_or_generate(name, entry.generate, entry.version, everything)
