"""Schemas: made from every source, and stored."""

from __future__ import annotations

import enum
import json
import math
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Optional

import pytest

from eligo.data.schema.attribute import Attribute
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.schema.schema import Schema
from eligo.errors import SchemaError

MOMENT = datetime(2024, 1, 31, 10, tzinfo=UTC)


def described(schema: Schema) -> dict[str, str]:
    return {a.name: f"list[{a.kind}]" if a.several else a.kind for a in schema}


def test_a_schema_from_a_dict() -> None:
    schema = Schema.from_dict(
        {
            "age": "int",
            "interests": "list[string]",
            "day": "date",
            "category": {"kind": "string", "hierarchy": "path"},
            "score": {"kind": "float", "low": 0, "high": 1},
            "team": {"kind": "string", "several": True, "hierarchy": {"edges": [["Jets", "NFL"]]}},
            "state": {"kind": "string", "values": ["CA", "NY"]},
            "seen": {"kind": "timestamp", "low": "2024-01-31T10:00:00Z", "high": "2025-01-01"},
        }
    )
    assert described(schema)["interests"] == "list[string]" and described(schema)["team"] == "list[string]"
    assert schema["score"] == Attribute("score", "float", low=0, high=1)
    assert (schema["seen"].low, schema["seen"].high) == (MOMENT, datetime(2025, 1, 1, tzinfo=UTC))
    assert schema.hierarchies() == {"team": Hierarchy.from_edges([("Jets", "NFL")])}
    assert schema.is_single("age") and not schema.is_single("interests") and not schema.is_single("unknown")
    assert "age" in schema and schema.get("unknown") is None and len(schema) == 8
    with pytest.raises(SchemaError, match="no attribute 'unknown'"):
        schema["unknown"]


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ("integer", "'integer' is not a kind"),
        (None, "describes no attribute"),
        ({"low": 1}, "has no kind"),
        ({"kind": "int", "max": 3}, "'max' is not a field of an attribute"),
        ({"kind": "int", "low": 3, "high": 2}, "low 3 is above high 2"),
        ({"kind": "int", "low": "x"}, "'x' is not an int"),
        ({"kind": "bool", "low": True}, "bool has no order"),
        ({"kind": "date", "low": "tomorrow"}, "'tomorrow' is not a date"),
        ({"kind": "int", "hierarchy": "path"}, "cannot have this hierarchy"),
        ({"kind": "date", "hierarchy": "path"}, "cannot have this hierarchy"),
        ({"kind": "string", "hierarchy": "date"}, "cannot have this hierarchy"),
        ({"kind": "string", "hierarchy": "tree"}, "'tree' is not a hierarchy"),
        ({"kind": "string", "values": [1]}, "1 is not a string"),
        ({"kind": "float", "low": math.nan}, "NaN"),
    ],
)
def test_a_form_that_contradicts_itself_is_refused(form: Any, problem: str) -> None:
    with pytest.raises(SchemaError, match=problem) as caught:
        Schema.from_dict({"a": form})
    assert "attribute 'a'" in str(caught.value)


def test_an_attribute_may_not_stand_twice() -> None:
    with pytest.raises(SchemaError, match="'a' is in the schema twice"):
        Schema([Attribute("a", "int"), Attribute("a", "float")])
    with pytest.raises(SchemaError, match="name is a string"):
        Attribute("", "int")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Inner:
    vip: bool | None
    since: date


@dataclass
class Outer:
    age: int
    score: Optional[float]  # noqa: UP045
    names: list[str]
    days: Sequence[date] | None
    seen: datetime
    tags: set[str]
    pairs: tuple[int, ...]
    user: Inner
    colour: Colour
    size: Literal["s", "m", None]
    noted: Annotated[int, "a remark"]


def test_a_schema_from_a_dataclass() -> None:
    schema = Schema.from_dataclass(Outer)
    assert described(schema) == {
        "age": "int",
        "score": "float",
        "names": "list[string]",
        "days": "list[date]",
        "seen": "timestamp",
        "tags": "list[string]",
        "pairs": "list[int]",
        "user.vip": "bool",
        "user.since": "date",
        "colour": "string",
        "size": "string",
        "noted": "int",
    }
    assert schema["colour"].values == ("red", "blue") and schema["size"].values == ("s", "m")


def test_dataclasses_that_have_no_schema() -> None:
    @dataclass
    class WithBytes:
        data: bytes

    @dataclass
    class WithTwo:
        data: int | str

    @dataclass
    class WithPair:
        data: tuple[int, str]

    for given in (WithBytes, WithTwo, WithPair):
        with pytest.raises(SchemaError, match="attribute 'data': the annotation"):
            Schema.from_dataclass(given)
    with pytest.raises(SchemaError, match="not a dataclass"):
        Schema.from_dataclass(int)


