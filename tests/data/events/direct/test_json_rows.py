"""JSON texts that are read from their bytes: exactly what Python's objects give, or left for the long way."""

from __future__ import annotations

import json
import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.data.events.direct import json_texts
from eligo.data.events.direct.json_scratch import JsonScratch, roles_of
from eligo.data.events.direct.json_texts import MOST_INTERPRETED, JsonTexts, encode_json
from eligo.data.events.event import read_events
from eligo.data.events.event_batch import EventBatch, batch_of_items
from eligo.data.events.event_json import parsed_event
from eligo.data.events.json_encoder import JsonEncoder
from eligo.data.events.text_values import moment_readers
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EligoError
from eligo.language.limits import DEFAULT_LIMITS, Limits
from encoded_reading import same_batch

ASKED = {
    1: "age in (1, 2, 30) or age between 2.5 and 1000000 or age = true",
    2: "place in ('a', 'é', '\U0001f600', 'tab\tbed') or place starts with 'x' or place < 'b'",
    3: "user.name = 'ann' or user.name.first = 'b' or user.age > 3",
    4: "page under 'sports/golf' or page under 'sports'",
    5: "day >= date '2024-02-01'",
    6: "moment < timestamp '2024-02-01T00:00:00Z'",
    7: "flag = true or number exists",
}


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return eligo.build(ASKED).vocabulary


def the_long_way(text: bytes, vocabulary: Vocabulary, limits: Limits = DEFAULT_LIMITS) -> EventBatch | str:
    """What Python's objects give, or the error."""
    try:
        values, _, _ = read_events(
            [text],
            vocabulary,
            parse=lambda text: (parsed_event(text, limits), None),
            readers=moment_readers(vocabulary.temporal_kinds),
            limits=limits,
        )
    except EligoError as error:
        return f"{type(error).__name__}: {error}"
    return EventBatch.from_values(1, [values], vocabulary)


def directly(text: bytes, vocabulary: Vocabulary, limits: Limits = DEFAULT_LIMITS) -> EventBatch | None:
    """What the bytes give, if they are not left."""
    scratch = JsonScratch(vocabulary, roles_of(vocabulary, vocabulary.temporal_kinds))
    room, is_left = encode_json(JsonTexts.of([text]), vocabulary, scratch, limits)
    return None if is_left[0] else EventBatch.of_unweighted(*room.arrays())


def check(text: bytes, vocabulary: Vocabulary) -> bool:
    """Compare both ways; whether the text was not left."""
    expected, found = the_long_way(text, vocabulary), directly(text, vocabulary)
    if found is not None:
        assert isinstance(expected, EventBatch), f"{text!r} is read, but {expected}"
        assert same_batch(found, expected), text
    return found is not None


NAMES = st.sampled_from(
    (
        "age",
        "place",
        "user",
        "name",
        "first",
        "user.name",
        "user.age",
        "page",
        "day",
        "moment",
        "flag",
        "number",
        "x",
        "",
    )
)
NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20),
    st.sampled_from((0, 1, 2, 30, -0.0, 2.5, 1e22, 2**63 - 1, 2**63)),
    st.floats(allow_nan=True, allow_infinity=True),
    st.decimals(allow_nan=False, allow_infinity=False, places=6).map(float),
)
TEXTS = st.one_of(
    st.sampled_from(
        ("a", "é", "\U0001f600", "tab\tbed", "x/y", "sports/golf/9", "sports", "ann", "2024-01-31", "2024-02-30", "")
    ),
    st.sampled_from(
        ("2024-01-31T10:00:00Z", "2024-01-31 10:00:00.5+05:30", "2024-01-31T24:00", "0001-01-01T00:00+01:00")
    ),
    st.text(max_size=12),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=6,
)
EVENTS = st.dictionaries(NAMES | st.just(""), VALUES, max_size=6)
PIECES = (*(bytes([byte]) for byte in b',"\\{}[]:0-e.\xff'), b"", b"\xed\xa0\x80", b"\\u00")


@given(EVENTS, st.booleans(), st.sampled_from((None, 1)))
def test_valid(vocabulary: Vocabulary, event: dict[str, Any], is_ascii: bool, indent: int | None) -> None:
    text = json.dumps(event, ensure_ascii=is_ascii, indent=indent).encode("utf-8", "surrogatepass")
    check(text, vocabulary)


