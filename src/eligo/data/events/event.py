"""How is one event read? A mapping from attributes to a value or a list of values, nested or with dotted names.

    {"age": 20, "interests": ["golf", "chess"], "user": {"vip": True}}        age, interests, user.vip

Null, NaN and an empty list mean missing. Attributes that the vocabulary does not have are passed over unread, and do
not count for limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, get_args

from eligo.arguments import items
from eligo.data.encoded_value import encode
from eligo.data.events.event_values import EventValues, EventValuesWriter
from eligo.data.events.event_weights import EventWeights, Weights
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EligoError, EventError, InputError, Reject
from eligo.errors import shown as brief
from eligo.language.event_size import EventSize
from eligo.language.limits import DEFAULT_LIMITS, Limits, checked_limits
from eligo.language.value import Scalar, event_values, flat, given_twice

OnError = Literal["raise", "reject"]
"""What to do with an event that cannot be read: raise at once, or leave it out and report it."""

Reader = Callable[[Any], Any]
"""Turns what an input format has into a value, such as ISO text into a date."""

NO_READERS: Mapping[str, Reader] = {}


def read_each(
    events: Iterable[Any],
    read: Callable[[Any, EventWeights | None], None],
    *,
    parse: Callable[[Any], tuple[Any, Any]] = lambda event: event,
    schema: Schema | None = None,
    from_text: bool = False,
    on_error: OnError = "raise",
    shown: Callable[[Any], str] = repr,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Reject]:
    """Have each event read, with its weights; returns those that could not be.

    `parse` makes of what the input has for an event a pair: a mapping, and its weights or None. `read` either takes an
    event or raises. A reject's id is the event's place in the input, and its text is as `shown`.
    """
    check_on_error(on_error)
    checked_limits(limits)
    rejects: list[Reject] = []
    for place, given in enumerate(events):
        try:
            event, weights = parse(given)
            if schema is not None:
                event = schema.coerce(event, from_text=from_text, limits=limits)
            read(event, weights if isinstance(weights, EventWeights | None) else EventWeights(weights))
        except EligoError as error:
            if isinstance(error, EventError) and error.row is None:
                error.row = place
            if on_error == "raise":
                raise
            rejects.append(Reject(place, shown(given), error))
    return rejects


def read_events(
    events: Iterable[Any],
    vocabulary: Vocabulary,
    *,
    readers: Mapping[str, Reader] = NO_READERS,
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> tuple[EventValues, int, list[Reject]]:
    """The values of the good events, their number, and the rejected ones; for a vocabulary that keeps values.

    `readers` make values of what the input has for an attribute; a schema does it better. The good events are numbered
    anew. The other options are those of `read_each`.
    """
    writer = EventValuesWriter()
    num_events = 0

    def read(event: Any, weights: EventWeights | None) -> None:
        nonlocal num_events
        for number, (name, values) in known_attributes(event, vocabulary, readers, limits).items():
            for value in values:
                weight = 1.0 if weights is None else weights.of(name, value)
                present_weight = 1.0 if weights is None else weights.of_presence(name)
                writer.add(num_events, number, encode(value), weight, present_weight)
        num_events += 1

    rejects = read_each(events, read, limits=limits, **options)
    return writer.finish(), num_events, rejects


def check_on_error(on_error: str) -> None:
    """Refuse what is no way to treat errors."""
    if not isinstance(on_error, str) or on_error not in get_args(OnError):
        raise InputError(f"{brief(on_error)} is not a way to treat errors", help='"raise" or "reject"')


def known_attributes(
    event: Mapping[str, Any], vocabulary: Vocabulary, readers: Mapping[str, Reader], limits: Limits
) -> dict[int, tuple[str, tuple[Scalar, ...]]]:
    """The present attributes of an event that the vocabulary has: name and values, by attribute number."""
    if not isinstance(event, Mapping):
        raise EventError(
            f"an event is a mapping from attributes to values, not {type(event).__name__}",
            help='write {"attribute": value, …}',
        )
    numbers = vocabulary.event_numbers
    found: dict[int, tuple[str, tuple[Scalar, ...]]] = {}
    size = EventSize(limits)
    for path, raw in flat(event, limits):
        number = numbers.get(path)
        if number is None:
            continue
        if readers and (reader := readers.get(path)) is not None:
            raw = _read(reader, raw, path)
        size.add(raw)
        if values := event_values(raw, path):
            if number in found:
                raise given_twice(path)
            found[number] = (path, values)
    return found


def _read(reader: Reader, raw: Any, attribute: str) -> Any:
    try:
        return reader(raw)
    except EventError as error:
        error.attribute = attribute
        raise


def with_weights(
    events: Iterable[Any], weights: Weights | Iterable[Weights | None] | None
) -> Iterator[tuple[Any, Any]]:
    """Each event with its weights: none, the same for all, or one mapping for each."""
    given = items(events, "events")
    if weights is None or isinstance(weights, Mapping):
        shared = None if weights is None else EventWeights(weights)
        return ((event, shared) for event in given)
    if isinstance(weights, str):
        raise InputError("weights are a mapping from attributes, not str")
    of_each = items(weights, "weights")
    if len(given) != len(of_each):
        raise InputError(
            f"{len(of_each)} weights for {len(given)} events", help="give one mapping for all, or one each"
        )
    return iter(zip(given, of_each, strict=True))
