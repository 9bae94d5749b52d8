"""Is a change whole or not at all, whatever is raised in its middle? Exceptions at the boundaries of calls, in turn."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.siege.changes import OPERATIONS, Model, Operation
from benchmarks.siege.fault_points import FAULTS, Injector, boundaries
from benchmarks.siege.silence import in_silence
from benchmarks.siege.tally import Tally

POINTS = 60
"""Boundaries of an operation that are tried in one go; which ones depends on the seed."""


def inject_faults(seed: int, number: int) -> Tally:
    """Break changes off so many times, in every kind of change."""
    tally = Tally()
    with in_silence():  # a merge that is broken off says so, each time
        while tally.num_tried < number:
            operation = OPERATIONS[seed % len(OPERATIONS)]
            _attack(operation, seed, min(POINTS, number - tally.num_tried), tally)
            seed += 1
    return tally


def _attack(operation: Operation, seed: int, points: int, tally: Tally) -> None:
    model = Model(num_base=50 if "base" in operation.__name__ else 20, num_in_tail=6)
    kinds = FAULTS[seed % len(FAULTS) :] + FAULTS[: seed % len(FAULTS)]
    before = tally.num_tried
    try:
        num_faults = inject(model, operation, kinds, points, first=seed)
    except Exception as error:
        tally.fail(f"{operation.__name__}, seed {seed}: {type(error).__name__}: {error}"[:500])
        num_faults = 1
    tally.tried(num_faults)
    tally.counts[f"faults in {operation.__name__}"] += tally.num_tried - before


def inject(
    model: Model,
    operation: Operation,
    kinds: Sequence[type[BaseException]],
    points: int | None,
    *,
    first: int = 0,
) -> int:
    """Break the operation off at its boundaries in turn, all on one index; returns how many faults there were.

    With `points`, only at about so many of them, beginning at one that depends on `first`.
    """
    for _ in range(2):  # the first time makes what is kept for all later ones, and has many more boundaries
        run, after = operation(model)
        end = boundaries(run)
        model.settle(model.texts, after, where="without a fault")
    step = 1 if points is None else max(1, end // points)
    return inject_at(range(1 + (end + first) % step, end + 1, step), model, operation, kinds)


def inject_at(
    places: Sequence[int],
    model: Model,
    operation: Operation,
    kinds: Sequence[type[BaseException]],
    apart: tuple[str, ...] = (),
) -> int:
    """Break the operation off at these boundaries, counted without those in code `apart`."""
    faults = 0
    for number, at in enumerate(places):
        run, after = operation(model)
        before = model.texts
        injector = Injector(at, kinds[number % len(kinds)], apart)
        faults += injector.run(run) is not None
        model.settle(after, before, where=f"boundary {at}: {injector.where}")
        if number % 7 == 0:
            model.go_on()
    model.index.merge()
    model.check("after a merge", frozen=True)
    return faults
