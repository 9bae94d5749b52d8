"""What do the posting lists hold, and where does a walk stand? In words, for people and for the papers' figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from eligo.data.events.event_batch import EventBatch
from eligo.engines.whang.kernels.list_heads import (
    ANY_SCORE,
    NOTHING,
    PREDICATE_BITS,
    PRESENT_BASE,
    SLOT_BITS,
    UNFINISHED,
    ZERO_KEY,
    Heads,
    meet,
    open_event,
    open_size,
)
from eligo.engines.whang.list_engine import ListEngine
from eligo.kernels.hashing import NONE
from eligo.ranges.segment_tree import cells_of_node

ANNOTATIONS = ("∉", "present", "∈")


class Entry(NamedTuple):
    """One entry of a posting list."""

    item: int
    """The conjunction, or the CNF expression."""
    annotation: str
    """One of `ANNOTATIONS`."""
    disjunction: int | None
    """The disjunction of a CNF expression that the predicate stands in, -1 in Z; None for conjunctions."""
    weight: float


class PostingList(NamedTuple):
    """One posting list."""

    size: int
    """The size K of its items."""
    key: str
    """What an event must have to open it, such as `age = 3`; Z is always open."""
    bound: float
    """UB: no weight in the list is larger."""
    entries: tuple[Entry, ...]


class Standing(NamedTuple):
    """Where a walk stands after a round."""

    current: tuple[tuple[str, Entry | None], ...]
    """The key and current entry of each list, in order; None at the end of a list."""
    found: int | None
    """The item that enough lists stand on, when that is what ended the round."""


def posting_lists(engine: ListEngine) -> list[PostingList]:
    """All posting lists, by size and then in their order."""
    lists = engine.lists
    found = []
    for rank, size in enumerate(lists.sizes.tolist()):
        for number in range(int(lists.size_offsets[rank]), int(lists.size_offsets[rank + 1])):
            places = range(int(lists.list_offsets[number]), int(lists.list_offsets[number + 1]))
            entries = tuple(entry_at(engine, number, place) for place in places)
            found.append(PostingList(size, key_text(engine, number), float(lists.list_bounds[number]), entries))
    return found


def key_text(engine: ListEngine, number: int) -> str:
    """What the key of a list stands for."""
    lists, vocabulary = engine.lists, engine.vocabulary
    key = int(lists.list_key[number])
    if key < vocabulary.num_keys:
        return vocabulary.describe_key(key)
    if key == int(lists.layout[ZERO_KEY]):
        return "Z"
    name = vocabulary.attribute_names[int(lists.list_attribute[number])]
    if key >= int(lists.layout[PRESENT_BASE]):
        return f"{name} present"
    axis = int(np.searchsorted(lists.axis_base, key, side="right")) - 1
    cells = cells_of_node(key - int(lists.axis_base[axis]), int(lists.axis_size[axis]))
    return f"{name} in cells {cells[0]} to {cells[-1]} of axis {axis}"


def entry_at(engine: ListEngine, number: int, place: int) -> Entry:
    """One entry of a list."""
    lists = engine.lists
    slot_bits, predicate_bits = int(lists.layout[SLOT_BITS]), int(lists.layout[PREDICATE_BITS])
    word = int(lists.entries[place])
    slot, annotation = word & ((1 << slot_bits) - 1), (word >> slot_bits) & 3
    is_zero = lists.list_attribute[number] == NONE
    scores = ANNOTATIONS[annotation] == "∈" and int(lists.list_key[number]) < int(lists.layout[PRESENT_BASE])
    weight = float(lists.entry_weights[place]) if len(lists.entry_weights) else float(scores)
    disjunction = None if engine.is_dnf else -1 if is_zero else slot >> predicate_bits
    return Entry(word >> (slot_bits + 2), ANNOTATIONS[annotation], disjunction, weight)


def rounds(engine: ListEngine, event: EventBatch, size: int, worst: int = ANY_SCORE) -> Iterator[Standing]:
    """The walk of a batch's only event through the lists of one size, round by round (Whang 2009, Algorithm 1).

    The first standing is that before the first round. Nothing is found that cannot reach the score `worst`, in units.
    """
    lists, heads = engine.lists, engine.heads(event)
    open_event(0, event, lists, heads)
    rank = lists.sizes.tolist().index(size)
    shift = np.uint64(int(lists.layout[SLOT_BITS]) + 2)
    out_bits = np.uint64(3) << (shift - np.uint64(2)) if engine.is_dnf else np.uint64(0)
    count = open_size(rank, lists, heads)
    number, target, max_rounds = 0, np.uint64(0), 0
    while True:
        item, number, count = meet(
            size, count, number, target, worst, max_rounds, shift, out_bits, lists.entries, heads.place, heads.end,
            heads.bound, heads.word, heads.head, heads.counts,
        )  # fmt: skip
        yield Standing(_current(engine, heads, rank, count), int(item) if item >= 0 else None)
        if item == NOTHING:
            return
        max_rounds = 1 if item == UNFINISHED else 0
        target = (np.uint64(item) + np.uint64(1)) << shift if item >= 0 else np.uint64(0)


def _current(engine: ListEngine, heads: Heads, rank: int, count: int) -> tuple[tuple[str, Entry | None], ...]:
    standing: list[tuple[str, Entry | None]] = []
    for head in heads.head[:count].tolist():
        number = int(heads.open_list[head])
        standing.append((key_text(engine, number), entry_at(engine, number, int(heads.place[head]))))
    at_end = set(range(int(heads.size_first[rank]), int(heads.size_first[rank + 1]))) - set(heads.head[:count].tolist())
    standing += [(key_text(engine, int(heads.open_list[head])), None) for head in sorted(at_end)]
    return tuple(standing)
