"""Does a long text leave the interpreter to other threads while it is read, and a short one keep it?"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator

import pytest

import eligo
from eligo.data.events.event_batch import batch_of_items
from eligo.data.events.json_encoder import MOST_BRIEF, JsonEncoder
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EventError, EventLimitError
from eligo.language.limits import Limits
from encoded_reading import same_batch

ATTEMPTS = 200


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return eligo.build({1: "age > 3 and place = 'a'", 2: "day > date '2024-01-01'"}).vocabulary


@pytest.fixture
def unwilling_interpreter() -> Iterator[None]:
    """A thread that has the interpreter lock gives it away where it chooses to, and not when it had it for long."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(600)
    yield
    sys.setswitchinterval(interval)


def padded(event: dict[str, object], num_bytes: int) -> bytes:
    """The text of an event with so many bytes more, of things that no expression asks for."""
    return json.dumps({**event, "other": [1] * (num_bytes // 3)}).encode()


@pytest.mark.skipif("eligo.kernels.compiled.IS_INTERPRETED", reason="nothing is given away interpreted")
@pytest.mark.usefixtures("unwilling_interpreter")
@pytest.mark.parametrize(("num_bytes", "is_given_away"), [(32 * MOST_BRIEF, True), (MOST_BRIEF // 2, False)])
def test_other_threads_go_on_beside_a_long_text(vocabulary: Vocabulary, num_bytes: int, is_given_away: bool) -> None:
    encoder, text = JsonEncoder(vocabulary), padded({"age": 4}, num_bytes)
    expected = encoder.items(text)  # compiles what there is to compile
    gate, went_on = threading.Semaphore(0), threading.Event()

    def go_on() -> None:
        gate.acquire()
        went_on.set()

    thread = threading.Thread(target=go_on)
    thread.start()
    gate.release()
    for _ in range(ATTEMPTS):  # the system may have no processor for the other thread just then
        assert encoder.items(text) == expected
        if went_on.is_set():
            break
    was_given_away = went_on.is_set()
    thread.join()
    assert was_given_away == is_given_away


def test_long_texts_hit_what_short_ones_do(vocabulary: Vocabulary) -> None:
    encoder = JsonEncoder(vocabulary)
    for event in ({"age": [4, 5], "place": "a"}, {"day": "2024-05-01"}, {"place": "é\t", "age": 1e300}):
        short, long = (batch_of_items(encoder.items(padded(event, size))) for size in (0, 2 * MOST_BRIEF))
        assert same_batch(short, long)


def test_errors_and_limits_of_long_texts(vocabulary: Vocabulary) -> None:
    encoder = JsonEncoder(vocabulary)
    with pytest.raises(EventError, match="not JSON"):
        encoder.items(padded({}, 2 * MOST_BRIEF)[:-1])
    text = padded({"age": [1, 2, 3]}, 2 * MOST_BRIEF)
    for limits in (Limits(event_bytes=MOST_BRIEF), Limits(event_values=2)):
        with pytest.raises(EventLimitError):
            encoder.items(text, limits)
