"""Are spilled arrays the same, mapped from a file that nobody sees, and kept in memory where there is no disk?"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eligo.storage.spilled import spilled_arrays
from eligo.storage.spilled.spilled_arrays import VARIABLE, spilled

ARRAYS = {
    "numbers": np.arange(5_000, dtype=np.uint32),
    "none": np.zeros(0, np.float64),
    "flags": np.array([True, False, True]),
    "wide": np.arange(9, dtype=np.float64)[::2],
}


def test_spilled_arrays_are_the_same_and_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    found = spilled(ARRAYS, least=0)
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype and found[name].tolist() == array.tolist()
        assert isinstance(owner(found[name]), mmap.mmap) and not found[name].flags.writeable
        assert found[name].__array_interface__["data"][0] % mmap.PAGESIZE == 0 or not len(array)
    assert os.listdir(tmp_path) == []  # the file has no name


def owner(array: Any) -> Any:
    while isinstance(array, np.ndarray):
        array = array.base
    return array.obj if isinstance(array, memoryview) else array


@pytest.mark.parametrize("place", ["", "/nowhere", "/proc", "/dev/shm"])
def test_without_a_disk_arrays_stay_as_they_are(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, place)
    if place == "/dev/shm" and not os.path.isdir(place):
        pytest.skip("there is no file system in memory")
    assert all(spilled(ARRAYS, least=0)[name] is array for name, array in ARRAYS.items())


def test_small_arrays_and_full_disks_leave_arrays_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert spilled(ARRAYS)["numbers"] is ARRAYS["numbers"]
    monkeypatch.setattr(spilled_arrays, "KEPT_FREE", 1 << 50)
    assert spilled(ARRAYS, least=0)["numbers"] is ARRAYS["numbers"]