def test_a_schema_from_a_spark_struct() -> None:
    spark = pytest.importorskip("pyspark.sql.types")
    struct = spark.StructType(
        [
            spark.StructField("flag", spark.BooleanType()),
            spark.StructField("small", spark.ByteType()),
            spark.StructField("short", spark.ShortType()),
            spark.StructField("int", spark.IntegerType()),
            spark.StructField("long", spark.LongType()),
            spark.StructField("float", spark.FloatType()),
            spark.StructField("double", spark.DoubleType()),
            spark.StructField("whole", spark.DecimalType(18, 0)),
            spark.StructField("price", spark.DecimalType(10, 2)),
            spark.StructField("text", spark.StringType()),
            spark.StructField("short_text", spark.VarcharType(10)),
            spark.StructField("day", spark.DateType()),
            spark.StructField("seen", spark.TimestampType()),
            spark.StructField("local", spark.TimestampNTZType()),
            spark.StructField("tags", spark.ArrayType(spark.StringType())),
            spark.StructField("user", spark.StructType([spark.StructField("age", spark.IntegerType())])),
        ]
    )
    schema = Schema.from_spark(struct)
    assert list(described(schema).values()) == (
        [
            *("bool", "int", "int", "int", "int", "float", "float", "int"),
            *("float", "string", "string", "date", "timestamp", "timestamp", "list[string]", "int"),
        ]
    )
    assert "user.age" in schema
    assert Schema.from_json(json.loads(struct.json())) == schema
    for refused in (spark.BinaryType(), spark.MapType(spark.StringType(), spark.IntegerType())):
        with pytest.raises(SchemaError, match="attribute 'x': Spark's type"):
            Schema.from_spark(spark.StructType([spark.StructField("x", refused)]))
    with pytest.raises(SchemaError, match="not a StructType"):
        Schema.from_spark(7)


def test_a_schema_from_a_json_schema() -> None:
    schema = Schema.from_json_schema(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "additionalProperties": False,
            "required": ["age"],
            "properties": {
                "age": {"type": "integer", "minimum": 0, "exclusiveMaximum": 150},
                "score": {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 1},
                "either": {"type": ["integer", "number"]},
                "state": {"type": "string", "enum": ["CA", "NY"]},
                "level": {"enum": [1, 2, None]},
                "kind": {"const": "click"},
                "day": {"type": "string", "format": "date"},
                "seen": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
                "mail": {"type": "string", "format": "email"},
                "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
                "user": {"type": "object", "properties": {"vip": {"type": "boolean"}}},
            },
            "$defs": {"tag": {"type": "string"}},
        }
    )
    assert list(described(schema).values()) == (
        ["int", "float", "float", "string", "int", "string", "date", "timestamp", "string", "list[string]", "bool"]
    )
    assert (schema["age"].low, schema["age"].high) == (0, 149)
    assert (schema["score"].low, schema["score"].high) == (5e-324, 1)
    assert schema["state"].values == ("CA", "NY") and schema["level"].values == (1, 2)
    assert "user.vip" in schema and schema.closed


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"type": "object"}, "the type 'object' has no kind"),
        ({"type": ["string", "integer"]}, "it needs one type"),
        ({}, "it needs one type"),
        ({"type": "array"}, "an array without one schema"),
        ({"$ref": "#/$defs/none"}, "leads nowhere"),
        ({"$ref": "other.json"}, "leaves the document"),
        ({"$ref": "#/properties/a"}, "go in a circle"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "a choice between several"),
        ({"type": "integer", "exclusiveMinimum": True}, "exclusiveMinimum is not a number"),
        ({"enum": [1, "x"]}, "not of one kind"),
        (True, "is not a schema that says a kind"),
        ({"type": "object", "properties": {"b": {"$ref": "#/properties/a"}}}, "nested deeper than"),
    ],
)
def test_json_schemas_that_say_no_kind_are_refused(form: Any, problem: str) -> None:
    with pytest.raises(SchemaError, match=problem):
        Schema.from_json_schema({"type": "object", "properties": {"a": form}})


def test_a_json_schema_of_something_else_is_refused() -> None:
    with pytest.raises(SchemaError, match="describes an object"):
        Schema.from_json_schema({"type": "string"})


def test_json_gives_the_schema_back() -> None:
    schema = Schema(
        [
            Attribute("age", "int", low=0, high=150),
            Attribute("day", "date", several=True, low=date(2024, 1, 1), hierarchy="date"),
            Attribute("seen", "timestamp", high=MOMENT, values=(MOMENT,)),
            Attribute("page", "string", hierarchy="path"),
            Attribute("team", "string", hierarchy=Hierarchy.from_paths(["a/b", "c"])),
            Attribute("flag", "bool", hierarchy="none"),
            Attribute("attributes", "float", values=(0.5, 1)),
        ],
        closed=True,
    )
    stored = json.loads(json.dumps(schema.to_json()))
    assert Schema.from_json(stored) == schema == pickle.loads(pickle.dumps(schema))
    assert Schema.from_json(stored["attributes"]) != schema  # as the plain form, it is not closed
    assert Schema.from_json({"age": "int"}) == Schema.from_dict({"age": "int"})
    assert hash(Schema.from_json(stored)) == hash(schema)
    with pytest.raises(SchemaError, match="is an object"):
        Schema.from_json([])  # type: ignore[arg-type]
