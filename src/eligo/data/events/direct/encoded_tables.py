"""How is a table encoded of which some columns are not plain? The plain ones in one pass, the others beside them."""

from __future__ import annotations

import pyarrow as pa

from eligo.data.events.direct.arrow_tables import encode_table
from eligo.data.events.direct.column_plan import column_plan
from eligo.data.events.encoded_events import EncodedEvents, EventArrays, encoded_values
from eligo.data.events.event import OnError
from eligo.data.events.event_columns import ColumnReader
from eligo.data.events.event_tables import add_table, bad_rows
from eligo.data.vocabulary import Vocabulary
from eligo.language.limits import Limits


def encoded_table(
    table: pa.Table | pa.RecordBatch,
    vocabulary: Vocabulary,
    exclude: tuple[str, ...],
    on_error: OnError,
    limits: Limits,
) -> EncodedEvents | None:
    """Rows as events, columns as attributes but for those to exclude; None for what takes the long way."""
    plan = column_plan(vocabulary, table.schema, exclude)
    if plan is None or not table.num_rows:
        return None
    batches = [table] if isinstance(table, pa.RecordBatch) else table.to_batches()
    reader, more, shown = None, None, None
    while True:
        if plan.apart:
            reader = ColumnReader(vocabulary, table.num_rows, None, None, False, on_error, limits)
            others = [name for name in table.schema.names if name not in plan.apart]
            shown = add_table(reader, table, (*exclude, *others), None)
            more = encoded_values(reader.num_good_rows, reader.values(), vocabulary).arrays.unweighted()
        skipped = reader.errors if reader is not None else ()
        room, bad = encode_table(batches, plan, vocabulary, more, skipped)
        if not bad:
            break
        plan = plan.without(bad)
    most_values, most_bytes = reader.most_sizes() if reader is not None else (0, 0)
    if room.most_values + most_values > limits.event_values or room.most_bytes + most_bytes > limits.event_bytes:
        return None
    rejects = () if reader is None or shown is None else bad_rows(reader, shown)
    return EncodedEvents(EventArrays.of_unweighted(*room.arrays()), rejects)
