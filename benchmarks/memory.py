"""How much memory does an index hold? All arrays of its engine, table and vocabulary, without ids and source text."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from eligo import Index


def index_bytes(index: Index) -> dict[str, int]:
    """Bytes by owner; an array that two owners share counts once, for the engine."""
    counted = {_place(array) for array in index.engine.arrays().values()}
    sizes = {"engine": index.engine.stats().num_bytes}
    for owner, part in (("table", index.engine.table), ("vocabulary", index.vocabulary)):
        arrays = part.arrays().values()
        sizes[owner] = sum(array.nbytes for array in arrays if _place(array) not in counted)
        counted |= {_place(array) for array in arrays}
    return sizes


def _place(array: npt.NDArray[Any]) -> tuple[int, int]:
    """Where an array lies; empty ones may share an address, and count nothing anyway."""
    return int(array.__array_interface__["data"][0]), array.nbytes
