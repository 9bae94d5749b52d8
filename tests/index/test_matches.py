from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eligo.engines.protocol import MatchArrays
from eligo.index.matches import chosen, joined

rows_of_positions = st.lists(st.lists(st.integers(0, 9), unique=True, max_size=4).map(sorted), min_size=3, max_size=3)


def arrays(rows: list[list[int]]) -> MatchArrays:
    offsets = np.cumsum([0, *(len(row) for row in rows)]).astype(np.uint64)
    return MatchArrays(offsets, np.array([position for row in rows for position in row], np.uint32))


def rows(matches: MatchArrays) -> list[list[int]]:
    bounds = matches.offsets.tolist()
    return [matches.positions[a:b].tolist() for a, b in pairwise(bounds)]


@given(sources=st.lists(rows_of_positions, max_size=4))
def test_joined_rows_stand_side_by_side(sources: list[list[list[int]]]) -> None:
    starts = [10 * number for number in range(len(sources))]
    found = joined([arrays(source) for source in sources], starts, 3)
    expected = [
        [start + position for start, source in zip(starts, sources, strict=True) for position in source[row]]
        for row in range(3)
    ]
    assert rows(found) == expected and found.positions.dtype == np.uint32 and found.offsets.dtype == np.uint64


@given(given_rows=rows_of_positions, keep=st.sets(st.integers(0, 9)))
def test_chosen_rows_keep_their_events(given_rows: list[list[int]], keep: set[int]) -> None:
    matches = arrays(given_rows)
    found = chosen(matches, np.isin(matches.positions, list(keep)))
    assert rows(found) == [[position for position in row if position in keep] for row in given_rows]
