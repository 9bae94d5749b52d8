"""What do kernels see of events and expressions? The arrays of `EventBatch`, `PredicateTable` and `ExpressionTable`.

A kernel imports kernels only, and takes whatever has these arrays: the tables themselves, or views of their memory.
What each array means stands beside it in the table.
"""

from __future__ import annotations

from typing import Protocol

from eligo.kernels.parameter_types import Float64s, UInt8s, UInt32s, UInt64s


class Events(Protocol):
    """The arrays of an `EventBatch`."""

    @property
    def key_offsets(self) -> UInt64s: ...
    @property
    def keys(self) -> UInt32s: ...
    @property
    def key_weights(self) -> Float64s: ...
    @property
    def cell_offsets(self) -> UInt64s: ...
    @property
    def cell_axes(self) -> UInt32s: ...
    @property
    def cells(self) -> UInt32s: ...
    @property
    def cell_weights(self) -> Float64s: ...


class Predicates(Protocol):
    """The arrays of a `PredicateTable` that tell which events hit a predicate."""

    @property
    def attribute_of_predicate(self) -> UInt32s: ...
    @property
    def key_offsets(self) -> UInt64s: ...
    @property
    def keys(self) -> UInt32s: ...
    @property
    def range_offsets(self) -> UInt64s: ...
    @property
    def range_axis(self) -> UInt32s: ...
    @property
    def range_low(self) -> UInt32s: ...
    @property
    def range_high(self) -> UInt32s: ...


class ScoredPredicates(Predicates, Protocol):
    """All arrays of a `PredicateTable`: also what a hit scores."""

    @property
    def is_set_of_predicate(self) -> UInt8s: ...
    @property
    def key_weights(self) -> Float64s: ...
    @property
    def range_weights(self) -> Float64s: ...


class LiteralArrays(Protocol):
    """The arrays of an `ExpressionTable` that belong to its literals."""

    @property
    def literal_predicate(self) -> UInt32s: ...
    @property
    def literal_positive(self) -> UInt8s: ...
    @property
    def literal_holds_when_missing(self) -> UInt8s: ...


class Literals(LiteralArrays, Protocol):
    """Literals, and which events hit their predicates."""

    @property
    def predicates(self) -> Predicates: ...


class ScoredLiterals(LiteralArrays, Protocol):
    """Literals, their predicates, and what these score."""

    @property
    def predicates(self) -> ScoredPredicates: ...


class Expressions(ScoredLiterals, Protocol):
    """All arrays of an `ExpressionTable`: literals, predicates, and the nodes of expressions."""

    @property
    def node_kind(self) -> UInt8s: ...
    @property
    def node_literal(self) -> UInt32s: ...
    @property
    def child_offsets(self) -> UInt64s: ...
    @property
    def children(self) -> UInt32s: ...
    @property
    def expression_offsets(self) -> UInt64s: ...
