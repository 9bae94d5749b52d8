"""What do the loops that decide work on? Questions, a segment, an event, the scopes of the questions, and scratch.

A *leaf* is a comparison of documents with the event or with constants, or a predicate on the event alone. A *literal*
is a leaf or its negation, `2 * leaf + is_negated`. A *question* is whether a document in a scope satisfies a
conjunction of literals, or the program of a body. A *part* is the disjunction of its questions, or the negation of it.

Truth is FALSE, UNKNOWN or TRUE, in this order: AND takes the least, OR the greatest, NOT what is left to TRUE.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.joins.kernels.rank_search import Values

FALSE = 0
UNKNOWN = 1
TRUE = 2
OF_RANKS = 3
"""In place of a truth: it differs between documents, by their ranks."""

EVALUATIONS = 0
STAMP = 1
NUM_RANGES = 2
NUM_SLOTS = 3
NUM_RANKS = 4
NUM_COUNTERS = 5
"""Places among a scratch's counters."""

TEST_COLUMN = 0
TEST_START = 1
TEST_END = 2
TEST_HIT = 3
TEST_MISS = 4
TEST_MISSING = 5
TEST_MISSING_RANK = 6
NUM_TEST_FIELDS = 8
"""Places among the numbers of a test: the column, the range of ranks that is hit, the truth of a hit, of a miss and of
a missing value, and the rank of the last. A line of the processor's cache holds them."""

TILE = 32
"""Words of a bit vector that are worked on at a time."""

# What a program does beside pushing leaves, which are their numbers.
AND_CODE = -1
OR_CODE = -2
XOR_CODE = -3
XNOR_CODE = -4
NOT_CODE = -5
TRUE_CODE = -6
FALSE_CODE = -7

# How the event's value compares with the document's.
EQUAL = 0
LESS = 1
LESS_OR_EQUAL = 2
GREATER = 3
GREATER_OR_EQUAL = 4

ANY_KIND = 5
"""The kind of a constant range that holds all values."""


class Questions(NamedTuple):
    """What parts ask, whatever the event and the documents."""

    num_fixed: int
    """The first leaves compare documents with constants."""
    num_joined: int
    """The next compare them with the event; the last are about the event alone."""
    leaf_column: npt.NDArray[np.int64]
    """For each leaf that is about documents: the number of their attribute."""
    leaf_when_missing: npt.NDArray[np.uint8]
    """For each leaf that is about documents: its truth when the attribute is missing on either side."""
    leaf_attribute: npt.NDArray[np.int64]
    """For each joined leaf, counted from 0: the number of the event's attribute."""
    leaf_operator: npt.NDArray[np.uint8]
    """For each joined leaf: EQUAL, LESS, …"""
    leaf_pair: npt.NDArray[np.int64]
    """For each joined leaf: the number of its pair of attributes."""
    literal_offsets: npt.NDArray[np.int64]
    """Question q is the conjunction of `literals[literal_offsets[q]:literal_offsets[q + 1]]`, or has a program."""
    literals: npt.NDArray[np.int64]
    question_scope: npt.NDArray[np.int64]
    """For each question: the number of its scope."""
    question_program: npt.NDArray[np.int64]
    """For each question: the number of its program, or -1."""
    program_offsets: npt.NDArray[np.int64]
    """Program p is `programs[program_offsets[p]:program_offsets[p + 1]]`, in postfix form."""
    programs: npt.NDArray[np.int64]
    part_offsets: npt.NDArray[np.int64]
    """Part p has the questions `questions_of_part[part_offsets[p]:part_offsets[p + 1]]`."""
    questions_of_part: npt.NDArray[np.int64]


