"""Is every answer the oracle's? Worlds of expressions and events, through every engine and every way of asking.

A world is built, or built by half and inserted by half, saved, opened, merged; it is asked in batches, one by one, for
counts and for the best; each answer is compared with the whole table of what the oracle says.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import eligo
from benchmarks.siege.tally import Tally
from benchmarks.siege.truth_table import truth_table
from benchmarks.siege.worlds import World, make_world
from eligo.engines import registry
from eligo.errors import NormalFormTooLargeError
from eligo.language.evaluate import Missing, matches
from eligo.language.score import score, score_units

NUM_TREES, NUM_EVENTS = 400, 2_500
NUM_CHECKED = 60
"""Pairs of a world for which the table itself is compared with the oracle's evaluation of the whole tree."""
FEW_INSERTED = 20
"""Expressions that are inserted where the engine has to try each of them."""
NUM_ALONE = 12
"""Events of a world that are also asked one by one, and for their best."""

Table = npt.NDArray[np.bool_]


def compare_worlds(first_seed: int, num_pairs: int) -> Tally:
    """Compare at least so many pairs of expression and event, over the worlds from a seed on."""
    tally = Tally()
    seed = first_seed
    while tally.num_tried < num_pairs:
        compare_world(seed, tally)
        seed += 1
    return tally


def compare_world(seed: int, tally: Tally, num_trees: int = NUM_TREES, num_events: int = NUM_EVENTS) -> None:
    """All pairs of one world, under one policy, by two engines: the default one and another."""
    world = make_world(seed, num_trees, num_events)
    missing: Missing = ("unknown", "false")[seed % 2]
    table = truth_table(world.trees, world.events, missing)
    rng = random.Random(f"pairs {seed}")
    _check_table(world, table, missing, rng, tally)
    others = [name for name in registry.names() if name != registry.DEFAULT_ENGINE]
    for engine in (registry.DEFAULT_ENGINE, others[seed // 2 % len(others)]):
        _compare_engine(world, table, missing, engine, rng, tally)
    tally.tried(table.size)
    tally.counts["worlds"] += 1
    tally.counts["pairs that match"] += int(table.sum())


def _check_table(world: World, table: Table, missing: Missing, rng: random.Random, tally: Tally) -> None:
    for _ in range(NUM_CHECKED):
        tree, event = rng.randrange(len(world.trees)), rng.randrange(len(world.events))
        if matches(world.trees[tree], world.events[event], missing) != table[tree, event]:
            tally.fail(f"world {world.seed}: the table is not the oracle's for tree {tree}, event {event}, {missing!r}")


def _compare_engine(
    world: World, table: Table, missing: Missing, engine: str, rng: random.Random, tally: Tally
) -> None:
    kept = _taken(world, engine, missing)
    tally.counts[f"expressions that {engine} takes"] += len(kept)
    what = f"world {world.seed}, {engine}, missing={missing!r}"
    how = world.seed % 3
    given = [(place, world.trees[place]) for place in kept]
    rng.shuffle(given)
    num_inserted = len(given) // 2 if _takes_any_shape(engine) else FEW_INSERTED
    num_built = len(given) - (num_inserted if how else 0)
    index = eligo.build(given[:num_built], engine=engine, missing=missing, merge_at=None)
    for place, tree in given[num_built:]:
        index.insert(place, tree)
    if how == 2:
        for place, tree in rng.sample(given, num_inserted // 2):
            index.replace(place, tree)
        for place, _ in rng.sample(given, len(given) // 5):
            index.delete(place)
    _compare_index(index, world, table, f"{what}, {('built', 'half inserted', 'changed')[how]}", rng, tally)
    with tempfile.TemporaryDirectory() as directory:
        index.save(Path(directory) / "x.index")
        opened = eligo.open(Path(directory) / "x.index")
        _compare_index(opened, world, table, f"{what}, opened", rng, tally)
    index.merge()
    _compare_index(index, world, table, f"{what}, merged", rng, tally)


def _takes_any_shape(engine: str) -> bool:
    """Whether no expression is refused; one that is chosen takes what it was chosen for."""
    return engine == registry.AUTO or registry.get(engine).capabilities.takes_any_shape


def _taken(world: World, engine: str, missing: Missing) -> list[int]:
    """The places of the trees that an engine takes; some have too large a normal form for some engines."""
    places = list(range(len(world.trees)))
    if _takes_any_shape(engine):
        return places
    try:
        eligo.build([(place, world.trees[place]) for place in places], engine=engine, missing=missing)
    except NormalFormTooLargeError as error:
        return [place for place in places if place not in set(error.rows)]
    return places


def _compare_index(index: eligo.Index, world: World, table: Table, what: str, rng: random.Random, tally: Tally) -> None:
    ids = np.array(index.ids, np.int64)
    wanted = table[ids]
    found = index.match_batch(world.events)
    answered = np.zeros_like(wanted)
    rows = np.repeat(np.arange(len(world.events)), np.diff(found.offsets.astype(np.int64)))
    answered[found.positions, rows] = True
    if not np.array_equal(answered, wanted):
        differing = np.argwhere(answered != wanted)
        tally.fail(f"{what}: match_batch differs for (tree, event) {_pairs(ids, differing)}", len(differing))
    counts = index.count_batch(world.events)
    if not np.array_equal(counts, wanted.sum(axis=1)):
        tally.fail(f"{what}: count_batch differs")
    for row in rng.sample(range(len(world.events)), min(NUM_ALONE, len(world.events))):
        event = world.events[row]
        expected = ids[wanted[:, row]].tolist()
        if index.match(event) != expected:
            tally.fail(f"{what}: match of event {row} differs")
        n = rng.choice((1, 5, len(expected) + 1))
        if index.top(event, n, weights=world.weights) != _best(world, event, expected, n, index.missing):
            tally.fail(f"{what}: top {n} of event {row} differs")
    tally.counts["answers compared"] += wanted.size


def _pairs(ids: npt.NDArray[np.int64], differing: npt.NDArray[np.intp]) -> Sequence[tuple[int, int]]:
    return [(int(ids[place]), int(row)) for place, row in differing[:3]]


def _best(
    world: World, event: dict[str, Any], places: Sequence[int], n: int, missing: Missing
) -> list[tuple[int, float]]:
    """The n best of some trees that match, by the oracle; among equal ones those that come first."""
    units = {place: score_units(world.trees[place], event, missing, weights=world.weights) for place in places}
    ranked = sorted(places, key=lambda place: -(units[place] or 0))  # a stable sort: equal ones stay in their order
    return [(place, score(world.trees[place], event, missing, weights=world.weights) or 0.0) for place in ranked[:n]]
