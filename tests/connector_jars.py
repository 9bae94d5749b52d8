"""Where are the jars of others that Spark needs for their formats? `ELIGO_CONNECTORS` names the directory.

    kafka/          a node of Kafka, with all that it needs
    spark-kafka/    spark-sql-kafka-0-10, spark-token-provider-kafka-0-10, kafka-clients, commons-pool2
    delta/          delta-spark, delta-storage
    iceberg/        iceberg-spark-runtime

`make connectors` fetches them with Maven, beside other things that `make test-long` uses. Tests of a format are skipped
without its jars, and on versions of Spark that the format has no release for.
"""

from __future__ import annotations

import os
from pathlib import Path

import pyspark
import pytest

SPARK = tuple(map(int, pyspark.__version__.split(".")[:2]))


def connector(name: str, *versions: tuple[int, int]) -> Path:
    """The directory of the jars of a format, on the versions of Spark that it works with."""
    home = os.environ.get("ELIGO_CONNECTORS")
    directory = Path(home or "", name)
    if home is None or not list(directory.glob("*.jar")):
        pytest.skip(f"the jars of {name} are not there: make connectors")
    if SPARK not in versions:
        pytest.skip(f"{name} has no release for Spark {pyspark.__version__}")
    return directory


def jar_list(directory: Path) -> str:
    """As the setting `spark.jars` takes them."""
    return ",".join(sorted(map(str, directory.glob("*.jar"))))
