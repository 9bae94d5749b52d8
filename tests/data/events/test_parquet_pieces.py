"""Are row groups cut into pieces that cores can share, and strings read as the file keeps them?"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import eligo
from eligo.data.events.parquet_pieces import MOST_CUTS, ParquetColumn, RowRange, cut, piece_size, read_pieces


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


def read(path: Path, *columns: ParquetColumn, as_words: tuple[str, ...], **partition: str) -> pa.Table:
    """All rows of a file of one row group."""
    num_rows = pq.read_metadata(path).num_rows
    piece = (RowRange(str(path), 0, 0, num_rows, tuple(partition.items())),)
    numbers = iter([pa.record_batch([[0]], names=["piece"])])
    return pa.Table.from_batches(read_pieces(numbers, [piece], columns, as_words))


WORDS = pa.dictionary(pa.int32(), pa.string())


def test_strings_that_are_a_dictionary_in_the_file_stay_one(tmp_path: Path) -> None:
    rows = pa.table(
        {
            "few": ["a", None, "b", "a"] * 500,
            "listed": [["a", "b"], None, [], ["c", None]] * 500,
            "many": [f"a long string of its own, {row}" for row in range(2_000)],
            "number": [1, 2, None, 1] * 500,
            "kept": ["x", "y", "x", None] * 500,
            "cast": ["1", "2", None, "1"] * 500,
        }
    )
    pq.write_table(rows, tmp_path / "events.parquet")
    columns = [ParquetColumn(name, name) for name in rows.column_names if name != "cast"]
    columns += [ParquetColumn("kept", "_eligo_0"), ParquetColumn("cast", "cast", pa.int64())]
    found = read(tmp_path / "events.parquet", *columns, as_words=tuple(rows.column_names))
    kinds = {name: found.schema.field(name).type for name in found.column_names}
    assert kinds["few"] == WORDS and kinds["listed"].value_type == WORDS
    assert kinds["many"] == kinds["kept"] == kinds["_eligo_0"] == pa.string(), "copied columns stay what they were"
    assert kinds["number"] == kinds["cast"] == pa.int64()
    assert found.drop_columns(["_eligo_0", "cast"]).to_pylist() == rows.drop_columns(["cast"]).to_pylist()
    assert found["cast"].to_pylist() == [1, 2, None, 1] * 500
    plain = read(tmp_path / "events.parquet", *columns, as_words=())
    assert plain.schema.field("few").type == pa.string()
    assert plain.to_pylist() == found.to_pylist()


def test_what_a_directory_says_counts_and_no_dictionary_is_made_where_the_file_has_none(tmp_path: Path) -> None:
    rows = pa.table({"country": ["FR", "DE"] * 500, "plain": ["a", "b"] * 500})
    pq.write_table(rows, tmp_path / "events.parquet", use_dictionary=["country"])
    columns = [ParquetColumn("country", "country", None, pa.string()), ParquetColumn("plain", "plain", pa.string())]
    found = read(tmp_path / "events.parquet", *columns, as_words=("country", "plain"), country="IT")
    assert found.schema.types == [pa.string(), pa.string()]
    assert set(found["country"].to_pylist()) == {"IT"}


def test_the_same_events_match_with_and_without_dictionaries(tmp_path: Path) -> None:
    rows = pa.table(
        {
            "word": ["a", None, "b", "a", "é"] * 400,
            "words": [["a", "b"], None, [], ["c", None], ["é"]] * 400,
            "number": [1, 2, None, 1, 4] * 400,
        }
    )
    index = eligo.build(
        {
            1: "word = 'a' and number < 2",
            2: "words in ('b', 'é')",
            3: "word is null or not words in ('c')",
            4: "word in ('é', 'z')",
        }
    )
    expected = index.match_batch(rows).to_arrow()
    answers = []
    for dictionaries in (True, False):
        path = tmp_path / f"{dictionaries}.parquet"
        pq.write_table(rows, path, use_dictionary=dictionaries)
        found = read(path, *(ParquetColumn(name, name) for name in rows.column_names), as_words=("word", "words"))
        assert (found.schema.field("word").type == WORDS) is dictionaries
        answers.append(index.match_batch(found).to_arrow())
    assert answers[0].equals(expected) and answers[1].equals(expected)
    assert len(expected) > 1_000
