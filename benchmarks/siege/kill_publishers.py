"""Is anything lost when a publisher is killed? Killed at every call inside a publication, and at moments of chance.

model       what was acknowledged: id → text
round       a change of some ids, published by a child that is killed at step 0, then 1, then 2, … until none kills it
after each  whoever opens the index finds the model, or the model with the change; if the child ended, the change
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import eligo
from benchmarks.siege.kill_points import StuckError, died_at, wait_for
from benchmarks.siege.tally import Tally
from eligo.errors import EligoError

Model = dict[int, str]

INSIDE_SHARE = 0.85
"""So many of the kills are at a counted call inside a publication; the others come at a moment of chance."""


def kill_publishers(seed: int, num_kills: int) -> Tally:
    """Kill so many publishers of one index."""
    tally = Tally()
    rng = random.Random(f"publishers {seed}")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x.index"
        model: Model = {id: _text(rng) for id in range(40)}
        eligo.build(model).save(path)
        while tally.num_tried < num_kills:
            if rng.random() < INSIDE_SHARE:
                model = _killed_inside(path, model, rng, tally, num_kills)
            else:
                model = _killed_by_chance(path, model, rng, tally)
        leftovers = list(path.rglob("*.tmp"))
        tally.counts["temporary files left for the next removal"] += len(leftovers)
    return tally


def _text(rng: random.Random) -> str:
    return f"age > {rng.randrange(90)} and state in ('CA', 'N{rng.randrange(9)}')"


def _changed(index: eligo.Index, model: Mapping[int, str], rng: random.Random) -> Model:
    """Change an index, and say what it should be after."""
    after = dict(model)
    for _ in range(rng.randrange(1, 6)):
        id = rng.randrange(80)
        if id in after and rng.random() < 0.4:
            index.delete(id)
            del after[id]
        else:
            text = _text(rng)
            index.replace(id, text)
            after[id] = text
    if rng.random() < 0.2:
        index.merge()
    return after


def content(path: Path) -> Model:
    """What an index on disk has, as a reader finds it."""
    index = eligo.open(path)
    return {int(id): index.text(id) for id in index.ids}


def _killed_inside(path: Path, model: Model, rng: random.Random, tally: Tally, num_kills: int) -> Model:
    """Publish one change, killed at every step in turn; each starts from what the last one left."""
    step = 0
    while tally.num_tried < num_kills:
        index = eligo.open(path, merge_at=None)
        after = _changed(index, model, rng)
        try:
            died = died_at(step, lambda index=index: index.publish(path))  # type: ignore[misc]
        except StuckError as error:
            tally.tried()
            tally.fail(f"publisher, step {step}: {error}")
            return content(path)
        if not died:
            found = content(path)
            if found != after:
                tally.fail(f"published, and not there, after {step} steps")
            return found
        tally.tried()
        tally.counts["publishers killed inside a publication"] += 1
        model = _judged(path, model, after, f"publisher killed before call {step}", tally)
        step += 1
    return model


def _killed_by_chance(path: Path, model: Model, rng: random.Random, tally: Tally) -> Model:
    """A child publishes change after change and notes each that was acknowledged; it is killed at some moment."""
    notes = path.with_suffix(".notes")
    notes.unlink(missing_ok=True)
    seed = rng.random()
    child = os.fork()
    if child == 0:
        try:
            _publish_for_ever(path, dict(model), random.Random(seed), notes)
        finally:
            os._exit(1)
    time.sleep(rng.uniform(0.005, 0.3))
    os.kill(child, signal.SIGKILL)
    wait_for(child)
    num_acknowledged = len(notes.read_bytes()) if notes.exists() else 0
    states = _states(model, random.Random(seed), num_acknowledged + 1)
    tally.tried()
    tally.counts["publishers killed at a moment of chance"] += 1
    return _judged(path, states[num_acknowledged], states[num_acknowledged + 1], f"{num_acknowledged} notes", tally)


def _publish_for_ever(path: Path, model: Model, rng: random.Random, notes: Path) -> None:
    index = eligo.open(path, merge_at=None)
    with open(notes, "ab", buffering=0) as file:
        while True:
            model = _changed(index, model, rng)
            index.publish(path)
            file.write(b".")


def _states(model: Model, rng: random.Random, number: int) -> list[Model]:
    """The model before and after each of so many changes, as the child made them."""
    states = [model]
    index = eligo.build(model, merge_at=None)
    for _ in range(number):
        states.append(_changed(index, states[-1], rng))
    return states


def _judged(path: Path, before: Model, after: Model, what: str, tally: Tally) -> Model:
    """What is there now, which must be one of the two, and can be changed further."""
    try:
        found = content(path)
    except EligoError as error:
        tally.fail(f"{what}: cannot be opened: {error}")
        shutil.rmtree(path)
        eligo.build(before).save(path)
        return before
    if found == after:
        tally.counts["kills after which the change was there"] += 1
    elif found != before:
        tally.fail(f"{what}: neither before nor after")
    return found
