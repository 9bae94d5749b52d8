"""Do the examples with Delta and Iceberg take up every change, and write each match once, also when they are killed?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import eligo
from connector_jars import connector, jar_list
from killed_runs import run_with_kills

pytestmark = pytest.mark.long

EXAMPLES = Path(__file__).parents[2] / "examples"


class Format(NamedTuple):
    """A format of tables, as its example has it."""

    example: str
    versions: tuple[tuple[int, int], ...]
    """Of Spark, that it has a release for."""
    settings: str
    table: str
    """The name of a table in SQL."""
    properties: str


FORMATS = {
    "delta": Format(
        "delta_tables",
        ((4, 2),),
        "SETTINGS",
        "delta.`{home}/{name}`",
        "USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)",
    ),
    "iceberg": Format("iceberg_tables", ((4, 1),), "settings(f'{home}/warehouse')", "lake.ads.{name}", "USING iceberg"),
}

SESSION = """
import json, sys
jars, home, examples, example, settings, table, properties = sys.argv[1:]
sys.path.insert(0, examples)
from importlib import import_module
from eligo.spark import local_session
made = eval(settings, vars(import_module(example)) | {"home": home})
spark = local_session("prepare", master="local[2]", config={**made, "spark.jars": jars})
def named(name): return table.format(home=home, name=name)
expressions, events = named("expressions"), named("events")
"""
PREPARE = """
spark.sql(f"CREATE TABLE {expressions} (id string, expression string) {properties}")
spark.sql(f"INSERT INTO {expressions} SELECT string(id), concat('age <= ', id) FROM range(10)")
spark.sql(f"UPDATE {expressions} SET expression = 'age = 5' WHERE id = '9'")
spark.sql(f"DELETE FROM {expressions} WHERE id = '0'")
spark.sql(f"CREATE TABLE {events} (event_id bigint, age int) {properties}")
for part in range(8):
    first = part * 500
    spark.sql(f"INSERT INTO {events} SELECT id, int(id % 90) FROM range({first}, {first + 500}, 1, 1)")
"""
CHANGE = """
spark.sql(f"DELETE FROM {expressions} WHERE id = '1'")
spark.sql(f"INSERT INTO {expressions} VALUES ('new', 'age = 89')")
"""
READ = """
print(json.dumps([[row["event_id"], row["expression_id"]] for row in spark.table(named("matches")).collect()]))
"""


def run(script: str, format: Format, jars: str, home: Path) -> str:
    arguments = [jars, str(home), str(EXAMPLES), format.example, format.settings, format.table, format.properties]
    done = subprocess.run([sys.executable, "-c", SESSION + script, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def texts(home: Path) -> dict[str, str]:
    index = eligo.open(home / "ads.index")
    return {str(id): index.text(id) for id in index.ids}


@pytest.mark.parametrize("name", FORMATS)
def test_changes_and_matches(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    jars = jar_list(connector(name, *format.versions))
    run(PREPARE, format, jars, tmp_path)
    example = [sys.executable, str(EXAMPLES / f"{format.example}.py"), str(tmp_path), "--jars", jars]
    begun = tmp_path / "matches.checkpoint" / "offsets" / "0"
    run_with_kills(example, kills=3, begun=begun.exists)
    expected = {**{str(number): f"age <= {number}" for number in range(1, 9)}, "9": "age = 5"}
    assert texts(tmp_path) == expected
    index = eligo.build(expected)
    pairs = {(number, str(id)) for number in range(4_000) for id in index.match({"age": number % 90})}
    found = [(row[0], row[1]) for row in json.loads(run(READ, format, jars, tmp_path).splitlines()[-1])]
    assert len(found) == len(pairs)
    assert set(found) == pairs
    run(CHANGE, format, jars, tmp_path)
    run_with_kills(example, kills=0, begun=begun.exists)
    del expected["1"]
    assert texts(tmp_path) == {**expected, "new": "age = 89"}
