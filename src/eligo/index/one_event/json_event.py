"""How does a JSON text become an event? Encoded from its bytes for each part, where that is enough.

An index with a schema, with expressions that are not frozen yet, or about documents, needs the event's values: then the
text is parsed, and the event is asked as any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eligo.data.events.event import Reader
from eligo.data.events.event_json import parsed_event
from eligo.data.events.json_encoder import JsonEncoder
from eligo.data.events.text_values import moment_readers
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary, temporal_kind
from eligo.errors import EventError, InputError, shown
from eligo.language.event_size import too_deep
from eligo.language.limits import Limits
from eligo.language.value import Kind

NO_BITS: Mapping[str, int] = {}

JsonText = str | bytes | bytearray | memoryview


def json_bytes(text: JsonText) -> bytes:
    """The bytes of a text."""
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")  # which is refused as bytes that are not UTF-8 are
    if isinstance(text, bytearray | memoryview):
        return bytes(text)
    raise InputError(f"an event as JSON is a text or bytes, not {shown(text)}", help="match takes events as mappings")


def json_encoders(
    vocabularies: Sequence[Vocabulary], before: Iterable[JsonEncoder] = (), tail: Mapping[str, int] = NO_BITS
) -> tuple[tuple[JsonEncoder, ...], dict[str, Kind]]:
    """An encoder for each part, of those before where nothing has changed for it; and what texts stand for.

    `tail` has the bits of attributes that expressions compare which are in no part.
    """
    bits = dict(tail)
    for vocabulary in vocabularies:
        for name, own in _kind_bits(vocabulary).items():
            bits[name] = bits.get(name, 0) | own
    kinds = {name: kind for name, own in bits.items() if (kind := temporal_kind(own)) is not None}
    known = {id(encoder.vocabulary): encoder for encoder in before}
    found = []
    for vocabulary in vocabularies:
        own_bits = _kind_bits(vocabulary)
        moments = {name: kind for name, kind in kinds.items() if name in own_bits}
        encoder = known.get(id(vocabulary))
        is_kept = encoder is not None and encoder.moments == moments
        found.append(encoder if encoder is not None and is_kept else JsonEncoder(vocabulary, moments))
    return tuple(found), kinds


def _kind_bits(vocabulary: Vocabulary) -> dict[str, int]:
    kept: dict[str, int] | None = vocabulary.kept.get("kind_bits")
    if kept is None:
        names, bits = vocabulary.attribute_names, vocabulary.data.attribute_kinds.tolist()
        kept = vocabulary.kept.setdefault("kind_bits", dict(zip(names, bits, strict=True)))
    return kept


def json_event(text: bytes, kinds: Mapping[str, Kind], schema: Schema | None, limits: Limits) -> dict[str, Any]:
    """The event of a text, with moments for the texts of attributes that have such; a schema reads its own."""
    event = parsed_event(text, limits)
    readers = moment_readers({name: kind for name, kind in kinds.items() if schema is None or name not in schema})
    return _with_moments(event, readers, limits) if readers else event


def _with_moments(event: dict[str, Any], readers: Mapping[str, Reader], limits: Limits) -> dict[str, Any]:
    made: dict[str, Any] = {}
    pending = [("", event, made, 0)]
    while pending:
        prefix, given, target, depth = pending.pop()
        for name, raw in given.items():
            if isinstance(raw, dict):
                if depth >= limits.event_depth:
                    raise too_deep(limits)
                target[name] = {}
                pending.append((f"{prefix}{name}.", raw, target[name], depth + 1))
                continue
            reader = readers.get(prefix + name)
            try:
                target[name] = raw if reader is None else reader(raw)
            except EventError as error:
                error.attribute = prefix + name
                raise
    return made
