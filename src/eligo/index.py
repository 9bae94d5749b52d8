"""What does a user hold? An `Index`: built from expressions, asked with events, saved and opened again."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TextIO, TypeAlias, cast, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.event_batch import EventBatch
from eligo.data.expression_source import ExpressionId, read_expressions
from eligo.data.expression_table import ExpressionTable
from eligo.data.hierarchy import Hierarchy
from eligo.data.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.engines.protocol import Engine, EngineStats
from eligo.errors import BuildError, Reject, UnknownIdError
from eligo.language.evaluate import Missing
from eligo.language.explain import Explanation
from eligo.language.explain import explain as explain_tree
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.parse import parse
from eligo.language.tree import Expression
from eligo.storage.directory import open_version, publish
from eligo.storage.manifest import Manifest
from eligo.storage.string_array import pack_strings, unpack_strings

Events: TypeAlias = EventBatch | Sequence[Mapping[str, Any]] | pa.Table | pa.RecordBatch | Any
"""An encoded batch, a list of dicts, an Arrow table or record batch, or a pandas frame."""

STORED_LIMITS = Limits(length=sys.maxsize, depth=sys.maxsize, set_size=sys.maxsize)
"""What an index holds was within its limits when it was built."""


@dataclass(frozen=True)
class Matches:
    """Which expressions each event of a batch satisfies, as compressed rows."""

    offsets: npt.NDArray[np.uint64]
    """Event i has `positions[offsets[i]:offsets[i + 1]]`."""
    positions: npt.NDArray[np.uint32]
    """Expressions by their position in the index, ascending for each event."""
    all_ids: pa.Array
    """The ids of the index by position."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def ids(self, event: int) -> list[ExpressionId]:
        """The ids that one event of the batch satisfies, in the order in which they were given."""
        event = range(len(self))[event]
        rows = self.positions[int(self.offsets[event]) : int(self.offsets[event + 1])]
        taken: list[ExpressionId] = self.all_ids.take(pa.array(rows)).to_pylist()
        return taken

    def to_arrow(self) -> pa.Table:
        """One row for each match: the event's row in the batch, and the expression's id."""
        events = np.repeat(np.arange(len(self)), (self.offsets[1:] - self.offsets[:-1]).astype(np.int64))
        return pa.table({"event": events, "expression_id": self.all_ids.take(pa.array(self.positions))})


