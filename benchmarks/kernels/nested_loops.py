"""What do joins cost without an index? Each profile goes through the documents, as Tatbul 2001, 4.3.1, case 1.

Fair where it can be: compiled, over columns of plain numbers, the constants on the new offer first, and the documents
only until one settles the profile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.kernels.compiled import hot_loop
from eligo.kernels.parameter_types import Int64s, Integer
from eligo.workloads.offers import (
    CATEGORY,
    DIFFERENT,
    EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    JOINED,
    LESS,
    LESS_OR_EQUAL,
    PRICE,
    WISHES,
    Drawn,
)


class Profiles(NamedTuple):
    """Profiles of the workload `offers`, flat."""

    category: npt.NDArray[np.int64]
    limit: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    is_universal: npt.NDArray[np.bool_]
    comparison_offsets: npt.NDArray[np.int64]
    """Profile p has the comparisons `comparison_offsets[p]:comparison_offsets[p + 1]`."""
    fields: npt.NDArray[np.int64]
    operators: npt.NDArray[np.int64]
    constants: npt.NDArray[np.int64]


def flat_profiles(drawn: Drawn, count: int) -> Profiles:
    """The first profiles of a workload."""
    wishes = [WISHES[wish] for wish in drawn.wish[:count].tolist()]
    sizes = [len(wish.comparisons) for wish in wishes]
    is_used = np.arange(drawn.constants.shape[1]) < np.array(sizes)[:, None]
    return Profiles(
        drawn.category[:count].copy(),
        drawn.limit[:count].copy(),
        drawn.last[:count].copy(),
        np.array([wish.is_universal for wish in wishes], np.bool_),
        np.append(0, np.cumsum(sizes)).astype(np.int64),
        np.array([field for wish in wishes for field, _, _ in wish.comparisons], np.int64),
        np.array([operator for wish in wishes for _, operator, _ in wish.comparisons], np.int64),
        drawn.constants[:count][is_used],
    )


@hot_loop
def nested_loops(profiles: Profiles, documents: Int64s, offer: Int64s, found: Int64s) -> Any:
    """Write the numbers of the profiles that an offer satisfies, and return how many; `documents` has a row a field."""
    count = 0
    for profile in range(len(profiles.category)):
        if profiles.category[profile] >= 0 and profiles.category[profile] != offer[CATEGORY]:
            continue
        if profiles.limit[profile] >= 0 and profiles.limit[profile] < offer[PRICE]:
            continue
        num_documents = documents.shape[1]
        last = profiles.last[profile]
        is_universal = profiles.is_universal[profile]
        is_satisfied = is_universal
        for document in range(max(0, num_documents - last) if last > 0 else 0, num_documents):
            # `forall` is settled by a document that satisfies nothing, `exists` by one that satisfies all.
            if _body(profiles, profile, documents, document, offer, is_universal) != is_universal:
                is_satisfied = not is_universal
                break
        if is_satisfied:
            found[count] = profile
            count += 1
    return count


@hot_loop
def _body(
    profiles: Profiles, profile: Integer, documents: Int64s, document: Integer, offer: Int64s, is_universal: Any
) -> Any:  # fmt: skip
    """The conjunction of a profile's comparisons, or for `forall` their disjunction."""
    for place in range(profiles.comparison_offsets[profile], profiles.comparison_offsets[profile + 1]):
        field = profiles.fields[place]
        left, right = documents[field, document], profiles.constants[place]
        if right == JOINED:
            left, right = offer[field], left
        if _compares(profiles.operators[place], left, right) == is_universal:
            return is_universal
    return not is_universal


@hot_loop
def _compares(operator: Integer, left: Integer, right: Integer) -> Any:
    if operator == EQUAL:
        return left == right
    if operator == DIFFERENT:
        return left != right
    if operator == LESS:
        return left < right
    if operator == LESS_OR_EQUAL:
        return left <= right
    if operator == GREATER:
        return left > right
    assert operator == GREATER_OR_EQUAL
    return left >= right
