"""How are many JSON texts asked at once? As one block, encoded from their bytes for each part; bad ones told by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo import arguments
from eligo.data.events.direct.json_texts import JsonTexts
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.event_json import parsed_event
from eligo.data.events.text_values import moment_readers
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.engines.protocol import MatchArrays
from eligo.errors import EligoError, EventError, InputError, shown
from eligo.index.matches import row_lengths
from eligo.index.one_event.json_event import json_bytes
from eligo.language.limits import Limits
from eligo.language.value import Kind


def json_texts(texts: Any) -> list[bytes]:
    """The bytes of each text."""
    if isinstance(texts, str | bytes | bytearray | memoryview | Mapping) or not isinstance(texts, Iterable):
        raise InputError(f"texts is a list of JSON texts, not {shown(texts)}", help="match_json takes one")
    return [text if type(text) is bytes else json_bytes(text) for text in arguments.items(texts, "texts")]


class JsonBlock:
    """Events as JSON texts, encoded once for each vocabulary."""

    def __init__(
        self, texts: Sequence[bytes], kinds: Mapping[str, Kind], schema: Schema | None, limits: Limits
    ) -> None:
        self._texts = texts
        self._kinds = {name: kind for name, kind in kinds.items() if schema is None or name not in schema}
        self._schema, self._limits = schema, limits
        self._together = JsonTexts.of(texts) if schema is None else None
        self._batches: dict[int, tuple[Vocabulary, EventBatch]] = {}

    def __call__(self, vocabulary: Vocabulary) -> EventBatch:
        """The good events, encoded for a vocabulary; the others are its `rejects`."""
        kept = self._batches.get(id(vocabulary))
        if kept is None:
            kept = self._batches[id(vocabulary)] = (vocabulary, self._encoded(vocabulary))
        return kept[1]

    def all_good(self, vocabulary: Vocabulary) -> EventBatch:
        """All events, encoded for a vocabulary, or the error of the first that cannot be."""
        if errors := self.errors([vocabulary]):
            raise next(iter(errors.values()))
        return self(vocabulary)

    def _encoded(self, vocabulary: Vocabulary) -> EventBatch:
        return EventBatch.from_json_texts(
            self._together,
            self._texts,
            vocabulary,
            self._kinds,
            parse=lambda text: (parsed_event(text, self._limits), None),
            readers=moment_readers(self._kinds),
            schema=self._schema,
            on_error="reject",
            shown=lambda text: text.decode("utf-8", "replace"),
            limits=self._limits,
        )

    def errors(self, vocabularies: Iterable[Vocabulary]) -> dict[int, EligoError]:
        """What is wrong, for each row that some of the vocabularies cannot read."""
        found: dict[int, EligoError] = {}
        for vocabulary in vocabularies:
            for reject in self(vocabulary).rejects:
                error = found.setdefault(int(reject.id), reject.error)
                if isinstance(error, EventError):
                    error.row = int(reject.id)
        return dict(sorted(found.items()))

    def without(self, rows: Iterable[int]) -> JsonBlock:
        """The same without some events."""
        gone = set(rows)
        kept = [text for row, text in enumerate(self._texts) if row not in gone]
        return JsonBlock(kept, self._kinds, self._schema, self._limits)


def with_empty_rows(matches: MatchArrays, rows: Sequence[int]) -> MatchArrays:
    """Matches with empty rows between theirs, which then have these numbers."""
    num_rows = len(matches.offsets) - 1 + len(rows)
    is_good = np.ones(num_rows, np.bool_)
    is_good[list(rows)] = False
    lengths = np.zeros(num_rows, np.int64)
    lengths[is_good] = row_lengths(matches.offsets)
    offsets: npt.NDArray[np.uint64] = np.zeros(num_rows + 1, np.uint64)
    np.cumsum(lengths, out=offsets[1:])
    return MatchArrays(offsets, matches.positions)
