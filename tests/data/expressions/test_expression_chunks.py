"""Do chunks have together what the whole has: the same expressions, ids and rejects, in the same order?"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from eligo.data.expressions.expression_chunks import ExpressionChunks, ReadingRules
from eligo.data.expressions.expression_source import read_expressions
from eligo.errors import DuplicateIdError
from eligo.language.limits import DEFAULT_LIMITS

TEXTS = [f"a = {number}" if number % 5 else "a =" for number in range(23)]
TABLE = pa.table({"id": [f"x{number}" for number in range(23)], "expression": TEXTS})
RULES = ReadingRules(None, DEFAULT_LIMITS)


def chunks(source: Any, rows: int = 10, **rules: Any) -> ExpressionChunks:
    return ExpressionChunks(source, RULES._replace(**rules), rows=rows)


@pytest.mark.parametrize("table", [TABLE, pa.concat_tables([TABLE.slice(0, 4), TABLE.slice(4)])])
def test_chunks_are_together_the_whole(table: pa.Table) -> None:
    whole = read_expressions(table, schema=None, limits=DEFAULT_LIMITS)
    cut = chunks(table)
    found = list(cut)
    assert len(cut) == len(found) == 3
    assert [id for chunk in found for id in chunk.ids.to_pylist()] == whole.ids.to_pylist()
    assert [text for chunk in found for text in chunk.texts.to_pylist()] == whole.texts.to_pylist()
    assert [each.id for chunk in found for each in chunk.rejects] == [each.id for each in whole.rejects]


def test_what_is_small_or_no_table_of_texts_comes_at_once() -> None:
    weights = pa.array([[("a", 2.0)]] * 23, pa.map_(pa.string(), pa.float64()))
    weighted = TABLE.append_column("weights", weights)
    assert len(chunks(TABLE, 23)) == 1
    assert len(chunks(dict(zip(range(23), TEXTS, strict=True)))) == 1
    assert len(chunks(weighted, weights="weights")) == 1
    assert len(chunks(TABLE.set_column(1, "expression", pa.array([{"a": 1}] * 23)))) == 1


def test_an_id_of_two_chunks_is_one_of_the_whole() -> None:
    ids = pa.array([*(f"x{number}" for number in range(22)), "x1"])
    twice = TABLE.set_column(0, "id", ids)
    with pytest.raises(DuplicateIdError):
        chunks(twice)
    found = [chunk for chunk in chunks(twice, on_duplicate="last")]
    texts = dict(
        zip(*([each for chunk in found for each in column(chunk)] for column in (ids_of, texts_of)), strict=True)
    )
    assert texts["x1"] == TEXTS[22] and list(texts)[:2] == ["x1", "x2"]


def ids_of(chunk: Any) -> list[Any]:
    return chunk.ids.to_pylist()


def texts_of(chunk: Any) -> list[Any]:
    return chunk.texts.to_pylist()
