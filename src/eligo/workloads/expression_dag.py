"""How are expressions generated that share subexpressions? As a directed acyclic graph, written out as text.

Node i < num_predicates is a predicate; operator nodes follow in batches, children before parents:

    0: a = 1    1: b < 3    2: c in (4, 5)        predicates, level 1
    3: 0 or 1                                     a batch, level 2
    4: 3 and 2        5: not 3                    a batch, level 3

Drawing a child twice is what sharing means, so both the texts and the sharing ratios come from the graph.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.workloads.predicate_texts import Texts, interleave, join, join_runs

AND, OR, NOT, XOR, XNOR = range(5)
OPERATORS = ("and", "or", "not", "xor", "xnor")

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class ExpressionDag:
    """Predicates and operator nodes, numbered so that children come before parents."""

    def __init__(self, predicates: Texts) -> None:
        count = len(predicates)
        self.num_predicates = count
        self.level: npt.NDArray[np.int64] = np.ones(count, np.int64)
        """For each node: 1 for a predicate, else one more than its highest child (A-Tree 2021, Figure 7)."""
        self.num_leaves: npt.NDArray[np.int64] = np.ones(count, np.int64)
        """For each node: the predicates in its text, each occurrence counted."""
        self.structure: npt.NDArray[np.uint64] = _mix(np.arange(count, dtype=np.uint64))
        """For each node: a hash that is equal for nodes that are equal up to the order of children."""
        self.batches: list[tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
        """For each batch: its first node, child offsets and children."""
        self.operators: list[npt.NDArray[np.int64]] = []
        """For each batch: the operators of its nodes."""
        self._operand_texts = predicates

    def __len__(self) -> int:
        return len(self.level)

    def add(
        self,
        operators: npt.NDArray[np.int64],
        child_offsets: npt.NDArray[np.int64],
        children: npt.NDArray[np.int64],
        *,
        with_texts: bool = True,
    ) -> npt.NDArray[np.int64]:
        """Add a batch of nodes and return their numbers; without texts they cannot be children themselves."""
        first = len(self)
        starts = child_offsets[:-1]
        with np.errstate(over="ignore"):
            sums = np.add.reduceat(self.structure[children], starts)
            structure = _mix(sums * _GOLDEN + operators.astype(np.uint64))
        self.batches.append((first, child_offsets, children))
        self.operators.append(operators)
        if with_texts:
            texts = join("(", self.texts(operators, child_offsets, children), ")")
            self._operand_texts = pa.concat_arrays([self._operand_texts, texts])
        self.level = np.concatenate((self.level, np.maximum.reduceat(self.level[children], starts) + 1))
        self.num_leaves = np.concatenate((self.num_leaves, np.add.reduceat(self.num_leaves[children], starts)))
        self.structure = np.concatenate((self.structure, structure))
        return np.arange(first, len(self))

    def texts(
        self,
        operators: npt.NDArray[np.int64],
        child_offsets: npt.NDArray[np.int64],
        children: npt.NDArray[np.int64],
    ) -> Texts:
        """The nodes as text, without outer parentheses."""
        rows, texts = [], []
        for operator in range(len(OPERATORS)):
            chosen = np.flatnonzero(operators == operator)
            if len(chosen):
                rows.append(chosen)
                texts.append(self._texts_of_one_operator(operator, chosen, child_offsets, children))
        return interleave(rows, texts)

    def _texts_of_one_operator(
        self,
        operator: int,
        chosen: npt.NDArray[np.intp],
        child_offsets: npt.NDArray[np.int64],
        children: npt.NDArray[np.int64],
    ) -> Texts:
        counts = np.diff(child_offsets)[chosen]
        offsets = np.concatenate(([0], np.cumsum(counts)))
        places = np.arange(offsets[-1]) + np.repeat(child_offsets[chosen] - offsets[:-1], counts)
        operands = self._operand_texts.take(pa.array(children[places]))
        if operator == NOT:
            return join("not ", operands)
        return join_runs(offsets, operands, f" {OPERATORS[operator]} ")

    def predicate_texts(self, predicates: npt.NDArray[np.int64]) -> Texts:
        """Predicates as expressions of their own."""
        return self._operand_texts.take(pa.array(predicates))


def _mix(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """SplitMix64: numbers scattered over 64 bits, so that sums of them do not collide by structure."""
    with np.errstate(over="ignore"):
        mixed = numbers + _GOLDEN
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
