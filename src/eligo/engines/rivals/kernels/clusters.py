"""How are clusters of conjunctions tested? Those of each true access predicate, row by row, against facts.

Le Subscribe's Propagation, as Whang 2009 compares with it (section 7): a conjunction lies in the cluster of its most
selective positive predicate. A cluster holds its conjunctions in groups of one width, so that a group is a table of
references to facts without gaps, each with the bit that says whether the fact must be false.

    0  age = 3 and state = 'NY'        cluster of state = 'NY'   width 1   age = 3
    1  age = 3 and state != 'CA'       cluster of age = 3        width 1   not state = 'CA'
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.facts import FactKeys, forget_facts, note_facts
from eligo.engines.kernels.marks import mark_items, write_marks
from eligo.engines.rivals.kernels.fact_references import MATCHED, POSTINGS, TESTS, FactScratch, MatchRows
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Float64s, Int64s, Integer, UInt8s, UInt32s, UInt64s

ONE = np.uint64(1)
TWO = np.uint64(2)


class Clusters(NamedTuple):
    """Conjunctions by access predicate, numbered in that order."""

    cluster_offsets: npt.NDArray[np.uint32]
    """Fact f is the access predicate of groups `cluster_offsets[f]:cluster_offsets[f + 1]`.

    The last cluster, after those of facts, is of conjunctions with no fact that must be true.
    """
    group_first: npt.NDArray[np.uint32]
    """Group g has the conjunctions `group_first[g]:group_first[g + 1]`."""
    group_width: npt.NDArray[np.uint32]
    """For each group: how many references each of its conjunctions has."""
    group_references: npt.NDArray[np.uint64]
    """For each group: where its references begin."""
    references: npt.NDArray[np.uint32]
    """2f for a fact that must be true, 2f + 1 for one that must be false; without the access predicate."""


@kernel
def choose_access(offsets: Int64s, references: UInt32s, shares: Float64s, access: UInt32s) -> None:
    """Write each conjunction's access fact (the number of facts if it has none), and put the rest in order.

    The reference to it comes first in its row; the others follow from the least likely to hold to the likeliest.
    """
    for item in range(len(offsets) - 1):
        first, last = offsets[item], offsets[item + 1]
        access[item] = len(shares)
        for place in range(first + 1, last):
            reference = references[place]
            chance = _chance(reference, shares)
            at = place
            while at > first and _chance(references[at - 1], shares) > chance:
                references[at] = references[at - 1]
                at -= 1
            references[at] = reference
        for place in range(first, last):
            reference = references[place]
            if reference & 1 == 0:
                access[item] = reference >> 1
                for at in range(place, first, -1):
                    references[at] = references[at - 1]
                references[first] = reference
                break


@kernel
def _chance(reference: Integer, shares: Float64s) -> Any:
    share = shares[reference >> 1]
    return share if reference & 1 == 0 else 1.0 - share


@hot_loop
def _test_group(group: Integer, count: Integer, clusters: Clusters, truth: UInt8s, items: UInt32s) -> Any:
    """Write the conjunctions of a group all of whose references hold; returns where they end, and the tests made."""
    references = clusters.references
    item, last = np.uint64(clusters.group_first[group]), np.uint64(clusters.group_first[group + ONE])
    width = np.uint64(clusters.group_width[group])
    at = np.uint64(clusters.group_references[group])
    num_tests = np.int64(0)
    if width == ONE:  # written in any case, and kept if it holds: that is no branch to foresee
        num_tests += np.int64(last - item)
        while item < last:
            reference = references[at]
            items[count] = item
            count += np.int64(truth[reference >> ONE] ^ np.uint8(reference & ONE))
            at += ONE
            item += ONE
    elif width == TWO:
        num_tests += np.int64(TWO * (last - item))
        while item < last:
            reference, other = references[at], references[at + ONE]
            holds = (truth[reference >> ONE] ^ np.uint8(reference & ONE)) & (
                truth[other >> ONE] ^ np.uint8(other & ONE)
            )
            items[count] = item
            count += np.int64(holds)
            at += TWO
            item += ONE
    else:
        while item < last:
            place, end = at, at + width
            while place < end and truth[references[place] >> ONE] != np.uint8(references[place] & ONE):
                place += ONE
            num_tests += np.int64(place - at) + (1 if place < end else 0)
            items[count] = item
            count += 1 if place == end else 0
            at = end
            item += ONE
    return count, num_tests


@hot_loop
def match_events(
    first_event: Integer, events: Events, keys: FactKeys, clusters: Clusters, rows: MatchRows, scratch: FactScratch,
    offsets: UInt64s, positions: UInt32s,
) -> Any:  # fmt: skip
    """Match events from `first_event` on until all are done, or until `positions` may not hold the next one's matches.

    Returns the first event that was not done; `offsets[first_event]` says how many positions are written already.
    """
    truth, true_facts, items = scratch.truth, scratch.true_facts, scratch.work
    num_events = len(events.key_offsets) - 1
    count = np.int64(offsets[first_event])
    for event in range(first_event, num_events):
        if len(positions) - count < 64 * len(scratch.marks):
            return event
        num_facts = note_facts(event, events, keys, truth, true_facts)
        num_items, num_read, num_tests = 0, 0, 0
        for number in range(num_facts + 1):
            cluster = np.uint64(true_facts[number]) if number < num_facts else np.uint64(len(truth))
            for group in range(clusters.cluster_offsets[cluster], clusters.cluster_offsets[cluster + ONE]):
                num_items, tests = _test_group(np.uint64(group), num_items, clusters, truth, items)
                num_tests += tests
                num_read += np.int64(clusters.group_first[group + 1]) - np.int64(clusters.group_first[group])
        mark_items(items, num_items, rows.match_offsets, rows.matches, scratch.marks)
        forget_facts(num_facts, truth, true_facts)
        count = write_marks(count, scratch.marks, positions)
        offsets[event + 1] = count
        scratch.counts[POSTINGS] += num_read
        scratch.counts[TESTS] += num_tests
        scratch.counts[MATCHED] += num_items
    return num_events
