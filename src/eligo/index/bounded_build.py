"""How is a part built in little memory? Shard by shard over one vocabulary, and what is done waits in mapped files.

    chunk of a million ─▶ parse, encode ─▶ vocabulary of its own ─┐
    next chunk         ─▶ parse, encode ─▶ vocabulary of its own ─┴▶ merged ─▶ renumber, build a shard, spill it ─▶ …

At any moment one chunk is parsed or one shard is built; the rest is on disk, see `storage.spilled`. Up to a
million expressions are one chunk and one shard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import numpy.typing as npt
import pyarrow as pa

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_chunks import ExpressionChunks, ReadingRules
from eligo.data.expressions.expression_source import ExpressionId, GivenExpressions
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.merge_vocabulary import merge_vocabularies, renumbered
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.errors import BuildError, NormalFormTooLargeError, Reject
from eligo.index.memory import give_back
from eligo.index.part import Events, Part, encoded_events
from eligo.index.settings import Settings
from eligo.index.shard import (
    Shard,
    build_shard,
    encoded_arrays,
    own_vocabulary,
    row_arrays,
    stored_ids,
    stored_table,
    with_prefix,
)
from eligo.language.limits import UNBOUNDED
from eligo.storage.spilled.spilled_arrays import spilled

OnError = Literal["raise", "reject"]
Arrays = dict[str, npt.NDArray[Any]]


class BuiltPart(NamedTuple):
    """A part, and the expressions that are not in it."""

    part: Part
    rejects: list[Reject]


class EncodedChunk(NamedTuple):
    """A chunk between the two passes; all of it mapped."""

    rows: Arrays
    """Of ids and texts, which the shard will have too."""
    encoded: Arrays
    """Of the table and the vocabulary of its own rows."""


def build_part(
    chunks: ExpressionChunks, settings: Settings, sample: Events | None = None, *, on_error: OnError = "raise"
) -> BuiltPart:
    """A part of expressions; `sample` has events like those to come.

    Those that are refused are told, or raised all together: in a `BuildError`, or, if it is the engine that cannot take
    them, in a `NormalFormTooLargeError`.
    """
    rejects: list[Reject] = []
    if len(chunks) == 1:
        return BuiltPart(_build_whole(chunks, settings, sample, on_error, rejects), rejects)
    encoded = list(_encode_each(chunks, settings, on_error, rejects))
    vocabulary = merge_vocabularies([own_vocabulary(chunk.encoded) for chunk in encoded])
    events = _encoded_sample(sample, vocabulary, settings)
    shards: list[Shard] = []
    encoded.reverse()
    while encoded:
        rows, arrays = encoded.pop()
        table = renumbered(stored_table(arrays), own_vocabulary(arrays), vocabulary)
        # Texts stay packed: nothing reads them, and none of their pages comes into memory.
        shard = _shard(stored_ids(rows), with_prefix("texts", rows), table, vocabulary, settings, events)
        shards.append(shard.spilled(rows))
        del rows, arrays, table, shard
        give_back()
    return BuiltPart(Part(vocabulary, shards), rejects)


def freeze_part(ids: pa.Array, texts: pa.Array, settings: Settings, sample: Events | None = None) -> Part:
    """A part of expressions that an index holds, which were within its limits when they came."""
    held = ExpressionChunks(pa.table({"id": ids, "expression": texts}), ReadingRules(None, UNBOUNDED))
    return build_part(held, settings.unbounded, sample).part


def _build_whole(
    chunks: ExpressionChunks, settings: Settings, sample: Events | None, on_error: OnError, rejects: list[Reject]
) -> Part:
    """A part of one shard; what is rejected is added to `rejects`."""
    given = chunks.whole()
    rejects += given.rejects
    if on_error == "raise" and rejects:
        raise BuildError(rejects)
    ids, texts = given.ids, given.texts
    vocabulary, table = _encode(given, settings)
    again = given if on_error == "reject" and not registry.takes_any_shape(settings.engine) else None
    del given  # parsed texts take more memory than anything that the engine makes
    events = _encoded_sample(sample, vocabulary, settings)
    try:
        shard = _shard(ids, texts, table, vocabulary, settings, events)
    except NormalFormTooLargeError as error:
        if again is None:
            raise
        rejects += refused(again, error)
        taken = again.without(error.rows)
        vocabulary, table = _encode(taken, settings)
        events = _encoded_sample(sample, vocabulary, settings)
        shard = _shard(taken.ids, taken.texts, table, vocabulary, settings, events)
    del ids, texts, table, again
    waiting = shard.spilled()
    if waiting is not shard:
        del shard
        give_back()
    return Part(vocabulary, [waiting])


def _encode(given: GivenExpressions, settings: Settings) -> tuple[Vocabulary, ExpressionTable]:
    return given.encode(settings.missing, settings.hierarchies, settings.only_strings)


def _encoded_sample(sample: Events | None, vocabulary: Vocabulary, settings: Settings) -> EventBatch | None:
    if sample is None:
        return None
    return encoded_events(sample, vocabulary, schema=settings.schema, limits=settings.limits)


def _shard(
    ids: pa.Array,
    texts: pa.Array | Arrays,
    table: ExpressionTable,
    vocabulary: Vocabulary,
    settings: Settings,
    sample: EventBatch | None,
) -> Shard:
    limits, ranges = settings.limits, settings.ranges
    return build_shard(ids, texts, settings.engine, table, vocabulary, sample, limits=limits, ranges=ranges)


def _encode_each(
    chunks: Iterable[GivenExpressions], settings: Settings, on_error: OnError, rejects: list[Reject]
) -> Iterator[EncodedChunk]:
    """Chunks of the expressions that are taken; the others are added to `rejects`, or raised after the last one."""
    too_large = TooLarge()
    for given in chunks:
        rejects += given.rejects
        if on_error == "raise" and rejects:
            continue  # the others are only read, so that all bad ones are told together
        error = _shapes_error(given, settings)
        if error is not None and on_error == "raise":
            too_large.add(given, error)
            continue
        if error is not None:
            rejects += refused(given, error)
            given = given.without(error.rows)
        too_large.num_before += len(given.ids)
        vocabulary, table = _encode(given, settings)
        rows = row_arrays(given.ids, given.texts)
        del given
        yield EncodedChunk(spilled(rows, least=0), spilled(encoded_arrays(table, vocabulary), least=0))
        del rows, table, vocabulary
        give_back()
    if on_error == "raise" and rejects:
        raise BuildError(rejects)
    too_large.raise_any()


def _shapes_error(given: GivenExpressions, settings: Settings) -> NormalFormTooLargeError | None:
    """Why the engine cannot take some of the expressions."""
    if registry.takes_any_shape(settings.engine):
        return None
    _, table = _encode(given, settings)
    try:
        registry.require_shapes(settings.engine, table, limits=settings.limits)
    except NormalFormTooLargeError as error:
        return error
    return None


class TooLarge:
    """The expressions of several chunks that the engine cannot take."""

    def __init__(self) -> None:
        self.num_before = 0
        """Expressions of the chunks that were looked at."""
        self._errors: list[NormalFormTooLargeError] = []
        self._rows: list[int] = []
        self._ids: list[ExpressionId] = []

    def add(self, given: GivenExpressions, error: NormalFormTooLargeError) -> None:
        self._errors.append(error)
        self._rows += [self.num_before + row for row in error.rows]
        self._ids += [id for id, _ in given.at(error.rows)]
        self.num_before += len(given.ids)

    def raise_any(self) -> None:
        """One error for all of them."""
        if self._errors:
            error = self._errors[0].naming(self._ids)
            error.rows = tuple(self._rows)
            raise error


def refused(given: GivenExpressions, error: NormalFormTooLargeError) -> list[Reject]:
    """The expressions that the engine cannot take."""
    return [Reject(id, text, error) for id, text in given.at(error.rows)]
