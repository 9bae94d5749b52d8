"""What do quantified parts ask of the documents? Whether one of them satisfies a conjunction, each such once.

`forall d (x)` is `not exists d (not x)`, and `exists` goes into a disjunction, whatever the truth of its parts:

    exists d (x or y and z)      exists d (x) or exists d (y and z)
    forall d (x and y)           not (exists d (not x) or exists d (not y))

So a body becomes a disjunction of conjunctions of literals, and each conjunction a question, which is answered once
however many parts hold it. The laws that this takes hold with three truths as well. A body that would become too many
conjunctions is a question of its own, answered by a program over bit vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

import numpy as np

from eligo.data.encoded_value import EncodedValue
from eligo.joins.kernels.rank_search import Values
from eligo.joins.kernels.work_arrays import (
    AND_CODE,
    EQUAL,
    FALSE_CODE,
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    NOT_CODE,
    OR_CODE,
    TRUE_CODE,
    XNOR_CODE,
    XOR_CODE,
    FixedRanges,
    Questions,
)
from eligo.joins.literals import (
    DocumentLeaf,
    EventLeaf,
    JoinedLeaf,
    Leaf,
    Literal,
    ValueRange,
    literals_of,
    value_ranges,
)
from eligo.language.evaluate import Hierarchies, Missing
from eligo.language.quantified import Quantified
from eligo.language.tree import And, Constant, Expression, Not, Or, Xnor, Xor, distinct_nodes

MOST_CONJUNCTIONS = 16
"""More than that, and a body is run as a program."""

Conjunction = frozenset[Literal]
Form = frozenset[Conjunction] | None
"""The disjunction of conjunctions; None when they are too many."""
Scope = int | timedelta | None

_OPERATORS = {"=": EQUAL, "<": LESS, "<=": LESS_OR_EQUAL, ">": GREATER, ">=": GREATER_OR_EQUAL}
_CODES: dict[type[Expression], int] = {And: AND_CODE, Or: OR_CODE, Xor: XOR_CODE, Xnor: XNOR_CODE}


def disjunction_of(body: Expression, missing: Missing, *, negated: bool) -> Form:
    """A body, or its negation, as a disjunction of conjunctions."""
    forms: dict[int, tuple[Form, Form]] = {}
    for node in distinct_nodes(body):
        if isinstance(node, Constant):
            forms[id(node)] = (_constant(node.value), _constant(not node.value))
        elif not node.children:
            literals = literals_of(node, missing)
            other = frozenset(frozenset([(leaf, not is_negated)]) for leaf, is_negated in literals)
            forms[id(node)] = (frozenset([frozenset(literals)]), other)
        else:
            forms[id(node)] = _connected(node, [forms[id(child)] for child in node.children])
    return forms[id(body)][negated]


def _constant(value: bool) -> Form:
    return frozenset([frozenset()]) if value else frozenset()


def _connected(node: Expression, operands: Sequence[tuple[Form, Form]]) -> tuple[Form, Form]:
    true, false = operands[0]
    if isinstance(node, Not):
        return false, true
    for true_too, false_too in operands[1:]:
        if isinstance(node, And):
            true, false = _both(true, true_too), _either(false, false_too)
        elif isinstance(node, Or):
            true, false = _either(true, true_too), _both(false, false_too)
        else:
            differ = _either(_both(true, false_too), _both(false, true_too))
            agree = _either(_both(true, true_too), _both(false, false_too))
            true, false = (differ, agree) if isinstance(node, Xor) else (agree, differ)
    return true, false


def _both(form: Form, other: Form) -> Form:
    if form == frozenset() or other == frozenset():
        return frozenset()
    if form is None or other is None or len(form) * len(other) > MOST_CONJUNCTIONS**2:
        return None
    return _bounded(first | second for first in form for second in other)


def _either(form: Form, other: Form) -> Form:
    if form == _constant(True) or other == _constant(True):
        return _constant(True)
    return None if form is None or other is None else _bounded(form | other)


def _bounded(conjunctions: Iterable[Conjunction]) -> Form:
    """The conjunctions of which no part is another one, if they are not too many."""
    shortest_first = sorted(set(conjunctions), key=len)
    kept: list[Conjunction] = []
    for conjunction in shortest_first:
        if not any(other <= conjunction for other in kept):
            kept.append(conjunction)
    return frozenset(kept) if len(kept) <= MOST_CONJUNCTIONS else None


def program_of(body: Expression, missing: Missing) -> list[Leaf | int]:
    """A body in postfix form: leaves, and codes for what stands between them."""
    found: list[Leaf | int] = []
    pending: list[Expression | int] = [body]
    while pending:
        item = pending.pop()
        if isinstance(item, int):
            found.append(item)
        elif isinstance(item, Constant):
            found.append(TRUE_CODE if item.value else FALSE_CODE)
        elif isinstance(item, Not):
            pending += [NOT_CODE, item.operand]
        elif item.children:
            for child in reversed(item.children[1:]):
                pending += [_CODES[type(item)], child]
            pending.append(item.children[0])
        else:
            for place, (leaf, is_negated) in enumerate(literals_of(item, missing)):
                found += [leaf, *([NOT_CODE] if is_negated else []), *([AND_CODE] if place else [])]
    return found


def stack_size(program: Iterable[object]) -> int:
    """How many nodes a program has on its stack at most."""
    most = size = 0
    for code in program:
        if not isinstance(code, int) or code >= 0 or code in (TRUE_CODE, FALSE_CODE):
            size += 1
        elif code != NOT_CODE:
            size -= 1
        most = max(most, size)
    return most


class QuestionSet:
    """The distinct questions of some parts, and the leaves that they are made of."""

    def __init__(self, parts: Sequence[Quantified], missing: Missing, hierarchies: Hierarchies | None) -> None:
        self.parts = tuple(parts)
        self.missing = missing
        self.hierarchies = hierarchies or {}
        self.is_negated = np.array([part.is_universal for part in parts], np.bool_)
        """For each part: whether it is the negation of the disjunction of its questions."""
        self.scopes: list[Scope] = list(dict.fromkeys(part.last for part in parts))
        forms = [disjunction_of(part.body, missing, negated=part.is_universal) for part in parts]
        self._number_leaves()
        self.arrays = self._arrays(forms)
        self.ranges = self._ranges()
        counts = np.diff(self.arrays.literal_offsets)
        self.most_literals = int(counts.max(initial=1))

    def _number_leaves(self) -> None:
        """Those on constants first, then those on both, then those on the event; the most used of a sort first."""
        uses: dict[Leaf, int] = {}
        for part in self.parts:
            # Every leaf of a body has a number, also where it fell out of the disjunction: programs name them all.
            for node in distinct_nodes(part.body):
                if not node.children and not isinstance(node, Constant):
                    for leaf, _ in literals_of(node, self.missing):
                        uses[leaf] = uses.get(leaf, 0) + 1
        by_use = sorted(uses, key=lambda leaf: -uses[leaf])
        self.fixed = [leaf for leaf in by_use if isinstance(leaf, DocumentLeaf)]
        self.joined = [leaf for leaf in by_use if isinstance(leaf, JoinedLeaf)]
        self.of_event = [leaf for leaf in by_use if isinstance(leaf, EventLeaf)]
        in_order: list[Leaf] = [*self.fixed, *self.joined, *self.of_event]
        self.number_of = {leaf: number for number, leaf in enumerate(in_order)}
        columns = [leaf.predicate.attribute for leaf in self.fixed] + [leaf.document_attribute for leaf in self.joined]
        self.columns = list(dict.fromkeys(columns))
        """The attributes of documents that leaves are about, by number."""
        self.attributes = list(dict.fromkeys(leaf.attribute for leaf in self.joined))
        """The attributes of events that leaves are about, by number."""

    def program(self, part: int) -> list[int]:
        """The program of a part's body."""
        codes = program_of(self.parts[part].body, self.missing)
        return [code if isinstance(code, int) else self.number_of[code] for code in codes]

    def _arrays(self, forms: Sequence[Form]) -> Questions:
        number_of: dict[tuple[int, tuple[int, ...]], int] = {}
        literals: list[tuple[int, ...]] = []
        question_scope: list[int] = []
        question_program: list[int] = []
        programs: list[list[int]] = []
        of_part: list[list[int]] = []
        scope_of = {scope: number for number, scope in enumerate(self.scopes)}
        for number, (part, form) in enumerate(zip(self.parts, forms, strict=True)):
            scope = scope_of[part.last]
            if form is None:
                of_part.append([len(literals)])
                literals.append(())
                question_scope.append(scope)
                question_program.append(len(programs))
                programs.append(self.program(number) + ([NOT_CODE] if part.is_universal else []))
                continue
            asked = []
            for conjunction in sorted(tuple(sorted(map(self._literal, each))) for each in form):
                question = number_of.setdefault((scope, conjunction), len(literals))
                asked.append(question)
                if question == len(literals):
                    literals.append(conjunction)
                    question_scope.append(scope)
                    question_program.append(-1)
            of_part.append(asked)
        self.most_on_stack = max(map(stack_size, programs), default=1)
        arrays = [*self._leaf_arrays(), *_csr(literals), _ints(question_scope), _ints(question_program)]
        sizes = (len(self.fixed), len(self.joined))
        return Questions._make([*sizes, *arrays, *_csr(programs), *_csr(of_part)])

    def _literal(self, literal: Literal) -> int:
        leaf, is_negated = literal
        return 2 * self.number_of[leaf] + is_negated

    def _leaf_arrays(self) -> tuple[np.ndarray, ...]:
        column_of = {name: number for number, name in enumerate(self.columns)}
        attribute_of = {name: number for number, name in enumerate(self.attributes)}
        pair_of: dict[tuple[str, str], int] = {}
        pairs = [pair_of.setdefault((leaf.attribute, leaf.document_attribute), len(pair_of)) for leaf in self.joined]
        self.num_pairs = len(pair_of)
        of_fixed = [column_of[leaf.predicate.attribute] for leaf in self.fixed]
        when_missing = [leaf.when_missing for leaf in self.fixed] + [leaf.when_missing for leaf in self.joined]
        return (
            _ints(of_fixed + [column_of[leaf.document_attribute] for leaf in self.joined]),
            np.array(when_missing, np.uint8),
            _ints([attribute_of[leaf.attribute] for leaf in self.joined]),
            np.array([_OPERATORS[leaf.operator] for leaf in self.joined], np.uint8),
            _ints(pairs),
        )

    def _ranges(self) -> FixedRanges:
        """The ranges of the fixed leaves; a leaf for which a taxonomy must be asked has none, and is `listed`."""
        self.listed: list[int] = []
        ranges: list[ValueRange] = []
        offsets = [0]
        for number, leaf in enumerate(self.fixed):
            found = value_ranges(leaf.predicate, self.hierarchies.get(leaf.predicate.attribute))
            if found is None:
                self.listed.append(number)
            ranges += found or []
            offsets.append(len(ranges))
        places: dict[EncodedValue, int] = {}
        ends = [
            [-1 if end is None else places.setdefault(end, len(places)) for end in (each.low, each.high)]
            for each in ranges
        ]
        return FixedRanges(
            _ints(offsets),
            np.array([each.kind for each in ranges], np.uint8),
            _ints([low for low, _ in ends]),
            _ints([high for _, high in ends]),
            np.array([each.is_low_open for each in ranges], np.uint8),
            np.array([each.is_high_open for each in ranges], np.uint8),
            values_of(list(places)),
        )


def values_of(values: Sequence[EncodedValue]) -> Values:
    """Encoded values as kernels take them."""
    return Values(
        np.array([value.kind for value in values], np.uint8),
        _ints([value.high for value in values]),
        np.array([value.low for value in values], np.float64),
        np.cumsum([0, *(len(value.text) for value in values)]).astype(np.int64),
        np.frombuffer(bytearray(b"".join(value.text for value in values)), np.uint8),
    )


def _ints(values: Sequence[int]) -> np.ndarray:
    return np.array(values, np.int64)


def _csr(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    return offsets, _ints([item for row in rows for item in row])
