"""How does a file of events become one of best matches, or of counts, in one process? As on Spark, row for row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from eligo.index.events.event_source import EventColumns
from eligo.index.events.group_counts import GroupCounts
from eligo.index.local.local_job import LocalJob, as_batch
from eligo.index.matches import row_lengths
from eligo.index.stages import StageName
from eligo.index.stored.opened_version import IndexVersion
from eligo.index.stored.shard_groups import ShardGroup


class LocalTop(LocalJob):
    """Asks for the n best matches of each event."""

    STAGE: ClassVar[StageName] = StageName.TOP

    def __init__(self, version: IndexVersion, path: str, columns: EventColumns, *, n: int, **options: Any) -> None:
        super().__init__(version, path, columns, **options)
        self._n = n
        self._groups = [ShardGroup(version)]  # the best of all shards are not those of each

    def _answer_fields(self, expression_id: pa.Field) -> list[pa.Field]:
        return [pa.field("rank", pa.int32()), expression_id, pa.field("score", pa.float64())]

    def _rows(self) -> Iterator[pa.RecordBatch]:
        for view, block, blocks in self._blocks():
            found = view.top_batch(block.events, self._n, documents=self._documents)
            lengths = row_lengths(found.offsets)
            rows = np.repeat(np.arange(len(lengths)), lengths)
            first = np.repeat(np.cumsum(lengths) - lengths, lengths)
            answers = [pa.array(np.arange(len(rows)) - first + 1), view.ids.take(pa.array(found.positions))]
            columns = [*(column.take(pa.array(rows)) for column in block.carried), *answers, pa.array(found.scores)]
            self._num_rows += len(rows)
            yield as_batch(columns, self.schema)
            blocks.matched(len(rows))


class LocalCount(LocalJob):
    """Asks how many events each expression matches, in all or for each value of the columns that are kept."""

    STAGE: ClassVar[StageName] = StageName.COUNT
    NUM_NAMED: ClassVar[int | None] = None

    def _answer_fields(self, expression_id: pa.Field) -> list[pa.Field]:
        return [expression_id, pa.field("matches", pa.int64())]

    def _rows(self) -> Iterator[pa.RecordBatch]:
        """Those with the most matches first, as `eligo count` has them."""
        parts = [self.schema.empty_table()]
        counts: dict[int, GroupCounts] = {}
        for view, block, _ in self._blocks():
            own = counts.setdefault(id(view), GroupCounts(view, self.schema.names, {"documents": self._documents}))
            parts += [self._table(batch) for batch in own.add(block)]
        parts += [self._table(batch) for own in counts.values() for batch in own.rows()]
        *keys, number = self.schema.names
        added = pa.concat_tables(parts).group_by(keys).aggregate([(number, "sum")])
        named = added.select([*keys, f"{number}_sum"]).rename_columns(self.schema.names)
        ordered = named.sort_by([(number, "descending"), (keys[-1], "ascending")])
        self._num_rows = ordered.num_rows
        yield from ordered.to_batches()

    def _table(self, batch: pa.RecordBatch) -> pa.Table:
        return pa.Table.from_batches([as_batch(batch.columns, self.schema)])
