"""What is the smallest thing that answers? A shard: an engine, with the ids and texts of its expressions by position.

    position   ids      texts
    0          "ad-1"   "age in (3, 4)"          engine.match(event) = [0, 1]
    1          "ad-2"   "age >= 4 or vip"

On disk it is one file of named arrays: `ids.*`, `texts.*`, `table.*` and `engine.*`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt
import pyarrow as pa

from eligo.data.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.engines.protocol import Engine
from eligo.storage.string_array import pack_strings, unpack_strings

Arrays = Mapping[str, npt.NDArray[Any]]


class Shard(NamedTuple):
    """Expressions that one engine answers for."""

    ids: pa.Array
    """By position: strings or 64-bit ints."""
    texts: pa.Array
    """By position: the expression as it was given."""
    engine: Engine


def shard_arrays(ids: pa.Array, texts: pa.Array, engine: Engine) -> dict[str, npt.NDArray[Any]]:
    """The named arrays of a shard, which `shard_from_arrays` takes back."""
    return {
        **_prefixed("ids", {"numbers": ids.to_numpy()} if pa.types.is_integer(ids.type) else pack_strings(ids)),
        **_prefixed("texts", pack_strings(texts)),
        **_prefixed("table", engine.table.arrays()),
        **_prefixed("engine", engine.arrays()),
    }


def shard_from_arrays(arrays: Arrays, vocabulary: Vocabulary, engine_name: str) -> Shard:
    """The shard that the arrays came from, over the same memory."""
    ids = _with_prefix("ids", arrays)
    table = ExpressionTable.from_arrays(_with_prefix("table", arrays))
    return Shard(
        ids=pa.array(ids["numbers"]) if "numbers" in ids else unpack_strings(ids, what="ids"),
        texts=unpack_strings(_with_prefix("texts", arrays), what="texts"),
        engine=registry.get(engine_name).from_arrays(_with_prefix("engine", arrays), table, vocabulary),
    )


def _prefixed(prefix: str, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def _with_prefix(prefix: str, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    return {name[len(prefix) + 1 :]: array for name, array in arrays.items() if name.startswith(f"{prefix}.")}
