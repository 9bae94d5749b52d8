"""Is a Spark that is too old refused by name, and is the border the same in every version?"""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType, TimestampNTZType, TimestampType

from eligo.errors import SparkVersionError
from eligo.spark.spark_versions import arrow_schema, arrow_type, require_supported, spark_schema, version_numbers


@pytest.mark.parametrize("version", ["3.5.9", "3.3.0-amzn-1", "2.4.8"])
def test_an_older_spark_is_refused_by_name(version: str) -> None:
    with pytest.raises(SparkVersionError, match=f"needs Spark 4.0 or later, and this is PySpark {version}"):
        require_supported(version)


@pytest.mark.parametrize("version", ["4.0.0", "4.3.0", "4.1.0.dev3", "4.0.1-amzn-0", "5.0.0", "unknown"])
def test_others_are_taken(version: str) -> None:
    require_supported(version)
    assert version_numbers(version) >= (4, 0)


def test_types_at_the_border() -> None:
    assert arrow_type(TimestampType()) == pa.timestamp("us", tz="UTC")
    assert arrow_type(TimestampNTZType()) == pa.timestamp("us")
    schema = StructType([StructField("a", LongType()), StructField("b", ArrayType(StringType()))])
    assert arrow_schema(schema).names == ["a", "b"]
    assert spark_schema(arrow_schema(schema)) == schema
    assert spark_schema(pa.schema([("t", pa.timestamp("us"))]))["t"].dataType == TimestampNTZType()
