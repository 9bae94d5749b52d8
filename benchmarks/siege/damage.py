"""Does what is damaged answer? Files of an index with flipped bits, cut off, exchanged, emptied or gone.

Whoever did it did not mend the checksums (see `forge` for those who do). Each time the index is opened and asked: what
comes is a typed error, or the answer that it gave before.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import eligo
from benchmarks.siege.tally import Tally
from benchmarks.siege.worlds import World, make_world
from eligo.engines import registry
from eligo.errors import EligoError
from eligo.storage.manifest import MANIFEST_NAME

NUM_TREES, NUM_EVENTS = 60, 20


def damage_files(engine: str, seed: int, number: int) -> Tally:
    """Damage the files of an index of one engine so many times, each time alone."""
    tally = Tally()
    rng = random.Random(f"damage {engine} {seed}")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x.index"
        world = _published(path, engine, seed)
        before, earlier = answers(path, world), answers(path, world, version=1)
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.name != "publish.lock")
        for _ in range(number):
            file = rng.choice(files)
            kind, harm = rng.choice(HARMS)
            what = f"{engine}, seed {seed}: {kind} {file.parent.name}/{file.name[:8]}"
            good = file.read_bytes()
            try:
                _replace(file, harm(good, rng, files))
                tally.tried()
                tally.counts[f"files {kind}"] += 1
                # A whole manifest of an earlier version is not damaged: it is that version, as from a copy kept apart.
                right = [before, earlier] if file.name == MANIFEST_NAME and kind == "exchanged" else [before]
                _judge(path, world, right, what, tally)
            finally:
                _replace(file, good)
        if answers(path, world) != before:
            tally.fail(f"{engine}, seed {seed}: mended, and answers otherwise")
    return tally


def _published(path: Path, engine: str, seed: int) -> World:
    """An index with a base, a delta, tombstones and a kept version."""
    world = make_world(seed, NUM_TREES, NUM_EVENTS)
    given = list(enumerate(world.trees))
    index = eligo.build(given, engine=engine, on_error="reject", merge_at=None)
    index.save(path)
    for id in index.ids[:3]:
        index.delete(id)
    index.insert(1_000, "n = 1 or s = 'x'")
    index.save(path)
    return world


def answers(path: Path, world: World, version: int | None = None) -> Any:
    """What an index on disk says of the events of a world."""
    index = eligo.open(path, version=version)
    found = index.match_batch(world.events)
    return index.ids, found.offsets.tolist(), found.positions.tolist(), index.top(world.events[0], 3)


def _judge(path: Path, world: World, right: list[Any], what: str, tally: Tally) -> None:
    try:
        found = answers(path, world)
    except EligoError:
        tally.counts["refused with a typed error"] += 1
    except Exception as error:
        tally.fail(f"{what}: {type(error).__name__}: {error}")
    else:
        tally.counts["without effect on the live version"] += 1
        if found not in right:
            tally.fail(f"{what}: another answer")


def _replace(file: Path, data: bytes | None) -> None:
    """Put a new file in the place of one, so that what has the old one mapped keeps it."""
    if data is None:
        file.unlink()
        return
    aside = file.with_name("aside")
    aside.write_bytes(data)
    shutil.move(aside, file)


def _flipped(data: bytes, rng: random.Random, _: list[Path]) -> bytes:
    changed = bytearray(data)
    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _overwritten(data: bytes, rng: random.Random, _: list[Path]) -> bytes:
    start = rng.randrange(len(data))
    length = rng.choice((1, 8, 64, 4096))
    filling = rng.choice((b"\0", b"\xff")) * length
    return (data[:start] + filling)[: len(data)] + data[start + length :]


def _cut(data: bytes, rng: random.Random, _: list[Path]) -> bytes:
    return data[: rng.randrange(len(data))]


def _lengthened(data: bytes, rng: random.Random, _: list[Path]) -> bytes:
    return data + rng.randbytes(rng.choice((1, 64, 4096)))


def _exchanged(_: bytes, rng: random.Random, files: list[Path]) -> bytes:
    return rng.choice(files).read_bytes()


def _gone(_: bytes, __: random.Random, ___: list[Path]) -> None:
    return None


Harm = Callable[[bytes, random.Random, list[Path]], bytes | None]
HARMS: tuple[tuple[str, Harm], ...] = (
    ("flipped", _flipped),
    ("flipped", _flipped),
    ("flipped", _flipped),
    ("overwritten", _overwritten),
    ("cut", _cut),
    ("lengthened", _lengthened),
    ("exchanged", _exchanged),
    ("removed", _gone),
)

ENGINES = tuple(registry.names())
