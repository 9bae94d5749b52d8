"""Does a session that the user made work, whatever Python its workers would take?"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import eligo
from eligo.spark.session.java import ensure_java

SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[2])
from pyspark.sql import SparkSession
from eligo.errors import InputError
from eligo.spark import match, register
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
events = spark.createDataFrame([(1, 20)], "event_id long, age int")
try:
    register(spark)
    events.createOrReplaceTempView("events")
    in_sql = spark.sql(f"SELECT * FROM eligo_match(TABLE(events), '{sys.argv[1]}')")
    print(json.dumps([[tuple(row) for row in frame.collect()] for frame in (match(events, sys.argv[1]), in_sql)]))
except InputError as error:
    print(json.dumps({"error": str(error)}))
"""


def said(index: Path, **variables: str) -> Any:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")}
    environment = {**kept, "JAVA_HOME": str(ensure_java()), "SPARK_LOCAL_IP": "127.0.0.1", **variables}
    command = [sys.executable, "-c", SCRIPT, str(index), str(Path(eligo.__file__).parents[1])]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def without_eligo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python of the same version that has nothing installed."""
    directory = tmp_path_factory.mktemp("bare") / "bin"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(directory.parent)], check=True)
    return directory


def test_nothing_has_to_be_set(tmp_path: Path, without_eligo: Path) -> None:
    eligo.build({"young": "age < 25"}).save(tmp_path / "x.index")
    path = f"{without_eligo}{os.pathsep}{os.environ['PATH']}"
    assert shutil.which("python3", path=path) == str(without_eligo / "python3")
    assert said(tmp_path / "x.index", PATH=path) == [[[1, "young"]]] * 2


def test_a_python_without_eligo_is_named(tmp_path: Path, without_eligo: Path) -> None:
    eligo.build({"young": "age < 25"}).save(tmp_path / "x.index")
    python = str(without_eligo / "python3")
    # Workers get the path of the driver's modules, and what is on it would be found.
    error = str(said(tmp_path / "x.index", PYSPARK_PYTHON=python, PYTHONPATH="")["error"])
    assert error.startswith(f"workers run {python}, which has no module")
    assert "PYSPARK_PYTHON" in error
