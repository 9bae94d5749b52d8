from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from eligo.storage.canonical_json import MAX_DEPTH, _object, from_bytes, to_canonical, to_readable


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def test_canonical_form():
    value = {"b": (1, 2.5, None), "a": MappingProxyType({"é": True, "z": "\n"})}
    assert to_canonical(value) == '{"a":{"z":"\\n","é":true},"b":[1,2.5,null]}'.encode()


def test_readable_form_keeps_the_order():
    assert to_readable({"b": [], "a": MappingProxyType({})}) == b'{\n  "b": [],\n  "a": {}\n}\n'


def test_what_is_written_is_read():
    value = {"ints": [-(2**63), 2**64 - 1], "float": 1e-300, "text": "\x00\u2028𝄞", "deep": nested(MAX_DEPTH - 1)}
    assert from_bytes(to_canonical(value)) == value


def cycle() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("inf"), "inf is not a JSON number"),
        (2**64, "64 bits"),
        (-(2**63) - 1, "64 bits"),
        ({1: 2}, "key 1 is not a string"),
        ("\ud800", "surrogate"),
        ({"\ud800": 1}, "surrogate"),
        (b"bytes", "a bytes is not JSON"),
        ({1, 2}, "a set is not JSON"),
        (np.int64(1), "a int64 is not JSON"),
        (nested(MAX_DEPTH + 1), "deep"),
        (nested(100_000), "deep"),
        (cycle(), "deep"),
    ],
)
def test_what_is_not_json_is_not_written(value, message):
    with pytest.raises(ValueError, match=message):
        to_canonical(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "Expecting value"),
        (b"\xff", "utf-8"),
        (b'{"a": 1, "b": 2, "a": 3}', "key 'a' is given twice"),
        (b"Infinity", "Infinity"),
        (b"-1e999", "-inf"),
        (b"18446744073709551616", "64 bits"),
        (b'"\\ud800"', "surrogate"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "deep"),
        (b'{"a":' * 100_000, "deep"),
    ],
)
def test_doubtful_json_is_not_read(text, message):
    with pytest.raises(ValueError, match=message):
        from_bytes(text)


class Counted(str):
    """A key that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


def test_looking_for_a_key_that_is_given_twice_is_linear():
    Counted.compared = 0
    pairs = [(Counted(number), 0) for number in range(20_000)]
    with pytest.raises(ValueError, match="key '19999' is given twice"):
        _object([*pairs, (Counted(19_999), 1)])
    assert Counted.compared < 10 * len(pairs)
