"""How are events read from JSON lines? One object a line; a line that is none loses only itself.

A name that stands twice in an object is refused, because programs differ in which of the two counts.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from eligo.arguments import items
from eligo.arguments import path as path_argument
from eligo.data.events.event_weights import EventWeights, Weights
from eligo.errors import EligoError, EventError, EventLimitError, InputError, shown
from eligo.language.limits import DEFAULT_LIMITS, Limits

JsonLines = str | bytes | os.PathLike[str] | Iterable[str | bytes]
"""A text, its bytes, the path of a file (as a `Path`), or lines, such as an open file."""


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""What some programs put at the beginning of a file."""


class JsonLine(NamedTuple):
    """A line that is not blank, and its number from 1."""

    number: int
    text: bytes

    def __repr__(self) -> str:
        return self.text.decode("utf-8", "replace").strip()


def json_lines(source: JsonLines) -> Iterator[JsonLine]:
    """The lines of a source that are not blank."""
    for number, line in enumerate(_lines(source), 1):
        if not isinstance(line, str | bytes | bytearray | memoryview):
            raise InputError(f"a line of JSON is a text or bytes, not {shown(line)}")
        text = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else bytes(line)
        if number == 1:
            text = text.removeprefix(BYTE_ORDER_MARK)
        if text.strip():
            yield JsonLine(number, text)


def all_lines(source: JsonLines) -> tuple[list[JsonLine], EligoError | None]:
    """The lines of a source that are not blank, as far as they could be had, and what was wrong with the next one."""
    lines: list[JsonLine] = []
    try:
        lines.extend(json_lines(source))
    except EligoError as error:
        return lines, error
    return lines, None


def _lines(source: JsonLines) -> Iterator[str | bytes]:
    # Only a line feed ends a line: a JSON string may hold other separators, such as U+2028.
    if isinstance(source, str):
        yield from source.split("\n")
    elif isinstance(source, (bytes, bytearray, memoryview)):
        yield from bytes(source).split(b"\n")
    elif isinstance(source, os.PathLike):
        try:
            with open(path_argument(source), "rb") as file:
                yield from file
        except OSError as error:
            raise InputError(f"{source}: {error.strerror}") from None
    elif isinstance(source, Iterable) and not isinstance(source, Mapping):
        yield from items(source, "lines") if not hasattr(source, "readline") else source
    else:
        raise InputError(f"JSON lines are a text, a path or lines, not {type(source).__name__}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (repeated, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise EventError(f"the name {repeated!r} stands more than once in an object", help="several values are a list")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def parse_line(line: JsonLine, limits: Limits = DEFAULT_LIMITS) -> Any:
    """What a line holds, or an `EventError` that says where it is wrong."""
    if len(line.text) > limits.event_bytes:
        raise EventLimitError(
            f"line {line.number}: the event has {len(line.text):,} bytes of JSON, more than the {limits.event_bytes:,} "
            "that one may have",
            help="split the event, or raise Limits.event_bytes",
        )
    try:
        return _DECODER.decode(line.text.decode("utf-8"))
    except json.JSONDecodeError as error:
        raise EventError(f"line {line.number}, column {error.colno}: not JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        raise EventError(f"line {line.number}: not UTF-8 at byte {error.start + 1}") from None
    except (RecursionError, ValueError) as error:  # nested too deep; an integer of thousands of digits
        problem = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise EventError(f"line {line.number}: {problem}") from None


def line_parser(
    weights: Weights | None, weights_field: str | None, limits: Limits
) -> Callable[[JsonLine], tuple[Any, Any]]:
    """Parses a line to an event and its weights: those for all, or those in a field of its own."""
    shared = None if weights is None else EventWeights(weights)

    def parse(line: JsonLine) -> tuple[Any, Any]:
        event = parse_line(line, limits)
        if weights_field is None or not isinstance(event, dict):
            return event, shared
        own = event.pop(weights_field, None)
        return event, shared if own is None else own

    return parse


def parsed_event(text: bytes | None, limits: Limits) -> dict[str, Any]:
    """The event that a JSON text is; bytes, because Spark's strings need not be UTF-8."""
    if text is None:
        raise EventError("the event is missing")
    event = parse_line(JsonLine(1, text.removeprefix(BYTE_ORDER_MARK)), limits)
    if not isinstance(event, dict):
        raise EventError(
            f"an event is a JSON object, not {json.dumps(event)[:40]}", help='write {"age": 20, "state": "CA"}'
        )
    return event
