"""Does every type of a Spark column, in every place, give an answer or an error of ours?"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    NullType,
    StringType,
    StructField,
    StructType,
    YearMonthIntervalType,
)

import eligo
from eligo.errors import EligoError, InputError
from eligo.spark import build, match, parquet_events
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.tables.event_checks import require_copied

VALUES = {
    "boolean": "true",
    "tinyint": "1Y",
    "bigint": "1L",
    "float": "float(1)",
    "double": "double('NaN')",
    "decimal": "1.5BD",
    "wide decimal": "cast(99999999999999999999999999999999999999 as decimal(38, 0))",
    "string": "'a'",
    "binary": "X'FF'",
    "date": "date '9999-12-31'",
    "timestamp": "timestamp '1400-01-01 00:00:00Z'",
    "timestamp beyond": "timestamp_micros(9223372036854775807)",
    "timestamp_ntz": "timestamp_ntz '2020-01-01 00:00:00'",
    "time": "cast(null as void)",
    "day interval": "interval '1' day",
    "year interval": "interval '1' year",
    "void": "null",
    "array": "array(1, null)",
    "array of arrays": "array(array(1))",
    "array of structs": "array(struct(1 as a))",
    "array of nothing": "array()",
    "struct": "struct(1 as a, 'x' as b)",
    "struct with arrays": "struct(array(array(1)) as a)",
    "map": "map('a', 1)",
    "map of arrays": "map('a', array(1))",
    "map of maps": "map('a', map('a', 1))",
    "map from integers": "map(1, 1)",
    "variant": "parse_json('{\"a\": 1}')",
}
PLACES = (
    "attribute",
    "event_id",
    "tenant",
    "time",
    "json",
    "attributes",
    "keep",
    "parquet",
    "expression",
    "id",
    "weights",
)


def answer(spark: SparkSession, values: DataFrame, place: str, index: str, out: Path) -> None:
    """Ask with the column `v` in this place; errors of workers are given back as theirs."""
    with worker_errors():
        if place == "attribute":
            match(values.selectExpr("1 as event_id", "v as x"), index).collect()
        elif place == "parquet":
            try:
                values.selectExpr("1 as event_id", "v as x").write.parquet(str(out / "events"))
            except AnalysisException:  # Parquet has no such type
                return
            match(parquet_events(spark, str(out / "events")), index).collect()
        elif place == "event_id":
            match(values.selectExpr("v as event_id", "1 as x"), index).toArrow()
        elif place == "keep":
            match(values.selectExpr("1 as event_id", "v", "1 as x"), index, keep=["v"]).toArrow()
        elif place in ("tenant", "time", "json", "attributes"):
            match(values.selectExpr("1 as event_id", "v", "1 as x"), index, **{place: "v"}).collect()  # type: ignore[arg-type]
        else:
            columns = {"id": "1", "expression": "'x = 1'", "weights": "map('x', 1)", place: "v"}
            rows = values.selectExpr(*(f"{value} as {name}" for name, value in columns.items()))
            build(rows, out / "built", weights="weights")


@pytest.mark.parametrize(
    "place",
    [place if place in ("attribute", "time") else pytest.param(place, marks=pytest.mark.long) for place in PLACES],
)
def test_an_answer_or_an_error_of_ours(spark: SparkSession, tmp_path: Path, place: str) -> None:
    index = str(tmp_path / "x.index")
    eligo.build({"a": "x = 1 or x.a = 1", "b": "x exists"}).save(index)
    answers = []
    for number, (name, value) in enumerate(VALUES.items()):
        (tmp_path / str(number)).mkdir()
        try:
            answer(spark, spark.range(1).selectExpr(f"{value} as v"), place, index, tmp_path / str(number))
            answers.append(name)
        except EligoError:
            continue
        except Exception as error:
            pytest.fail(f"{name} as {place}: {type(error)} {error!r:.2000}")
    assert answers


@pytest.mark.parametrize(
    "kind",
    [YearMonthIntervalType(), ArrayType(NullType(), False), ArrayType(StructType().add("a", CalendarIntervalType()))],
)
def test_what_cannot_be_copied_is_refused_at_once(kind: DataType) -> None:
    require_copied([StructField("fine", ArrayType(StructType().add("a", StringType())))])
    with pytest.raises(InputError, match=r"column 'v' is .*, which cannot be copied"):
        require_copied([StructField("v", kind)])
