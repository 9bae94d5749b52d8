"""The flat hash tables and the lookups over them, compiled and interpreted alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.events.kernels.keys_and_cells import sort_pairs
from eligo.data.kernels.vocabulary_lookup import compare_bytes
from eligo.kernels.hashing import MAX_SEEDS, NONE, build_table, fill_slots, hash_bytes, hash_columns, hash_texts, mix


def as_array(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


@given(st.integers(0, 2**64 - 1))
def test_mix_stays_within_64_bits_and_is_the_same_as_splitmix64(bits: int) -> None:
    expected = bits
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        expected = ((expected ^ (expected >> shift)) * factor) % 2**64
    expected ^= expected >> 31
    assert int(mix(np.uint64(bits))) == expected


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_compare_bytes_is_the_order_of_bytes(left: bytes, right: bytes) -> None:
    order = compare_bytes(as_array(left), 0, len(left), as_array(right), 0, len(right))
    assert order == (left > right) - (left < right)


def test_hash_bytes_depends_on_every_byte_on_the_length_and_on_the_seed() -> None:
    texts = [b"", b"\0", b"\0\0", b"a", b"b", b"abcdefgh", b"abcdefgh\0", b"abcdefgi", b"xbcdefgh", b"abcdefghi"]
    hashes = [int(hash_bytes(as_array(text), 0, len(text), seed)) for text in texts for seed in (0, 1)]
    assert len(set(hashes)) == len(hashes)


def test_hash_bytes_takes_a_part_of_a_longer_text() -> None:
    assert hash_bytes(as_array(b"..age.."), 2, 5, 7) == hash_bytes(as_array(b"age"), 0, 3, 7)


def test_a_table_is_at_most_half_full_and_holds_every_item() -> None:
    for count in (0, 1, 2, 3, 4, 5, 100, 1000):
        texts = [f"value-{number}".encode() for number in range(count)]
        offsets = np.cumsum([0, *map(len, texts)]).astype(np.uint64)
        data = as_array(b"".join(texts))
        slots, seed = build_table(count, lambda seed, o=offsets, d=data: hash_texts(o, d, seed))
        assert seed == 0
        assert len(slots) >= 2 * count and len(slots) & (len(slots) - 1) == 0
        assert sorted(slots[slots != NONE]) == list(range(count))


def test_items_that_collide_on_purpose_get_another_seed() -> None:
    def unmixed(bits: int) -> int:
        """The word that `mix` brings to `bits`."""
        bits ^= (bits >> 31) ^ (bits >> 62)
        bits = bits * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
        bits ^= (bits >> 27) ^ (bits >> 54)
        bits = bits * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
        return bits ^ (bits >> 30) ^ (bits >> 60)

    count = 400
    # All hashes end in 32 zero bits under seed 0, so every item wants slot 0.
    third = np.array([unmixed(number << 32) ^ int(mix(mix(np.uint64(0)))) for number in range(count)], np.uint64)
    nothing = np.zeros(count, np.uint64)
    slots = np.empty(1024, np.uint32)
    assert fill_slots(hash_columns(nothing, nothing, third, 0), slots) == count - 1
    slots, seed = build_table(count, lambda seed: hash_columns(nothing, nothing, third, seed))
    assert 0 < seed < MAX_SEEDS
    assert fill_slots(hash_columns(nothing, nothing, third, seed), slots) < 100


@pytest.mark.parametrize("has_weights", [False, True])
@given(items=st.lists(st.integers(0, 2**64 - 1), max_size=200))
def test_sort_pairs_sorts_a_part_with_its_weights(has_weights: bool, items: list[int]) -> None:
    column = np.array([9, *items, 3], np.uint64)
    weights = np.arange(len(column) if has_weights else 0, dtype=np.float64)
    before = dict(zip(weights.tolist(), column.tolist(), strict=False))
    sort_pairs(column, weights, np.uint64(1), np.uint64(len(items) + 1), has_weights)
    assert column.tolist() == [9, *sorted(items), 3]
    assert all(before[weight] == item for weight, item in zip(weights.tolist(), column.tolist(), strict=False))
