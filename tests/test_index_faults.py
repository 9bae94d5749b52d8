"""Is every change whole or not at all, whatever is raised in its middle? Faults at every boundary of a call."""

from __future__ import annotations

from pathlib import Path

import pytest

import eligo
from benchmarks.siege.changes import OPERATIONS, Model, Operation
from benchmarks.siege.fault_points import FAULTS, Injector, boundaries
from benchmarks.siege.faults import inject

POINTS = 30
"""Boundaries that are tried in an ordinary run, of each operation."""


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_fault_leaves_the_state_before_or_after(operation: Operation) -> None:
    model = Model(num_base=50 if "base" in operation.__name__ else 20, num_in_tail=6)
    assert inject(model, operation, FAULTS, POINTS) >= POINTS // 2


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
