"""How do engines take in expressions? As one flat negation normal form of them all, over one table of predicates.

x0: a = 1 and (b = 2 or not c = 3)

node        0        1        2        3      4
node_kind   LITERAL  LITERAL  LITERAL  OR     AND        expression_offsets  0 5
literal     0        1        2        -      -
children                               1 2    0 3        literal 2: c = 3, positive 0
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.expressions.build_vocabulary import vocabulary_of
from eligo.data.expressions.predicate_table import PredicateTable, encode_registrations
from eligo.data.expressions.registration import Registration, registration
from eligo.data.expressions.taxonomy_nodes import Taxonomy
from eligo.data.vocabulary import Vocabulary
from eligo.errors import InputError
from eligo.kernels import codes
from eligo.kernels.hashing import NONE
from eligo.language.tree import And, Constant, Expression, Literal, Or, Predicate, distinct_nodes


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

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> ExpressionTable:
        """A table over arrays as they are, also memory-mapped ones."""
        return cls(PredicateTable.from_arrays(arrays), *read_only_arrays(arrays[name] for name in cls._fields[1:]))


def encode_expressions(
    roots: Sequence[Expression], hierarchies: Mapping[str, Taxonomy] | None = None
) -> tuple[Vocabulary, ExpressionTable]:
    """The vocabulary of expressions in negation normal form, and the table of them."""
    writer = _Writer(roots)
    registrations = writer.registrations()
    vocabulary = vocabulary_of(registrations, hierarchies)
    return vocabulary, writer.finish(registrations, vocabulary)


def encode_with(roots: Sequence[Expression], vocabulary: Vocabulary) -> ExpressionTable:
    """The table of expressions whose predicates a vocabulary covers, such as one shard's of a shared vocabulary."""
    writer = _Writer(roots)
    return writer.finish(writer.registrations(), vocabulary)


class _Writer:
    """Lays out the nodes; predicates and literals get numbers by first use, which `finish` makes final."""

    def __init__(self, roots: Sequence[Expression]) -> None:
        self.predicates: dict[Predicate, int] = {}
        self.literals: dict[tuple[int, bool, bool], int] = {}
        self.node_kind = bytearray()
        self.node_literal = array("I")
        self.child_counts = array("I")
        self.children = array("I")
        self.expression_offsets = array("Q", [0])
        for root in roots:
            self._add(root)

    def _add(self, root: Expression) -> None:
        number_of: dict[int, int] = {}
        for node in distinct_nodes(root):
            number_of[id(node)] = len(self.node_kind)
            self.node_literal.append(self._literal(node) if isinstance(node, Literal) else int(NONE))
            self.node_kind.append(_kind(node))
            self.child_counts.append(len(node.children))
            self.children.extend(number_of[id(child)] for child in node.children)
        self.expression_offsets.append(len(self.node_kind))

    def _literal(self, literal: Literal) -> int:
        predicate = self.predicates.setdefault(literal.predicate, len(self.predicates))
        content = (predicate, bool(literal.positive), bool(literal.holds_when_missing))
        return self.literals.setdefault(content, len(self.literals))

    def registrations(self) -> list[Registration]:
        """What the predicates register under, by their numbers."""
        return [registration(predicate) for predicate in self.predicates]

    def finish(self, registrations: Sequence[Registration], vocabulary: Vocabulary) -> ExpressionTable:
        table, number_of_predicate = encode_registrations(registrations, vocabulary)
        final: dict[tuple[int, bool, bool], int] = {}
        number_of_literal = np.empty(len(self.literals) + 1, np.uint32)
        number_of_literal[-1] = NONE
        for (predicate, positive, holds), provisional in self.literals.items():
            content = (int(number_of_predicate[predicate]), positive, holds)
            number_of_literal[provisional] = final.setdefault(content, len(final))
        node_literal = np.array(self.node_literal, np.uint32)
        node_literal[node_literal == NONE] = len(self.literals)
        child_offsets = np.zeros(len(self.node_kind) + 1, np.uint64)
        np.cumsum(np.array(self.child_counts, np.uint64), out=child_offsets[1:])
        columns = (
            np.array([predicate for predicate, _, _ in final], np.uint32),
            np.array([positive for _, positive, _ in final], np.uint8),
            np.array([holds for _, _, holds in final], np.uint8),
            np.frombuffer(bytes(self.node_kind), np.uint8),
            number_of_literal[node_literal],
            child_offsets,
            np.array(self.children, np.uint32),
            np.array(self.expression_offsets, np.uint64),
        )
        return ExpressionTable(table, *read_only_arrays(columns))


def _kind(node: Expression) -> int:
    if isinstance(node, Literal):
        return codes.LITERAL
    if isinstance(node, And):
        return codes.AND
    if isinstance(node, Or):
        return codes.OR
    if isinstance(node, Constant):
        return codes.TRUE if node.value else codes.FALSE
    raise InputError(
        f"{type(node).__name__} does not occur in negation normal form", help="use push_negations on the tree first"
    )
