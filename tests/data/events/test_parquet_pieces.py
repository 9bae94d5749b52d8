"""Are row groups cut into pieces that cores can share, without decoding rows twice for nothing?"""

from __future__ import annotations

from eligo.data.events.parquet_pieces import MOST_CUTS, RowRange, cut, piece_size


def groups(*sizes: int) -> list[RowRange]:
    return [RowRange("events.parquet", place, 0, size, ()) for place, size in enumerate(sizes)]


def rows(pieces: tuple[tuple[RowRange, ...], ...]) -> list[int]:
    return [sum(part.num_rows for part in piece) for piece in pieces]


def test_row_groups_that_suit_the_cores_stay_whole() -> None:
    sizes = [131_072] * 7 + [82_496]
    pieces = cut(groups(*sizes), piece_size(1_000_000, 2), 250_000)
    assert rows(pieces) == sizes, "a remainder of a few rows would have to decode the whole group again"


def test_a_single_row_group_is_cut_evenly() -> None:
    pieces = cut(groups(1_000_000), piece_size(1_000_000, 2), 250_000)
    assert rows(pieces) == [250_000] * MOST_CUTS
    assert [piece[0].first for piece in pieces] == [0, 250_000, 500_000, 750_000]


def test_one_long_row_group_among_short_ones_is_cut() -> None:
    pieces = cut(groups(800_000, *[1_000] * 200), piece_size(1_000_000, 2), 250_000)
    assert max(rows(pieces)) < 400_000
    assert sum(rows(pieces)) == 1_000_000


def test_short_row_groups_are_gathered_and_empty_ones_do_no_harm() -> None:
    pieces = cut(groups(*[100] * 300, 0), 8_192, 7_500)
    assert sum(rows(pieces)) == 30_000
    assert len(pieces) == 4
    assert cut(groups(0), 8_192, 0) == ()
