"""Which moment does a text of a table name? The same everywhere: what an expression may write, or a day.

| text | moment |
|---|---|
| `2026-01-31T10:00`, `2026-01-31 10:00:00.5+02:00` | that one, in UTC where no zone is given |
| `2026-01-31` | the midnight with which the day begins in UTC |
| blank | none: missing |
| anything else: `10:00`, `T10:00`, `soon`, `0000-01-01`, `+10000-01-01`, `1700000000` | an error |

Texts of times and of validity windows are read by this. Of CSV, Spark reads columns whose values are all moments, to
the same effect (`spark/tables/moment_columns.py`).
"""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa

from eligo.errors import ExpressionValueError
from eligo.language.moment import read_moment

MOMENT = pa.timestamp("us", "UTC")
MOMENT_HELP = "write 2026-01-31 or 2026-01-31T10:00:00Z"
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type has texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def read_moments(texts: pa.Array) -> tuple[pa.Array, dict[int, str]]:
    """The moments that texts name, null where there is none, and by row the texts that name none."""
    words = texts.cast(pa.large_binary()).dictionary_encode()
    moments: list[int | None] = []
    bad: dict[int, str] = {}
    for number, word in enumerate(words.dictionary.to_pylist()):
        text = word.decode("utf-8", "replace")
        try:
            moment = read_moment(text)
        except ExpressionValueError:
            moment = None
            bad[number] = text
        moments.append(None if moment is None else _microseconds(moment))
    found = pa.array(moments, pa.int64()).cast(MOMENT).take(words.indices)
    if not bad:
        return found, {}
    numbers = words.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(np.isin(numbers, list(bad))).tolist()
    return found, {row: bad[int(numbers[row])] for row in rows}


def _microseconds(moment: datetime) -> int:
    since = moment - _FIRST
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
