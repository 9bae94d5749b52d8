"""Does every Arrow type, in every place, give an answer or an error of ours?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import eligo
from eligo.data.expressions.expression_source import read_expressions
from eligo.errors import EligoError
from eligo.language.limits import DEFAULT_LIMITS
from tests.arrow_types import arrays, texts, wrapped

ARRAYS = arrays()
INDEX = eligo.build(
    {
        "number": "x = 1 or x.a = 1",
        "text": "x = 'a' or x.a = 'a'",
        "there": "x exists or x.a exists",
        "guard": "\"@tenant\" = 'a' and \"@time\" > timestamp '2020-01-01T00:00:00Z'",
    }
)
SCHEMAS = [
    None,
    eligo.Schema.from_dict({"x": "int", "x.a": "timestamp"}),
    eligo.Schema.from_dict({"x": "list[string]"}, closed=True),
]
TEXTS = ["x = 1", "x = 2", "x = 3"]


def from_arrow(table: pa.Table, **options: Any) -> Any:
    return eligo.EventBatch.from_arrow(table, INDEX.vocabulary, on_error="reject", **options)


def expressions(weigh_by: str | None = None, **columns: Any) -> Any:
    """What `build` does first with a table."""
    return read_expressions(pa.table(columns), schema=None, limits=DEFAULT_LIMITS, weights=weigh_by)


PLACES: dict[str, Callable[[pa.Array], Any]] = {
    "attribute": lambda array: INDEX.match_batch(pa.table({"x": array})),
    "rejects": lambda array: from_arrow(pa.table({"x": array})),
    "slice": lambda array: from_arrow(pa.table({"x": array}).slice(1, 1)),
    "nothing": lambda array: from_arrow(pa.table({"x": array}).slice(0, 0)),
    "id": lambda array: from_arrow(pa.table({"event_id": array, "x": [1, 2, 3]}), exclude="event_id"),
    "map column": lambda array: eligo.EventBatch.from_map_column(array, INDEX.vocabulary, on_error="reject"),
    "weights": lambda array: from_arrow(pa.table({"x": [1, 2, 3], "w": array}), weights_column="w"),
    "tenant": lambda array: INDEX.match_batch(pa.table({"@tenant": array})),
    "time": lambda array: INDEX.match_batch(pa.table({"@time": array})),
    "expression id": lambda array: expressions(id=array, expression=TEXTS),
    "one expression id": lambda array: expressions(id=array.slice(0, 1), expression=TEXTS[:1]),
    "expression": lambda array: expressions(id=[1, 2, 3], expression=array),
    "expression weights": lambda array: expressions("weights", id=[1, 2, 3], expression=TEXTS, weights=array),
}


@pytest.mark.parametrize("place", PLACES)
def test_an_answer_or_an_error_of_ours(place: str) -> None:
    answers = 0
    for name, array in ARRAYS.items():
        try:
            PLACES[place](array)
            answers += 1
        except EligoError as error:
            assert str(error)
        except Exception as error:
            pytest.fail(f"{name} as {place}: {error!r}")
    assert answers > 0 or place == "expression id"  # which has a null


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("from_text", [False, True])
def test_with_schemas_and_texts(schema: eligo.Schema | None, from_text: bool) -> None:
    for name, array in ARRAYS.items():
        try:
            from_arrow(pa.table({"x": array}), schema=schema, from_text=from_text)
        except EligoError:
            continue
        except Exception as error:
            pytest.fail(f"{name}: {error!r}")


def matches(array: pa.Array) -> list[list[Any]]:
    found = INDEX.match_batch(pa.table({"x": array}))
    return [sorted(found.ids(row)) for row in range(3)]


@pytest.mark.parametrize("name", ["string", "large_string", "string_view", "int64", "bool", "date32", "decimal128"])
def test_wrappings_and_containers_change_no_answer(name: str) -> None:
    expected = matches(ARRAYS[name])
    assert expected[0] and not expected[1]
    alike = [other for other in ARRAYS if other.endswith(f"<{name}>") and "list" in other and other.count("<") == 1]
    alike += [other for other in ARRAYS if other in (f"dictionary of {name}", f"runs of {name}")]
    assert len(alike) >= 5
    for other in alike:
        assert matches(ARRAYS[other]) == expected, other


def test_runs_and_dictionaries_of_views() -> None:
    flat = texts()
    for name in ("runs of dictionary", "opaque dictionary", "dictionary of dictionary", "opaque string"):
        assert matches(wrapped({**flat, "int64": pa.array([1, None, 3])})[name])[0] == ["text", "there"], name
    sliced = ARRAYS["runs of dictionary"].slice(1, 2)
    assert [INDEX.match_batch(pa.table({"x": sliced})).ids(row) for row in range(2)] == [[], ["there"]]
