"""What differs between the versions of PySpark that are out there? This, and nothing else asks which one it is.

Eligo runs on every Spark from 4.0 on: `docs/spark.md` lists what was tried. An older one is refused by name, before
anything else of it is used; a later one is not, because a platform may have one in which nothing has changed for us.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyspark
from pyspark.sql import DataFrame
from pyspark.sql.pandas import types
from pyspark.sql.types import DataType, NullType, StructField, StructType

from eligo.errors import SparkVersionError

SPARK_VERSION: str = pyspark.__version__
OLDEST = (4, 0)
"""Before it, a DataFrame does not become an Arrow table, and a text that is no number ends a job."""


def version_numbers(version: str) -> tuple[int, int]:
    """The first two numbers of a version, which say what a Spark can do: (4, 1) for `4.1.0-amzn-0`."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else OLDEST


def require_supported(version: str) -> None:
    """Refuse a Spark that lacks what Eligo cannot do without."""
    if version_numbers(version) < OLDEST:
        raise SparkVersionError(
            f"Eligo needs Spark 4.0 or later, and this is PySpark {version}",
            help="use a platform or a PySpark with Spark 4; without Spark, Index.match_batch takes Arrow tables",
        )


require_supported(SPARK_VERSION)

# Until 4.1 a switch says that times are in UTC, since 4.2 the zone is named.
_IN_UTC: dict[str, Any] = (
    {"timezone": "UTC"} if "timezone" in inspect.signature(types.to_arrow_type).parameters else {"timestamp_utc": True}
)


KEPT_COLUMNS = "_cached_schema"
"""Where a table over Spark Connect keeps its columns once it has asked for them, in all versions from 4.0 to 4.3."""


def arrow_type(kind: DataType) -> pa.DataType:
    """The type in which Spark sends a column of this type to a worker, and takes it from there; times are in UTC."""
    return types.to_arrow_type(kind, **_IN_UTC)


def arrow_schema(schema: StructType) -> pa.Schema:
    """The columns of a table as Spark sends them to a worker."""
    return types.to_arrow_schema(schema, **_IN_UTC)


def spark_schema(schema: pa.Schema) -> StructType:
    """The columns that a table of Arrow has for Spark; a time without a zone stays one without."""
    return types.from_arrow_schema(schema, prefer_timestamp_ntz=True)


def with_columns(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """The table, of which Spark Connect need not ask what its columns are before workers get them.

    It would ask its server, which a declarative pipeline forbids while it is being defined. Only names are looked at.
    """
    if type(frame).__module__.startswith("pyspark.sql.connect.") and hasattr(frame, KEPT_COLUMNS):
        setattr(frame, KEPT_COLUMNS, StructType([StructField(name, NullType()) for name in names]))
    return frame
