"""Is every change whole or not at all, whatever is raised in its middle? Faults at every boundary of a call."""

from __future__ import annotations

from pathlib import Path

import pytest

import eligo
from benchmarks.siege.changes import (
    OPERATIONS,
    Model,
    Operation,
    change_several,
    delete_in_base,
    delete_in_tail,
    freeze_the_tail,
    insert,
    merge,
    replace_in_base,
    replace_in_tail,
)
from benchmarks.siege.fault_points import ASIDE, FAULTS, STATELESS, Injector, boundaries
from benchmarks.siege.faults import inject, inject_at

POINTS = 30
"""Boundaries that are tried in an ordinary run, of each operation on large expressions."""
CHANGES = (
    insert,
    replace_in_tail,
    replace_in_base,
    delete_in_tail,
    delete_in_base,
    change_several,
    merge,
    freeze_the_tail,
)
CHUNK = 40
"""Faults that one index goes through; it is built of twice as many expressions."""


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_fault_leaves_the_state_before_or_after(operation: Operation) -> None:
    model = Model(num_base=50 if "base" in operation.__name__ else 20, num_in_tail=6)
    assert inject(model, operation, FAULTS, POINTS) >= POINTS // 2


@pytest.mark.parametrize("operation", CHANGES)
def test_a_fault_at_every_boundary_of_a_change(operation: Operation) -> None:
    apart = STATELESS if operation not in (merge, freeze_the_tail) else ASIDE
    num_faults, start = 0, 1
    while True:  # until a change ends before any of the boundaries at which it would be broken off
        kinds = FAULTS[start % len(FAULTS) :] + FAULTS[: start % len(FAULTS)]
        model = Model(num_base=2 * CHUNK, num_in_tail=3, short=True)
        found = inject_at(range(start, start + CHUNK), model, operation, kinds, apart)
        if not found:
            break
        num_faults, start = num_faults + found, start + CHUNK
    assert num_faults >= 50


@pytest.mark.long
@pytest.mark.parametrize("raising", FAULTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_fault_at_every_boundary(operation: Operation, raising: type[BaseException]) -> None:
    model = Model(num_base=3_000 if "base" in operation.__name__ else 20, num_in_tail=6)
    assert inject(model, operation, (raising,), None) >= 50


def test_a_fault_while_publishing_changes_nothing_that_is_live(tmp_path: Path) -> None:
    model = Model(num_base=20, num_in_tail=3)
    end = boundaries(lambda: model.index.publish(tmp_path / "first"))
    for at in range(1, end, max(1, end // POINTS)):
        model.insert()
        injector = Injector(at, KeyboardInterrupt)
        injector.run(lambda: model.index.publish(tmp_path / "index"))
        model.check(injector.where)
    model.index.save(tmp_path / "last")
    assert eligo.open(tmp_path / "last").ids == list(model.texts)
