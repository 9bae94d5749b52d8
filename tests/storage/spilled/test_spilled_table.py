"""Does a table that came batch by batch say the same once it waits in a file?"""

from __future__ import annotations

import pyarrow as pa
import pytest

from eligo.storage.spilled.spilled_arrays import VARIABLE
from eligo.storage.spilled.spilled_table import spill_table

TABLE = pa.table({"id": [1, 2, 3], "expression": pa.array(["a", None, "c d"], pa.large_string())})


@pytest.mark.parametrize("place", [None, ""])
def test_a_spilled_table_is_the_same(place: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if place is not None:
        monkeypatch.setenv(VARIABLE, place)
    waiting = spill_table(TABLE.to_reader(max_chunksize=2))
    for _ in range(2):
        assert waiting.table.equals(TABLE)
        waiting.let_go()
    assert spill_table(TABLE.slice(0, 0).to_reader()).table.equals(TABLE.slice(0, 0))
