from __future__ import annotations

import eligo
from benchmarks.memory import index_bytes


def test_every_owner_of_arrays_counts() -> None:
    for engine in ("a_tree", "scan"):
        index = eligo.build({0: "a = 1 and b < 5", 1: "c = 'x'"}, engine=engine)
        sizes = index_bytes(index)
        assert sizes["engine"] == index.stats().num_bytes > 0
        assert sizes["table"] == sum(array.nbytes for array in index.engine.table.arrays().values()) > 0
        assert sizes["vocabulary"] == sum(array.nbytes for array in index.vocabulary.arrays().values()) > 0
