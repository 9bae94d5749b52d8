"""What does Polars take? A counting join of data frames, on one thread."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.neighbours.counting_tables import by_event, event_rows, expression_tables
from benchmarks.neighbours.python_harness import Event, Neighbour, run


class PolarsJoin(Neighbour):
    """Frames in memory, and one lazy query for all events of a call."""

    def __init__(self) -> None:
        self.polars = import_module("polars")
        self.tables: dict[str, Any] = {}

    def build(self, directory: Path) -> None:
        for name, table in expression_tables(directory).items():
            self.tables[name] = self.polars.from_arrow(table, rechunk=True).lazy()

    def ask(self, events: Sequence[Event]) -> list[list[int]]:
        column, frame, int32 = self.polars.col, self.polars.LazyFrame, self.polars.Int32
        asked = {
            name: frame(columns, schema=dict.fromkeys(columns, int32)) for name, columns in event_rows(events).items()
        }
        points = asked["asked_points"].join(self.tables["points"], on="key").select("event", "expression", "attribute")
        ranges = asked["asked_ranges"].join(self.tables["ranges"], on="attribute")
        inside = ranges.filter(column("value").is_between(column("low"), column("high")))
        met = self.polars.concat([points.unique(), inside.select("event", "expression", "attribute")])
        counted = met.group_by("event", "expression").agg(self.polars.len().cast(int32).alias("number"))
        found = counted.join(self.tables["sizes"], on=["expression", "number"]).collect()
        return by_event(len(events), found["event"].to_list(), found["expression"].to_list())


if __name__ == "__main__":
    run(PolarsJoin(), sys.argv[1:])
