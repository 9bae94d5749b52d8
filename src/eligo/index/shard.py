"""What is the smallest thing that answers? A shard: an engine, with the ids and texts of its expressions by position.

    position   ids      texts
    0          "ad-1"   "age in (3, 4)"          engine.match(event) = [0, 1]
    1          "ad-2"   "age >= 4 or vip"

On disk it is one file of named arrays: `ids.*`, `texts.*`, `table.*` and `engine.*`. A large one that was just built is
mapped too, from a file without a name: so what matching does not read, such as texts, takes no memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_form import table_problems
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import require
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.engines.choice import build_chosen
from eligo.engines.protocol import Engine
from eligo.errors import NormalFormTooLargeError, StorageError
from eligo.language.limits import Limits
from eligo.ranges.list_choice import RangeLists
from eligo.sharing import once
from eligo.storage.array_file import ArrayFile
from eligo.storage.canonical_json import Json
from eligo.storage.packed_ids import pack_ids, unpack_ids
from eligo.storage.refusal import damaged
from eligo.storage.spilled.spilled_arrays import spilled
from eligo.storage.string_array import count_strings, pack_strings, string_at, unpack_strings

Arrays = Mapping[str, npt.NDArray[Any]]

ONLY_IDS = ("ids.",)
ONLY_ROWS = ("ids.", "texts.")
"""Which arrays of a shard's file to map; see `storage.array_file.read_arrays`."""


class Shard:
    """Expressions that one engine answers for."""

    def __init__(self, ids: pa.Array, texts: pa.Array | Arrays, engine: Engine, why: str | None = None) -> None:
        """Texts are those, or the arrays that they are packed in."""
        self.ids = ids
        """By position: strings or 64-bit ints."""
        self._texts = texts
        self.engine = engine
        self.why = why
        """Why this engine; None when it was named by whoever built the index."""

    @once
    def texts(self) -> pa.Array:
        """By position: the expression as it was given. Those of a file are looked at when they are first asked for."""
        return unpack_strings(self._texts, what="texts") if isinstance(self._texts, Mapping) else self._texts

    def text_at(self, position: int) -> str:
        """One of the texts; of a file, nothing else is read."""
        if isinstance(self._texts, Mapping):
            return string_at(self._texts, position, what="texts")
        text: str = self._texts[position].as_py()
        return text

    @property
    def meta(self) -> dict[str, Json]:
        """What a file of it says beside its arrays; the engine only when the manifest does not name it."""
        chosen: dict[str, Json] = {} if self.why is None else {"engine": self.engine.name, "why": self.why}
        return {"num_expressions": len(self.ids), **chosen}

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The named arrays, which `shard_from_arrays` takes back."""
        return {**row_arrays(self.ids, self.texts), **self.engine_arrays()}

    def engine_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Those of the engine and its table alone."""
        return {**prefixed("table", self.engine.table.arrays()), **prefixed("engine", self.engine.arrays())}

    def spilled(self, rows: Arrays | None = None) -> Shard:
        """The same shard over mapped arrays where these are large; `rows` are those of its ids and texts, if mapped."""
        arrays = self.arrays() if rows is None else self.engine_arrays()
        found = spilled(arrays)
        if all(found[name] is array for name, array in arrays.items()):
            return self
        vocabulary, name = self.engine.vocabulary, self.engine.name
        return shard_from_arrays({**(rows or {}), **found}, vocabulary, name, self.why)


def build_shard(
    ids: pa.Array,
    texts: pa.Array | Arrays,
    engine: str,
    table: ExpressionTable,
    vocabulary: Vocabulary,
    sample: EventBatch | None = None,
    *,
    limits: Limits,
    ranges: RangeLists = "auto",
) -> Shard:
    """Expressions under an engine of that name, or under one that is chosen for them."""
    with refused_by_id(ids):
        if engine == registry.AUTO:
            built, why = build_chosen(table, vocabulary, sample, limits=limits, ranges=ranges)
            return Shard(ids, texts, built, why)
        return Shard(ids, texts, registry.build(engine, table, vocabulary, sample, limits=limits, ranges=ranges))


@contextmanager
def refused_by_id(ids: pa.Array) -> Iterator[None]:
    """What an engine refuses by row is refused by id; `ids` are by row."""
    try:
        yield
    except NormalFormTooLargeError as error:
        raise error.naming(ids.take(pa.array(error.rows, pa.int64())).to_pylist()) from None