class FixedRanges(NamedTuple):
    """The ranges of values that fixed leaves are about."""

    range_offsets: npt.NDArray[np.int64]
    """Fixed leaf f has the ranges `range_offsets[f]:range_offsets[f + 1]`."""
    kinds: npt.NDArray[np.uint8]
    """For each range: the kind of its values, or ANY_KIND."""
    lows: npt.NDArray[np.int64]
    """For each range: the place of its lower end among the values; -1 when it has none."""
    highs: npt.NDArray[np.int64]
    """The same for its upper end."""
    is_low_open: npt.NDArray[np.uint8]
    is_high_open: npt.NDArray[np.uint8]
    values: Values


class LeafStates(NamedTuple):
    """What leaves say of the documents of a segment."""

    truths: npt.NDArray[np.uint8]
    """For each leaf: its truth for all documents, or OF_RANKS."""
    range_first: npt.NDArray[np.int64]
    """For each leaf: its first range of ranks."""
    num_ranges: npt.NDArray[np.int64]
    hits: npt.NDArray[np.int64]
    """For each leaf: positions in its ranges, which are documents where each has one value."""
    starts: npt.NDArray[np.int64]
    """For each range: its first rank. The ranges of a leaf ascend and do not touch."""
    ends: npt.NDArray[np.int64]
    """For each range: the rank after its last."""


class SegmentArrays(NamedTuple):
    """A segment as questions need it."""

    num_documents: int
    columns: Any
    """What `noted_columns` makes of the columns that leaves are about."""
    fixed: LeafStates
    fixed_slots: npt.NDArray[np.int64]
    """For each fixed leaf: the place of its bit vector, or -1."""
    fixed_words: npt.NDArray[np.uint64]


class EventArrays(NamedTuple):
    """An event as questions need it."""

    value_offsets: npt.NDArray[np.int64]
    """The values of attribute a are `value_offsets[a]:value_offsets[a + 1]`."""
    values: Values
    truths: npt.NDArray[np.uint8]
    """For each leaf about the event alone: its truth."""


class Scopes(NamedTuple):
    """Which documents of a segment each scope holds."""

    first_row: npt.NDArray[np.int64]
    """For each scope: the first row that may be in it."""
    num_living: npt.NDArray[np.int64]
    """For each scope: documents in it."""
    mask: npt.NDArray[np.int64]
    """For each scope: the number of the mask that says which documents are in it, or -1 for all from `first_row` on."""
    is_in: npt.NDArray[np.bool_]
    """Masks one after another, an element for each document."""
    words: npt.NDArray[np.uint64]
    """The same masks as bit vectors."""


class Scratch(NamedTuple):
    """What a call writes to; of the call before nothing counts, which is said by stamps."""

    counters: npt.NDArray[np.int64]
    leaf_stamp: npt.NDArray[np.int64]
    states: LeafStates
    slot_stamp: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int64]
    words: npt.NDArray[np.uint64]
    """Bit vectors of leaves."""
    pair_stamp: npt.NDArray[np.int64]
    pair_first: npt.NDArray[np.int64]
    """For each pair of attributes: where the ranks of the event's values begin."""
    ranks: npt.NDArray[np.int64]
    is_equal: npt.NDArray[np.int64]
    question_stamp: npt.NDArray[np.int64]
    question_truth: npt.NDArray[np.uint8]
    literals: npt.NDArray[np.int64]
    """Of the question at work: those that differ between documents."""
    num_possible: npt.NDArray[np.int64]
    """For each of these literals: how many documents it is possible for, at most."""
    tests: npt.NDArray[np.int64]
    """For each of these literals, NUM_TEST_FIELDS numbers: what `test_at` needs, side by side."""
    starts: npt.NDArray[np.int64]
    """Of the literal that is walked: the positions at which its ranges start, and those at which they end."""
    ends: npt.NDArray[np.int64]
    tile_true: npt.NDArray[np.uint64]
    tile_possible: npt.NDArray[np.uint64]
    stack_true: npt.NDArray[np.uint64]
    stack_false: npt.NDArray[np.uint64]


class Work(NamedTuple):
    """All of it."""

    questions: Questions
    segment: SegmentArrays
    event: EventArrays
    scopes: Scopes
    scratch: Scratch
