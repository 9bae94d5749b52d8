from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.expressions.expression_source import id_array
from eligo.index.id_order import IdOrder

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
numbers = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)


@given(
    ids=st.one_of(st.lists(texts, unique=True), st.lists(numbers, unique=True)),
    others=st.lists(st.one_of(texts, numbers, st.integers())),
    in_order=st.booleans(),
)
def test_every_id_is_found_and_no_other(ids: list[Any], others: list[Any], in_order: bool) -> None:
    ids = sorted(ids) if in_order else ids
    order = IdOrder(id_array(ids))
    order.prepare()
    for id in [*ids, *others]:
        assert order.find(id) == (ids.index(id) if id in ids else None)


@pytest.mark.parametrize("kind", [pa.int64(), pa.large_string()])
def test_of_no_ids_none_is_found(kind: pa.DataType) -> None:
    assert IdOrder(pa.array([], kind)).find("a") is None and IdOrder(pa.array([], kind)).find(0) is None
