"""How does a file of events become a file of matches in one process? A row for each match."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pyarrow as pa

from eligo.index.events.event_blocks import MATCHES_AT_ONCE, EventBlock
from eligo.index.local.local_job import PART, LocalJob, as_batch
from eligo.index.matches import Matches
from eligo.index.stages import StageName
from eligo.index.written.landed_file import landed_file
from eligo.index.written.match_file import MatchFile, write_no_matches
from eligo.index.written.part_files import part_files
from eligo.stores.address import Place


class LocalMatch(LocalJob):
    """Asks which expressions each event satisfies."""

    STAGE: ClassVar[StageName] = StageName.MATCH

    def _answer_fields(self, expression_id: pa.Field) -> list[pa.Field]:
        return [expression_id]

    def _found(self) -> Iterator[tuple[EventBlock, Matches]]:
        for view, block, blocks in self._blocks():
            matches = view.match_batch(block.events, documents=self._documents)
            self._num_rows += len(matches.positions)
            yield block, matches
            blocks.matched(len(matches.positions))

    def _rows(self) -> Iterator[pa.RecordBatch]:
        for block, matches in self._found():
            event_rows = matches.event_rows()
            for first in range(0, len(event_rows), MATCHES_AT_ONCE):
                chosen = slice(first, first + MATCHES_AT_ONCE)
                rows = pa.array(event_rows[chosen])
                ids = matches.all_ids.take(pa.array(matches.positions[chosen]))
                yield as_batch([*(column.take(rows) for column in block.carried), ids], self.schema)

    def _write_parquet(self, out: Place, *, overwrite: bool) -> None:
        """As workers of Spark do."""
        with part_files(out, overwrite=overwrite) as parts:
            with landed_file(parts.aside / PART) as path:
                with MatchFile(path, self.schema, {}) as file:
                    for block, matches in self._found():
                        file.add(block.carried, matches)
                if not file.num_rows:
                    write_no_matches(path, self.schema, {})
            parts.commit([PART])
