"""How much has a kernel to do? What its arrays hold, also behind addresses."""

from __future__ import annotations

import gc
from typing import NamedTuple

import numpy as np

from eligo.kernels import work
from eligo.kernels.addresses import addresses_of
from eligo.kernels.work import work_of


class Two(NamedTuple):
    left: np.ndarray
    right: np.ndarray


def test_arrays_count_wherever_they_are() -> None:
    two = Two(np.zeros(3), np.zeros((4, 5)))
    assert work_of([1, 2.0, np.uint64(3), two, (two, np.zeros(7))]) == 23 + 23 + 7


def test_addresses_count_for_what_they_lead_to() -> None:
    noted = addresses_of([np.zeros(1000), np.zeros(500, np.uint8)])
    assert work_of([noted]) == 1504
    gc.collect()  # of others
    before = len(work._NOTED)
    del noted
    gc.collect()
    assert len(work._NOTED) == before - 1
