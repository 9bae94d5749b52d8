"""What do tests of benchmarks share? Workloads that are made in no time."""

from __future__ import annotations

import pytest

from benchmarks.workloads import catalogue


@pytest.fixture
def tiny_workloads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SMALL", 300)
    monkeypatch.setattr(catalogue, "NUM_EVENTS", 160)
    monkeypatch.setattr(catalogue, "SMALL_EVENTS", 400)