class Index:
    """An expression set that can be asked which expressions an event satisfies.

    Made by `eligo.build` or `eligo.open`. Matching changes nothing, so one index may serve many threads.
    """

    def __init__(
        self,
        *,
        ids: pa.Array,
        texts: pa.Array,
        vocabulary: Vocabulary,
        engine: Engine,
        missing: Missing,
        schema: Schema | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> None:
        self._ids = ids
        self._texts = texts
        self.vocabulary = vocabulary
        self.engine = engine
        self.missing: Missing = missing
        """What a predicate on a missing attribute is: "unknown" or "false"."""
        self.schema = schema
        self.hierarchies = dict(hierarchies or {})

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, id: object) -> bool:
        return id in self._position_of_id

    def __repr__(self) -> str:
        return f"<eligo.Index of {len(self):,} expressions, engine {self.engine_name!r}, missing={self.missing!r}>"

    @property
    def engine_name(self) -> str:
        """The name of the engine that answers."""
        return self.engine.name

    @cached_property
    def ids(self) -> list[ExpressionId]:
        """All ids, in the order in which they were given."""
        listed: list[ExpressionId] = self._ids.to_pylist()
        return listed

    def ids_array(self) -> pa.Array:
        """All ids by position, as an Arrow array of strings or 64-bit ints."""
        return self._ids

    @cached_property
    def _position_of_id(self) -> dict[ExpressionId, int]:
        return {id: position for position, id in enumerate(self.ids)}

    def text(self, id: ExpressionId) -> str:
        """One expression as it was given; the canonical text of one that was not given as a text."""
        if isinstance(id, bool) or id not in self._position_of_id:
            raise UnknownIdError(f"there is no expression {id!r} in this index")
        text: str = self._texts[self._position_of_id[id]].as_py()
        return text

    def tree(self, id: ExpressionId) -> Expression:
        """One expression as a tree."""
        return parse(self.text(id), limits=STORED_LIMITS)

    def encode(self, events: Events, *, exclude: Iterable[str] = ()) -> EventBatch:
        """Events in the form that engines take; `exclude` names columns of a table that are not attributes."""
        if isinstance(events, EventBatch):
            return events
        if isinstance(events, (pa.Table, pa.RecordBatch)):
            return EventBatch.from_arrow(events, self.vocabulary, exclude=tuple(exclude), schema=self.schema)
        if hasattr(events, "to_dict") and hasattr(events, "columns"):
            return EventBatch.from_pandas(events, self.vocabulary, exclude=tuple(exclude), schema=self.schema)
        return EventBatch.from_dicts(list(events), self.vocabulary, schema=self.schema)

    def match(self, event: Mapping[str, Any]) -> list[ExpressionId]:
        """The ids of the expressions that the event satisfies, in the order in which they were given."""
        batch = EventBatch.from_dicts([event], self.vocabulary, schema=self.schema)
        ids = self.ids
        return [ids[position] for position in self.engine.match(batch).tolist()]

    def match_batch(self, events: Events, *, exclude: Iterable[str] = ()) -> Matches:
        """The matches of many events at once: the quick way when there is more than one."""
        matches = self.engine.match_batch(self.encode(events, exclude=exclude))
        return Matches(matches.offsets, matches.positions, self._ids)

    def count_batch(self, events: Events, *, exclude: Iterable[str] = ()) -> npt.NDArray[np.int64]:
        """How many of the events each expression matches, by position: reach, without writing a single pair."""
        return self.engine.count_batch(self.encode(events, exclude=exclude))

    def top(
        self, event: Mapping[str, Any], n: int = 10, *, weights: Mapping[str, Any] | None = None
    ) -> list[tuple[ExpressionId, float]]:
        """The n best matches with their scores, best first; among equal scores, in the order given.

        `weights` weighs the event's attributes (`{"age": 0.8}`) or values (`{"interests": {"golf": 2.0}}`).
        """
        batch = EventBatch.from_dicts([event], self.vocabulary, weights=weights, schema=self.schema)
        positions, scores = self.engine.top(batch, n)
        ids = self.ids
        return [(ids[position], score) for position, score in zip(positions.tolist(), scores.tolist(), strict=True)]

    def explanation(self, id: ExpressionId, event: Mapping[str, Any]) -> Explanation:
        """Why the event does or does not satisfy the expression, as an object with text and JSON forms."""
        known = self.schema.coerce(event) if self.schema is not None else event
        return explain_tree(self.tree(id), known, self.missing, hierarchies=self.hierarchies)

    def explain(self, id: ExpressionId, event: Mapping[str, Any], *, file: TextIO | None = None) -> None:
        """Print why the event does or does not satisfy the expression."""
        out = file if file is not None else sys.stdout
        print(self.explanation(id, event).to_text(color=out.isatty() and "NO_COLOR" not in os.environ), file=out)

    def stats(self) -> EngineStats:
        """What the engine holds and has done so far."""
        return self.engine.stats()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a directory; one that is there already gets a new version, atomically."""
        arrays = {
            **_prefixed("ids", _pack_ids(self._ids)),
            **_prefixed("texts", pack_strings(self._texts)),
            **_prefixed("table", self.engine.table.arrays()),
            **_prefixed("engine", self.engine.arrays()),
        }
        publish(
            path,
            shards=[(arrays, {"num_expressions": len(self)})],
            vocabulary=self.vocabulary.arrays(),
            missing=self.missing,
            engine=self.engine_name,
            schema=self.schema.to_json() if self.schema is not None else None,
            hierarchies={name: hierarchy.to_json() for name, hierarchy in sorted(self.hierarchies.items())},
        )


def _prefixed(prefix: str, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def _with_prefix(prefix: str, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    return {name[len(prefix) + 1 :]: array for name, array in arrays.items() if name.startswith(f"{prefix}.")}


def _pack_ids(ids: pa.Array) -> dict[str, npt.NDArray[Any]]:
    return {"numbers": ids.to_numpy()} if pa.types.is_integer(ids.type) else pack_strings(ids)


def _unpack_ids(arrays: Mapping[str, npt.NDArray[Any]]) -> pa.Array:
    return pa.array(arrays["numbers"]) if "numbers" in arrays else unpack_strings(arrays)


def open(path: str | os.PathLike[str], *, manifest: Manifest | None = None, verify: bool = True) -> Index:
    """Open a saved index; its arrays are memory-mapped, after their checksums have been compared.

    `manifest` asks for the version that it describes instead of the live one, and `verify=False` leaves the checksums
    out: for the workers of a job whose driver has opened the index already.
    """
    opened = open_version(path, manifest=manifest, verify=verify)
    manifest = opened.manifest
    vocabulary = Vocabulary.from_arrays(opened.vocabulary.arrays)
    arrays = opened.shards[0].arrays
    table = ExpressionTable.from_arrays(_with_prefix("table", arrays))
    engine = registry.get(manifest.engine).from_arrays(_with_prefix("engine", arrays), table, vocabulary)
    return Index(
        ids=_unpack_ids(_with_prefix("ids", arrays)),
        texts=unpack_strings(_with_prefix("texts", arrays)),
        vocabulary=vocabulary,
        engine=engine,
        missing=manifest.missing,
        schema=Schema.from_json(manifest.schema) if manifest.schema is not None else None,
        hierarchies={name: Hierarchy.from_json(cast(Any, form)) for name, form in manifest.hierarchies.items()},
    )


@overload
def build(
    expressions: Any,
    *,
    missing: Missing = ...,
    engine: str = ...,
    schema: Schema | Mapping[str, Any] | None = ...,
    hierarchies: Mapping[str, Hierarchy] | None = ...,
    limits: Limits = ...,
    on_error: Literal["raise"] = ...,
    id: str = ...,
    expression: str = ...,
) -> Index: ...


@overload
def build(
    expressions: Any,
    *,
    missing: Missing = ...,
    engine: str = ...,
    schema: Schema | Mapping[str, Any] | None = ...,
    hierarchies: Mapping[str, Hierarchy] | None = ...,
    limits: Limits = ...,
    on_error: Literal["reject"],
    id: str = ...,
    expression: str = ...,
) -> tuple[Index, list[Reject]]: ...


def build(
    expressions: Any,
    *,
    missing: Missing = "unknown",
    engine: str = registry.DEFAULT_ENGINE,
    schema: Schema | Mapping[str, Any] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    on_error: Literal["raise", "reject"] = "raise",
    id: str = "id",
    expression: str = "expression",
) -> Index | tuple[Index, list[Reject]]:
    """Index expressions.

    `expressions` is a mapping from ids to expressions, an iterable of (id, expression), or an Arrow table or pandas
    frame whose columns `id` and `expression` name. An expression is a text, a tree, or the JSON form; an id is a
    string or an int. An id that comes again replaces the expression that it had. Bad expressions are reported all
    together in one `BuildError`; with `on_error="reject"` the good ones are built and the bad ones returned beside.
    """
    if missing not in ("unknown", "false"):
        raise ValueError(f'missing is "unknown" or "false", not {missing!r}')
    if on_error not in ("raise", "reject"):
        raise ValueError(f'on_error is "raise" or "reject", not {on_error!r}')
    engine_class = registry.get(engine)
    known_schema = Schema.from_dict(schema) if isinstance(schema, Mapping) else schema
    known_hierarchies = {**(known_schema.hierarchies() if known_schema is not None else {}), **(hierarchies or {})}
    given = read_expressions(expressions, schema=known_schema, limits=limits, id=id, expression=expression)
    ids, texts, rejects = given.ids, given.texts, given.rejects
    if rejects and on_error == "raise":
        raise BuildError(rejects)
    vocabulary, table = given.encode(missing, known_hierarchies)
    del given  # parsed texts take more memory than anything that the engine makes
    index = Index(
        ids=ids,
        texts=texts,
        vocabulary=vocabulary,
        engine=engine_class.build(table, vocabulary),
        missing=missing,
        schema=known_schema,
        hierarchies=known_hierarchies,
    )
    return index if on_error == "raise" else (index, rejects)
