"""What does DuckDB take? A counting join in SQL, in memory, on one thread."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import pyarrow as pa

from benchmarks.neighbours.counting_tables import by_event, event_rows, expression_tables
from benchmarks.neighbours.python_harness import Event, Neighbour, run

JOIN = """
with met as (
    select distinct a.event, p.expression, p.attribute from asked_points a join points p on a.key = p.key
    union all
    select a.event, r.expression, r.attribute from asked_ranges a
    join ranges r on a.attribute = r.attribute and a.value between r.low and r.high
)
select event, m.expression
from (select event, expression, count(*) number from met group by event, expression) m
join sizes s on m.expression = s.expression and m.number = s.number
"""
"""A list may meet an event in several of its values, and counts once."""


class DuckDbJoin(Neighbour):
    """Tables in the database, and one query for all events of a call."""

    def __init__(self) -> None:
        self.connection = import_module("duckdb").connect(config={"threads": 1})

    def build(self, directory: Path) -> None:
        for name, table in expression_tables(directory).items():
            self.connection.register("given", table)
            self.connection.execute(f"create table {name} as select * from given")
            self.connection.unregister("given")

    def ask(self, events: Sequence[Event]) -> list[list[int]]:
        for name, columns in event_rows(events).items():
            table = pa.table({column: pa.array(values, pa.int32()) for column, values in columns.items()})
            self.connection.register(name, table)
        found = self.connection.execute(JOIN).fetchnumpy()
        return by_event(len(events), found["event"].tolist(), found["expression"].tolist())


if __name__ == "__main__":
    run(DuckDbJoin(), sys.argv[1:])
