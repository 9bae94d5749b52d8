"""Which workloads can be made? Each by its name, and by the paper that it comes from."""

from __future__ import annotations

from collections.abc import Mapping

from eligo.errors import InputError
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
from eligo.workloads.workload import Generator

GENERATORS: Mapping[str, Generator] = {
    "abe_gen": abe_gen.generate,
    "ads_like": ads_like.generate,
    "conjunctions": conjunctions.generate,
    "fontoura_trees": fontoura_trees.generate,
    "offers": offers.generate,
    "targeting": targeting.generate,
    "tatbul_profiles": tatbul_profiles.generate,
    "whang_contracts": whang_contracts.generate,
}
"""By name: A-Tree 2021's synthetic workload, one like its display ads, plain conjunctions, Fontoura 2010's trees,
offers against a catalogue, conjunctions on popular attributes, Tatbul 2001's profiles, and Whang 2009's contracts."""


def get(name: str) -> Generator:
    """The generator of a workload."""
    if name not in GENERATORS:
        raise InputError(f"there is no workload {name!r}", help=f"there are {', '.join(sorted(GENERATORS))}")
    return GENERATORS[name]