@given(EVENTS, st.integers(0, 10**9))
def test_mutated(vocabulary: Vocabulary, event: dict[str, Any], seed: int) -> None:
    chance = random.Random(seed)
    text = bytearray(json.dumps(event, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass"))
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(text) + 1)
        piece = chance.choice(PIECES)
        text[place : place + chance.randint(0, 2)] = piece
    check(bytes(text), vocabulary)


USUAL = (
    b"{}",
    b' { "age" : 30 , "place" : [ "a" , null , "x" ] } \n',
    b'{"age": 2.5e0, "unknown": {"a": [1, {"b": "\\u00e9"}]}, "flag": false}',
    b'{"user": {"name": {"first": "b"}, "age": 4}, "place": "\\ud83d\\ude00\\t"}',
    b'{"age": [1, 1, 30.0, -0, 0.1234567890123456], "page": "sports/golf/9"}',
    b'{"day": "2024-01-31", "moment": ["2024-01-31", "2024-01-31 10:00:00.5+05:30", "2024-01-31T10:00"]}',
    b'{"age": null, "place": [], "number": {}}',
)


@pytest.mark.parametrize("text", USUAL)
def test_usual_texts_are_not_left(vocabulary: Vocabulary, text: bytes) -> None:
    assert check(text, vocabulary)


UNUSUAL = (
    b"",
    b"null",
    b"[{}]",
    b"{} {}",
    b'{"age": 1, "age": 2}',
    b'{"x": 1, "x": 2}',
    b'{"x": [{"y": 1, "y": 1}]}',
    b'{"user.age": 1, "user": {"age": 2}}',
    b'{"\\u0061ge": 1}',
    b'{"age": [[1]]}',
    b'{"age": [{}]}',
    b'{"age": 99999999999999999999}',
    b'{"age": 1e999}',
    b'{"age": NaN}',
    b'{"age": 01}',
    b'{"age": 1.}',
    b'{"age": -}',
    b'{"age": +1}',
    b'{"age": 1,}',
    b'{"age" 1}',
    b'{"place": "\\ud83d"}',
    b'{"place": "\\q"}',
    b'{"place": "a\nb"}',
    b'{"place": "\xff"}',
    b'{"x": "\xed\xa0\x80"}',
    b'{"day": "2024-02-30"}',
    b'{"day": "no day"}',
    b"{" * 200,
    b'{"x":' * 101 + b"1" + b"}" * 101,
    b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"x":' + b"9" * 5_000 + b"}",
)


@pytest.mark.parametrize("text", UNUSUAL, ids=lambda text: repr(text[:30]))
def test_unusual_texts_are_left(vocabulary: Vocabulary, text: bytes) -> None:
    assert not check(text, vocabulary)


def test_limits(vocabulary: Vocabulary) -> None:
    text = b'{"age": [1, 1, null, 2], "place": "abc", "user": {"age": 1}}'
    for limits in (Limits(event_values=4), Limits(event_bytes=len(text) - 1), Limits(event_depth=1)):
        found, expected = directly(text, vocabulary, limits), the_long_way(text, vocabulary, limits)
        assert isinstance(expected, str) == (found is None) or limits.event_depth == 1
    assert directly(text, vocabulary, Limits(event_values=5, event_bytes=len(text))) is not None


def test_many_texts_come_in_order(vocabulary: Vocabulary) -> None:
    texts = [*USUAL, *UNUSUAL, *USUAL] * 3
    expected = [the_long_way(text, vocabulary) for text in texts]
    good = [batch for batch in expected if isinstance(batch, EventBatch)]
    moments = vocabulary.temporal_kinds
    for given_texts in (
        JsonTexts.of(texts),
        JsonTexts.of_column(pa.chunked_array([texts[:5], texts[5:]], pa.binary())),
    ):
        batch = EventBatch.from_json_texts(
            given_texts,
            texts,
            vocabulary,
            moments,
            parse=lambda text: (parsed_event(text, DEFAULT_LIMITS), None),
            readers=moment_readers(moments),
            on_error="reject",
        )
        assert [reject.id for reject in batch.rejects] == [
            place for place, each in enumerate(expected) if isinstance(each, str)
        ]
        for reject in batch.rejects:
            assert (
                f"{type(reject.error).__name__}: {reject.error}".replace(f"event {reject.id}", "event 0")
                == (expected[int(reject.id)])
            )
        assert batch.num_events == len(good)
        assert batch.keys.tolist() == [key for each in good for key in each.keys.tolist()]
        assert batch.cells.tolist() == [cell for each in good for cell in each.cells.tolist()]
        assert batch.cell_axes.tolist() == [axis for each in good for axis in each.cell_axes.tolist()]


def test_one_text_at_a_time(vocabulary: Vocabulary) -> None:
    encoder = JsonEncoder(vocabulary)
    for text in (*USUAL, *UNUSUAL, *USUAL):
        expected = the_long_way(text, vocabulary)
        if isinstance(expected, str):
            with pytest.raises(EligoError) as caught:
                encoder.items(text)
            assert f"{type(caught.value).__name__}: {caught.value}" == expected
        else:
            assert same_batch(batch_of_items(encoder.items(text)), expected)


def test_more_than_there_was_room_for(vocabulary: Vocabulary) -> None:
    text = json.dumps({"age": list(range(3_000)) + [0.5 + number for number in range(3_000)]}).encode()
    expected = the_long_way(text, vocabulary)
    assert isinstance(expected, EventBatch)
    encoder = JsonEncoder(vocabulary)
    for _ in range(2):
        assert same_batch(batch_of_items(encoder.items(text)), expected)


def test_long_texts_wait_for_the_compiler(vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []

    def note(loop: Any, *arguments: int) -> Any:
        waited.append(len(arguments))
        return loop(*arguments)

    monkeypatch.setattr(json_texts, "call_compiled", note)
    text = b'{"age": 1, "place": "a"}'
    encoder = JsonEncoder(vocabulary)
    encoder.items(text)
    EventBatch.from_json_lines([text] * 9, vocabulary)
    assert not waited
    EventBatch.from_json_lines([text] * (MOST_INTERPRETED // len(text) + 1), vocabulary)
    assert len(waited) == 1
    encoder.items(text + b" " * MOST_INTERPRETED)
    assert len(waited) == 2
