"""How are JSON texts encoded of which some are unusual? Most from their bytes, those by parsing them, all in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eligo.data.events.direct.joined_events import events_in_order
from eligo.data.events.direct.json_scratch import JsonScratch, roles_of
from eligo.data.events.direct.json_texts import JsonTexts, encode_json
from eligo.data.events.encoded_events import EncodedEvents, EventArrays
from eligo.data.events.encoder.event_rows import encoded_mappings
from eligo.data.events.event import OnError, Reader
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EligoError, EventError, Reject
from eligo.language.limits import DEFAULT_LIMITS, Limits, checked_limits
from eligo.language.value import Kind


def encoded_texts(
    texts: JsonTexts | None,
    given: Sequence[Any],
    vocabulary: Vocabulary,
    moments: Mapping[str, Kind],
    *,
    parse: Callable[[Any], tuple[Any, Any]],
    readers: Mapping[str, Reader],
    schema: Schema | None = None,
    on_error: OnError = "raise",
    shown: Callable[[Any], str] = repr,
    limits: Limits = DEFAULT_LIMITS,
) -> EncodedEvents:
    """Events as JSON texts in memory; what is unusual, or all where there are none, is parsed from `given`.

    `moments` says which attributes have texts that are dates or timestamps; `readers` are how these are read. For all
    else see `event.read_each`.
    """
    is_left, direct = np.ones(len(given), np.bool_), None
    if texts is not None and not vocabulary.keeps_values:
        scratch = JsonScratch(vocabulary, roles_of(vocabulary, moments))
        room, is_left = encode_json(texts, vocabulary, scratch, checked_limits(limits))
        direct = EventArrays.of_unweighted(*room.arrays())
        if not is_left.any():
            return EncodedEvents(direct)
    places = np.flatnonzero(is_left).tolist()
    try:
        parsed = encoded_mappings(
            (given[place] for place in places),
            vocabulary,
            readers,
            parse=parse,
            schema=schema,
            on_error=on_error,
            shown=shown,
            limits=limits,
        )
    except EventError as error:
        raise _at_place(error, places) from None
    told = [Reject(places[int(each.id)], each.text, _at_place(each.error, places)) for each in parsed.rejects]
    if direct is None:
        return parsed._replace(rejects=told)
    is_good = np.ones(len(given), np.bool_)
    is_good[[int(reject.id) for reject in told]] = False
    arrays = events_in_order(direct.unweighted(), parsed.arrays.unweighted(), is_left[is_good])
    return EncodedEvents(EventArrays.of_unweighted(*arrays), told)


def _at_place(error: EligoError, places: Sequence[int]) -> EligoError:
    """The error of one of some events, with its place among all."""
    if isinstance(error, EventError) and error.row is not None:
        error.row = places[error.row]
    return error
