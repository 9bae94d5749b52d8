"""What became of the rows of a table, how long did it take, and how large is the result?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from eligo.index.stages import StageName

STAGES = (StageName.READ, StageName.CHECK, StageName.VOCABULARY, StageName.BUILD, StageName.PUBLISH)
"""Of a build, in this order."""


@dataclass(frozen=True)
class BuildSummary:
    """What became of the rows of a table; every row is accepted, rejected or replaced."""

    num_rows: int
    num_accepted: int
    num_rejected: int
    num_replaced: int
    """Good rows whose id has a later row, or the same row again."""
    num_distinct: int
    """Different texts among the accepted, counted in each shard; engines keep nodes for each once."""
    num_nodes: int
    """Nodes of the engines, shared subexpressions counted once in each shard."""
    num_shards: int
    rejects: pa.Table
    """`schemas.REJECT_COLUMNS`, by shard and id; at most the first ten thousand. `rejects=` of `build` has all."""
    seconds: Mapping[str, float]
    """By stage."""
    num_bytes: int
    """Of the version's files."""
    version: int
    num_live: int = 0
    """Expressions that the version answers with."""
    num_deleted: int = 0
    """Of the ids that an update was told to delete: those that the index had."""
    num_unknown: int = 0
    """Of the same: those that it did not have."""
    num_deltas: int = 0
    """Of the version."""

    def __str__(self) -> str:
        total = sum(self.seconds.values())
        stages = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())
        rate = self.num_rows / total if total else 0.0
        return (
            f"version {self.version}: {self.num_rows:,} rows, {self.num_accepted:,} accepted, "
            f"{self.num_rejected:,} rejected, {self.num_replaced:,} replaced\n"
            f"{self.num_distinct:,} distinct expressions, {self.num_nodes:,} nodes, {self.num_shards:,} shards, "
            f"{self.num_bytes:,} bytes\n"
            f"{total:.1f} s ({stages}), {rate:,.0f} rows/s"
        )
