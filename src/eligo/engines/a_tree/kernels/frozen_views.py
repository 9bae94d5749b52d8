"""What does the match of a single event work on? The tree, its literals and a thread's scratch, as one argument.

Compiled, the argument is an array of addresses, see `addresses`; interpreted, it is the arrays themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Literals
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_scratch import FrozenScratch
from eligo.engines.kernels.event_state import EventState
from eligo.kernels.addresses import addresses_of, flat
from eligo.kernels.compiled import IS_INTERPRETED, kernel
from eligo.kernels.parameter_types import Int64s


class PredicateViews(NamedTuple):
    """What matching needs of a predicate table."""

    attribute_of_predicate: npt.NDArray[np.uint32]
    key_offsets: npt.NDArray[np.uint64]
    keys: npt.NDArray[np.uint32]
    range_offsets: npt.NDArray[np.uint64]
    range_axis: npt.NDArray[np.uint32]
    range_low: npt.NDArray[np.uint32]
    range_high: npt.NDArray[np.uint32]


class LiteralViews(NamedTuple):
    """What matching needs of an expression table."""

    predicates: PredicateViews
    literal_predicate: npt.NDArray[np.uint32]
    literal_positive: npt.NDArray[np.uint8]
    literal_holds_when_missing: npt.NDArray[np.uint8]


Views = tuple[LiteralViews, FrozenTree, EventState, FrozenScratch]
Bundle = Int64s | Views
"""The addresses of their arrays, or the arrays themselves."""


def bundle(table: Literals, tree: FrozenTree, state: EventState, scratch: FrozenScratch) -> Bundle:
    """The argument for `unbundle`; the arrays must outlive it."""
    literals = LiteralViews(
        PredicateViews(*(getattr(table.predicates, name) for name in PredicateViews._fields)),
        *(getattr(table, name) for name in LiteralViews._fields[1:]),
    )
    if IS_INTERPRETED:
        return literals, tree, state, scratch
    return addresses_of([*literals.predicates, *literals[1:], *tree, *state, *scratch])


@kernel
def _views(noted: Int64s) -> Any:
    u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
    predicates = PredicateViews(
        flat(noted, 0, u32), flat(noted, 1, u64), flat(noted, 2, u32), flat(noted, 3, u64), flat(noted, 4, u32),
        flat(noted, 5, u32), flat(noted, 6, u32),
    )  # fmt: skip
    literals = LiteralViews(predicates, flat(noted, 7, u32), flat(noted, 8, u8), flat(noted, 9, u8))
    tree = FrozenTree(
        flat(noted, 10, u8), flat(noted, 11, u16), flat(noted, 12, u32), flat(noted, 13, u32), flat(noted, 14, u32),
        flat(noted, 15, u32), flat(noted, 16, u32), flat(noted, 17, u32), flat(noted, 18, u32), flat(noted, 19, u32),
        flat(noted, 20, u32), flat(noted, 21, u32), flat(noted, 22, u32), flat(noted, 23, u32), flat(noted, 24, u32),
        flat(noted, 25, u32), flat(noted, 26, u32), flat(noted, 27, u32), flat(noted, 28, u32),
    )  # fmt: skip
    state = EventState(
        flat(noted, 29, u8), flat(noted, 30, np.float64), flat(noted, 31, u64), flat(noted, 32, u64),
        flat(noted, 33, u32),
    )  # fmt: skip
    scratch = FrozenScratch(
        flat(noted, 34, u32), flat(noted, 35, u8), flat(noted, 36, u32), flat(noted, 37, u8), flat(noted, 38, u32),
        flat(noted, 39, u32), flat(noted, 40, u32), flat(noted, 41, u32), flat(noted, 42, u64),
        flat(noted, 43, np.int64), flat(noted, 44, u32),
    )  # fmt: skip
    return literals, tree, state, scratch


def _as_they_are(bundled: Any) -> Any:
    return bundled


unbundle: Callable[[Any], Views] = _as_they_are if IS_INTERPRETED else _views
"""Literals, tree, state and scratch of a bundle."""