def row_arrays(ids: pa.Array, texts: pa.Array) -> dict[str, npt.NDArray[Any]]:
    """The named arrays of ids and texts."""
    return {**prefixed("ids", pack_ids(ids)), **prefixed("texts", pack_strings(texts))}


def encoded_arrays(table: ExpressionTable, vocabulary: Vocabulary) -> dict[str, npt.NDArray[Any]]:
    """The named arrays of what has no engine yet: a table, and the vocabulary of its own rows."""
    return {**prefixed("table", table.arrays()), **prefixed("vocabulary", vocabulary.arrays())}


def stored_ids(arrays: Arrays) -> pa.Array:
    """The ids in the arrays of a shard, of which `ONLY_IDS` are enough: 64-bit ints or large strings."""
    return unpack_ids(with_prefix("ids", arrays))


def stored_texts(arrays: Arrays) -> pa.Array:
    """The texts in the arrays of a shard."""
    return unpack_strings(with_prefix("texts", arrays), what="texts")


def stored_table(arrays: Arrays) -> ExpressionTable:
    """The table in the arrays of a shard."""
    return ExpressionTable.from_arrays(with_prefix("table", arrays))


def own_vocabulary(arrays: Arrays) -> Vocabulary:
    """The vocabulary in `encoded_arrays`."""
    return Vocabulary.from_arrays(with_prefix("vocabulary", arrays))


def stored_choice(meta: Mapping[str, Json], engine: str) -> tuple[str, str | None]:
    """The name of a stored shard's engine, and why it was chosen; `engine` is what the manifest says."""
    if engine != registry.AUTO:
        return engine, None
    name, why = meta.get("engine"), meta.get("why")
    if not isinstance(name, str) or not isinstance(why, str) or name not in registry.names():
        raise StorageError("it does not say which engine was chosen for it")
    return name, why


def shard_problems(file: ArrayFile, vocabulary: Vocabulary, engine: str, *, deep: bool) -> Iterator[str]:
    """What is wrong with a shard over a vocabulary, which must itself be right; see `stored_form`."""
    arrays = file.arrays
    try:
        engine_name, _ = stored_choice(file.meta, engine)
    except StorageError as error:
        yield error.message
        return
    columns = []
    for column in (stored_ids, stored_texts):
        try:
            columns.append(column(arrays))
        except StorageError as error:
            yield error.message
    if len(columns) == 2:
        if deep and len(pc.unique(columns[0])) != len(columns[0]):
            yield "an id stands twice"
        yield from _problems(arrays, columns[0], vocabulary, engine_name, deep=deep)


def _problems(arrays: Arrays, ids: pa.Array, vocabulary: Vocabulary, engine_name: str, *, deep: bool) -> Iterator[str]:
    num_texts = count_strings(with_prefix("texts", arrays), what="texts")
    if num_texts != len(ids):
        yield f"there are {num_texts:,} texts and {len(ids):,} ids"
    found = False
    for problem in table_problems(with_prefix("table", arrays), vocabulary, deep=deep):
        found = True
        yield _of("table", problem)
    if not found:
        table = stored_table(arrays)
        own = with_prefix("engine", arrays)
        for problem in registry.get(engine_name).problems(own, table, vocabulary, len(ids), deep=deep):
            yield _of("engine", problem)


def _of(prefix: str, problem: str) -> str:
    return problem.replace("array '", f"array '{prefix}.", 1)


def shard_from_file(file: ArrayFile, vocabulary: Vocabulary, engine: str) -> Shard:
    """The shard that a file has, over the same memory."""
    try:
        engine_name, why = stored_choice(file.meta, engine)
    except StorageError as error:
        raise damaged(file.path, error.message) from None
    return shard_from_arrays(file.arrays, vocabulary, engine_name, why, what=str(file.path))


def shard_from_arrays(
    arrays: Arrays, vocabulary: Vocabulary, engine_name: str, why: str | None = None, *, what: str = "a shard"
) -> Shard:
    """The shard that the arrays came from, over the same memory; `what` names it in errors."""
    ids = stored_ids(arrays)
    require(_problems(arrays, ids, vocabulary, engine_name, deep=False), what)
    table = stored_table(arrays)
    return Shard(
        ids=ids,
        texts=with_prefix("texts", arrays),
        engine=registry.get(engine_name).from_arrays(with_prefix("engine", arrays), table, vocabulary),
        why=why,
    )


def prefixed(prefix: str, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    """Arrays under the names that they have among others."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def with_prefix(prefix: str, arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a prefix under their own names."""
    return {name[len(prefix) + 1 :]: array for name, array in arrays.items() if name.startswith(f"{prefix}.")}
