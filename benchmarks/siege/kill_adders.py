"""Is a document lost when the process that adds it is killed? Killed at every call of a change, and at any moment.

model       what was acknowledged: number → time and document
inside      a child makes one change of a base, and is killed at step 0, then 1, then 2, … until none kills it
by chance   a child makes change after change and notes each that was acknowledged; it is killed at some moment
after each  whoever opens the base finds the model, or the model with the one change that was not acknowledged
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import eligo
from benchmarks.siege.kill_points import StuckError, died_at, wait_for
from benchmarks.siege.tally import Tally
from eligo.errors import EligoError
from eligo.joins.stored import durable_states

INSIDE_SHARE = 0.04
"""So many of the rounds kill at counted calls inside a change; in the others the kill comes at a moment of chance."""
START = datetime(2024, 1, 1, tzinfo=UTC)


class Model(NamedTuple):
    """What a base should hold."""

    documents: dict[int, tuple[datetime, Any]]
    next_number: int


class Step(NamedTuple):
    """One change."""

    kind: str
    documents: list[dict[str, Any]]
    numbers: list[int]

    @classmethod
    def of(cls, rng: random.Random, model: Model) -> Step:
        """Any change that the model allows."""
        kind = rng.choice(("add", "add", "add", "batch", "large", "remove", "compact"))
        size = {"add": 1, "batch": rng.randrange(1, 8), "large": 40}.get(kind, 0)
        documents = [_document(rng) for _ in range(size)]
        there = sorted(model.documents)
        gone = rng.sample(there, min(len(there), rng.randrange(1, 30))) if kind == "remove" else []
        return cls(kind, documents, gone)

    def made(self, base: eligo.DocumentBase, model: Model) -> None:
        """Make the change of a base that holds the model."""
        moment = _time(model.next_number)
        if self.kind == "add":
            base.add(self.documents[0], time=moment)
        elif self.documents:
            base.add_batch(self.documents, times=moment)
        elif self.numbers:
            base.remove(self.numbers)
        elif self.kind == "compact":
            base.compact()

    def after(self, model: Model) -> Model:
        """The model after the change."""
        documents = {number: kept for number, kept in model.documents.items() if number not in set(self.numbers)}
        moment = _time(model.next_number)
        for place, document in enumerate(self.documents):
            documents[model.next_number + place] = (moment, document)
        return Model(documents, model.next_number + len(self.documents))


def _document(rng: random.Random) -> dict[str, Any]:
    return {
        "price": (rng.randrange(1000),),
        "title": (f"title {rng.randrange(10**6)}" * rng.randrange(1, 4),),
        "tags": tuple(f"tag {number}" for number in range(rng.randrange(1, 4))),
    }


def _time(number: int) -> datetime:
    return START + timedelta(seconds=number)


def kill_adders(seed: int, num_kills: int) -> Tally:
    """Kill so many processes that add to one base."""
    tally = Tally()
    rng = random.Random(f"adders {seed}")
    with tempfile.TemporaryDirectory() as directory, small_logs():
        path = Path(directory) / "x.base"
        model = Model({}, 0)
        eligo.DocumentBase(path).close()
        while tally.num_tried < num_kills:
            if rng.random() < INSIDE_SHARE:
                model = _killed_inside(path, model, rng, tally, num_kills)
            else:
                model = _killed_by_chance(path, model, rng, tally)
    return tally


@contextmanager
def small_logs() -> Iterator[None]:
    """Logs become files early, so that kills meet that too."""
    kept = durable_states.CHECKPOINT_BYTES, durable_states.LARGE_CHANGE
    durable_states.CHECKPOINT_BYTES, durable_states.LARGE_CHANGE = 3000, 30
    try:
        yield
    finally:
        durable_states.CHECKPOINT_BYTES, durable_states.LARGE_CHANGE = kept


def content(path: Path, tally: Tally, *, read_only: bool = False) -> Model:
    """What a base on disk has, as whoever opens it finds it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        base = eligo.DocumentBase(path, read_only=read_only)
    tally.counts["torn tails cut off"] += len(told)
    documents = {number: (base.time_of(number), document) for number, document in base.snapshot().documents()}
    found = Model(documents, base.stats().next_number)
    if not read_only:
        base.close()
    return found


def _killed_inside(path: Path, model: Model, rng: random.Random, tally: Tally, num_kills: int) -> Model:
    notes = path.with_suffix(".notes")
    number = 0
    while tally.num_tried < num_kills:
        step = Step.of(rng, model)
        notes.unlink(missing_ok=True)
        try:
            died = died_at(number, lambda step=step, model=model: _one_change(path, step, model, notes))  # type: ignore[misc]
        except StuckError as error:
            tally.tried()
            tally.fail(f"adder, step {number}: {error}")
            return content(path, tally)
        after = step.after(model)
        if not died:
            found = content(path, tally)
            if found != after:
                tally.fail(f"{step.kind} acknowledged, and not there, after {number} steps")
            return found
        tally.tried()
        tally.counts["adders killed inside a change"] += 1
        before = after if notes.exists() else model
        model = _judged(path, before, after, f"{step.kind} killed before call {number}", rng, tally)
        number += 1
    return model


def _one_change(path: Path, step: Step, model: Model, notes: Path) -> None:
    base = eligo.DocumentBase(path)
    step.made(base, model)
    notes.write_bytes(b".")
    base.close()


def _killed_by_chance(path: Path, model: Model, rng: random.Random, tally: Tally) -> Model:
    notes = path.with_suffix(".notes")
    notes.unlink(missing_ok=True)
    seed = rng.random()
    child = os.fork()
    if child == 0:
        try:
            _change_for_ever(path, model, random.Random(seed), notes)
        finally:
            os._exit(1)
    time.sleep(rng.uniform(0.005, 0.25))
    os.kill(child, signal.SIGKILL)
    wait_for(child)
    num_acknowledged = len(notes.read_bytes()) if notes.exists() else 0
    states = [model]
    steps = random.Random(seed)
    for _ in range(num_acknowledged + 1):
        states.append(Step.of(steps, states[-1]).after(states[-1]))
    tally.tried()
    tally.counts["adders killed at a moment of chance"] += 1
    tally.counts["changes acknowledged before that"] += num_acknowledged
    return _judged(path, *states[-2:], f"killed after {num_acknowledged} changes", rng, tally)


def _change_for_ever(path: Path, model: Model, rng: random.Random, notes: Path) -> None:
    base = eligo.DocumentBase(path)
    with open(notes, "ab", buffering=0) as file:
        while True:
            step = Step.of(rng, model)
            step.made(base, model)
            file.write(b".")
            model = step.after(model)


def _judged(path: Path, before: Model, after: Model, what: str, rng: random.Random, tally: Tally) -> Model:
    """What is there now, which must be one of the two, and can be changed further."""
    try:
        found = content(path, tally, read_only=rng.random() < 0.5)
    except EligoError as error:
        tally.fail(f"{what}: cannot be opened: {error}")
        shutil.rmtree(path)
        eligo.DocumentBase(path).close()
        return Model({}, 0)
    if found == after:
        tally.counts["kills after which the change was there"] += 1
    elif found != before:
        tally.fail(f"{what}: neither before nor after")
    return found
