"""How do engines take in expressions? As one flat negation normal form of them all, over one table of predicates.

x0: a = 1 and (b = 2 or not c = 3)

node        0        1        2        3      4
node_kind   LITERAL  LITERAL  LITERAL  OR     AND        expression_offsets  0 5
literal     0        1        2        -      -
children                               1 2    0 3        literal 2: c = 3, positive 0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.expressions.predicate_table import PredicateTable, places_of_ranges
from eligo.kernels.hashing import NONE


class ExpressionTable(NamedTuple):
    """Expressions in negation normal form: AND, OR, TRUE, FALSE and LITERAL nodes (`codes`), shared nodes once.

    All arrays are read-only.
    """

    predicates: PredicateTable
    """The distinct predicates."""
    literal_predicate: npt.NDArray[np.uint32]
    """For each literal: its predicate. Literals are distinct, in the order in which expressions first use them."""
    literal_positive: npt.NDArray[np.uint8]
    """For each literal: 1 when it holds if the predicate is hit, 0 when it holds if not."""
    literal_holds_when_missing: npt.NDArray[np.uint8]
    """For each literal: whether it holds when the event does not have the predicate's attribute."""
    node_kind: npt.NDArray[np.uint8]
    """For each node: its kind. Children come before parents; the nodes of an expression stand together."""
    node_literal: npt.NDArray[np.uint32]
    """For each node: its literal, or NONE when it is not a LITERAL."""
    child_offsets: npt.NDArray[np.uint64]
    """Node n has the children child_offsets[n] : child_offsets[n + 1]."""
    children: npt.NDArray[np.uint32]
    """For each AND and OR: its children's node numbers, in written order; a child may stand there twice."""
    expression_offsets: npt.NDArray[np.uint64]
    """Expression x has the nodes expression_offsets[x] : expression_offsets[x + 1]; the last of them is its root."""

    @property
    def num_expressions(self) -> int:
        return len(self.expression_offsets) - 1

    @property
    def num_literals(self) -> int:
        return len(self.literal_predicate)

    @property
    def num_nodes(self) -> int:
        return len(self.node_kind)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The named arrays that `from_arrays` takes back, those of the predicate table among them."""
        own = {name: value for name, value in self._asdict().items() if name != "predicates"}
        return {**self.predicates.arrays(), **own}

    def literals_only(self) -> ExpressionTable:
        """The table without nodes and expressions, for an engine that has a form of its own for these."""
        kinds, literals, children = np.zeros(0, np.uint8), np.zeros(0, np.uint32), np.zeros(0, np.uint32)
        bounds = np.zeros(1, np.uint64)
        nodes = read_only_arrays([kinds, literals, bounds, children, bounds])
        return ExpressionTable(*self[:4], *nodes)

    def take(self, rows: npt.NDArray[np.int64]) -> ExpressionTable:
        """A table of some of the expressions, over all literals and predicates."""
        firsts = self.expression_offsets[rows].astype(np.int64)
        nodes, node_bounds = places_of_ranges(firsts, self.expression_offsets[rows + 1].astype(np.int64))
        child_firsts = self.child_offsets[nodes].astype(np.int64)
        places, child_bounds = places_of_ranges(child_firsts, self.child_offsets[nodes + 1].astype(np.int64))
        moved = np.repeat(node_bounds[:-1] - firsts, np.diff(node_bounds))
        children = self.children[places] + np.repeat(moved, np.diff(child_bounds))
        own = read_only_arrays(
            [
                self.node_kind[nodes],
                self.node_literal[nodes],
                child_bounds.astype(np.uint64),
                children.astype(np.uint32),
                node_bounds.astype(np.uint64),
            ]
        )
        return ExpressionTable(*self[:4], *own)

    def with_literals(self, literals: npt.NDArray[np.int64], predicates: npt.NDArray[np.int64]) -> ExpressionTable:
        """The same expressions with their literals and predicates in another order: each of both stands there once."""
        literal_rank, predicate_rank = _ranks(literals), _ranks(predicates)
        own = read_only_arrays(
            [
                predicate_rank[self.literal_predicate[literals]],
                self.literal_positive[literals],
                self.literal_holds_when_missing[literals],
                self.node_kind,
                np.append(literal_rank, NONE)[np.minimum(self.node_literal, len(literals))],
                *self[6:],
            ]
        )
        return ExpressionTable(self.predicates.take(predicates), *own)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> ExpressionTable:
        """A table over arrays as they are, also memory-mapped ones."""
        return cls(PredicateTable.from_arrays(arrays), *read_only_arrays(arrays[name] for name in cls._fields[1:]))


def _ranks(order: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """The place of each number in an order of all."""
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    return ranks
