"""How does any expression become an OR of ANDs, or an AND of ORs, of literals? By distribution, within a bound.

K-index, SIFT and the like take expressions in disjunctive normal form, an OR of conjunctions (Whang 2009, section 2.1):

    (a or b) and (c or d)      →      a and c    or    a and d    or    b and c    or    b and d

That may be exponentially larger than the expression, so its size is computed first, with arithmetic over the shared
nodes of the negation normal form, and nothing is built above the bound.

A positive literal that also holds when its attribute is missing (from `not a strong not in (…)`) becomes two, `a in
(…)` and `a is missing`. So every positive literal needs a key of the event, and a conjunction's size is Whang's K.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from eligo.errors import NormalFormTooLargeError
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.rewrites.leaf import plain
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.tree import And, Constant, Exists, Expression, In, Literal, Or, Predicate, distinct_nodes

if TYPE_CHECKING:
    from eligo.language.evaluate import Missing

COUNT_CAP = 10**18
"""Counts above this are not told apart."""
SUBSUMPTION_CHECKS = 200_000
"""Pairs of conjunctions (or disjunctions) that are compared at most to drop those that another makes redundant."""


@dataclass(frozen=True)
class Clause:
    """Literals under one connective, each once, in the order in which they were met."""

    literals: tuple[Literal, ...]

    @property
    def size(self) -> int:
        """The number of positive literals: Whang's K."""
        return sum(literal.positive for literal in self.literals)


@dataclass(frozen=True)
class Conjunction(Clause):
    """True when all of its literals hold; without literals, always."""


@dataclass(frozen=True)
class Disjunction(Clause):
    """True when one of its literals holds; without literals, never."""


class NormalFormSize(NamedTuple):
    """How large a normal form is before anything redundant is dropped; no number is above `COUNT_CAP`."""

    num_clauses: int
    num_literals: int


def to_dnf(
    tree: Expression, missing: Missing, *, limits: Limits = DEFAULT_LIMITS, keep_scores: bool = False
) -> tuple[Conjunction, ...]:
    """The conjunctions of which one must be true: none for `false`, one without literals for `true`.

    Conjunctions that no event satisfies for their literals' sake (`p and not p`) are dropped, and so are, unless
    `keep_scores` asks for them, literals that stand twice in one conjunction and conjunctions that another one makes
    redundant: they make no difference to the truth, but to the score they do.
    """
    clauses = _clauses(tree, missing, And, limits, keep_scores)
    return tuple(Conjunction(clause) for clause in clauses)


def to_cnf(tree: Expression, missing: Missing, *, limits: Limits = DEFAULT_LIMITS) -> tuple[Disjunction, ...]:
    """The disjunctions which must all be true: none for `true`, one without literals for `false`.

    Disjunctions that every event satisfies, and those that another one makes redundant, are dropped.
    """
    return tuple(Disjunction(clause) for clause in _clauses(tree, missing, Or, limits, keep_scores=False))


def dnf_size(tree: Expression, missing: Missing) -> NormalFormSize:
    """How large the disjunctive normal form would be; takes time linear in the expression, whatever the answer."""
    return _size(_prepared(push_negations(tree, missing)), And)


def cnf_size(tree: Expression, missing: Missing) -> NormalFormSize:
    """How large the conjunctive normal form would be; takes time linear in the expression, whatever the answer."""
    return _size(_prepared(push_negations(tree, missing)), Or)


def dnf_tree(conjunctions: Iterable[Conjunction]) -> Expression:
    """The normal form as a tree of negation normal form."""
    return _connected(Or, [_connected(And, conjunction.literals) for conjunction in conjunctions])


def cnf_tree(disjunctions: Iterable[Disjunction]) -> Expression:
    """The normal form as a tree of negation normal form."""
    return _connected(And, [_connected(Or, disjunction.literals) for disjunction in disjunctions])


Connective = type[And] | type[Or]
"""Below, the connective within a clause: AND for the disjunctive normal form, OR for the conjunctive one."""


def _clauses(
    tree: Expression, missing: Missing, within: Connective, limits: Limits, keep_scores: bool
) -> list[tuple[Literal, ...]]:
    root = _prepared(push_negations(tree, missing), keep_scores)
    _check_size(_size(root, within), within, limits)
    predicates = {node.predicate for node in distinct_nodes(root) if isinstance(node, Literal)}
    bare = {predicate: plain(predicate) for predicate in predicates}
    clauses = [clause for clause in _distributed(root, within) if not _is_idle(clause, within, bare)]
    if keep_scores:
        return clauses
    distinct = list(dict.fromkeys(tuple(dict.fromkeys(clause)) for clause in clauses))
    return _without_subsumed(distinct)


def _check_size(size: NormalFormSize, within: Connective, limits: Limits) -> None:
    largest = max(size)
    if largest <= limits.normal_form:
        return
    form, part = ("disjunctive", "conjunction") if within is And else ("conjunctive", "disjunction")
    raise NormalFormTooLargeError(
        f"the {form} normal form would have {_count_text(size.num_clauses)} {part}s with "
        f"{_count_text(size.num_literals)} literals in all, more than the {limits.normal_form:,} allowed",
        help="use an engine that takes expressions of any shape, such as a_tree, or raise Limits.normal_form",
    )


def _count_text(count: int) -> str:
    return f"{count:,}" if count < COUNT_CAP else "at least 10^18"


def _connected(connective: Connective, nodes: Sequence[Expression]) -> Expression:
    if len(nodes) > 1:
        return connective(tuple(nodes))
    return nodes[0] if nodes else Constant(connective is And)


def _prepared(root: Expression, keep_scores: bool = False) -> Expression:
    """The tree without constants (unless it is one), and with no positive literal that holds when missing.

    Without `false` no part of the tree can have a larger normal form than the whole. `x or true` stays when scores are
    kept: it is always true, but scores what x does.
    """
    prepared: dict[int, Expression] = {}
    for node in distinct_nodes(root):
        if isinstance(node, Literal) and node.positive and node.holds_when_missing:
            attribute = node.predicate.attribute
            prepared[id(node)] = Or((Literal(node.predicate), Literal(Exists(attribute), False, True)))
        elif isinstance(node, And | Or):
            prepared[id(node)] = _without_constants(node, [prepared[id(child)] for child in node.operands], keep_scores)
        else:
            prepared[id(node)] = node
    return prepared[id(root)]


def _without_constants(node: And | Or, operands: list[Expression], keep_scores: bool) -> Expression:
    decisive = isinstance(node, Or)
    constants = {operand.value for operand in operands if isinstance(operand, Constant)}
    if decisive in constants and not (decisive and keep_scores):
        return Constant(decisive)
    idle = not decisive
    kept = [operand for operand in operands if not (isinstance(operand, Constant) and operand.value is idle)]
    return _connected(type(node), kept)


def _size(root: Expression, within: Connective) -> NormalFormSize:
    """Clauses multiply under the connective within clauses, and add under the other."""
    sizes: dict[int, NormalFormSize] = {}
    for node in distinct_nodes(root):
        if isinstance(node, Literal):
            sizes[id(node)] = NormalFormSize(1, 1)
            continue
        if isinstance(node, Constant):
            sizes[id(node)] = NormalFormSize(int(node.value is (within is And)), 0)
            continue
        multiplies = isinstance(node, within)
        clauses, literals = (1, 0) if multiplies else (0, 0)
        for child in node.children:
            child_clauses, child_literals = sizes[id(child)]
            if multiplies:
                literals = literals * child_clauses + clauses * child_literals
                clauses *= child_clauses
            else:
                literals += child_literals
                clauses += child_clauses
            clauses, literals = min(clauses, COUNT_CAP), min(literals, COUNT_CAP)
        sizes[id(node)] = NormalFormSize(clauses, literals)
    return sizes[id(root)]


def _distributed(root: Expression, within: Connective) -> list[tuple[Literal, ...]]:
    """All clauses, with repeated literals and all."""
    clauses_of: dict[int, list[tuple[Literal, ...]]] = {}
    for node in distinct_nodes(root):
        if isinstance(node, Literal):
            clauses_of[id(node)] = [(node,)]
            continue
        if isinstance(node, Constant):
            clauses_of[id(node)] = [()] if node.value is (within is And) else []
            continue
        parts = [clauses_of[id(child)] for child in node.children]
        if isinstance(node, within):
            clauses_of[id(node)] = [tuple(lit for part in choice for lit in part) for choice in product(*parts)]
        else:
            clauses_of[id(node)] = [clause for part in parts for clause in part]
    return clauses_of[id(root)]


def _is_idle(clause: tuple[Literal, ...], within: Connective, bare: dict[Predicate, Predicate]) -> bool:
    """Whether the literals alone show that a conjunction is never true, or a disjunction always.

    A conjunction fails a present attribute when it holds `p` and `not p`, or `is missing`; it fails a missing one when
    some literal does not hold then. It is idle when it fails both. For a disjunction, exchange holding and failing.
    """
    is_conjunction = within is And
    polarities: dict[Predicate, bool] = {}
    decides_present: set[str] = set()
    decides_missing: set[str] = set()
    for literal in clause:
        predicate, attribute = bare[literal.predicate], literal.predicate.attribute
        hits_all = isinstance(predicate, Exists)
        hits_none = isinstance(predicate, In) and not predicate.members
        is_contradicted = polarities.setdefault(predicate, literal.positive) is not literal.positive
        if is_contradicted or (hits_all if literal.positive is not is_conjunction else hits_none):
            decides_present.add(attribute)
        if literal.holds_when_missing is not is_conjunction:
            decides_missing.add(attribute)
    return not decides_present.isdisjoint(decides_missing)


def _without_subsumed(clauses: list[tuple[Literal, ...]]) -> list[tuple[Literal, ...]]:
    """The clauses none of whose proper parts is a clause as well; gives up after `SUBSUMPTION_CHECKS` comparisons.

    A clause is looked for under its rarest literal, so that most pairs are never compared.
    """
    frequency = Counter(literal for clause in clauses for literal in clause)
    by_rarest: dict[Literal, list[frozenset[Literal]]] = {}
    kept: set[int] = set()
    checks = 0
    for place in sorted(range(len(clauses)), key=lambda each: len(clauses[each])):
        clause = frozenset(clauses[place])
        if not clause:
            return [()]
        is_subsumed = False
        for literal in clause:
            candidates = by_rarest.get(literal, ())
            checks += len(candidates)
            if checks > SUBSUMPTION_CHECKS:
                break
            if any(candidate <= clause for candidate in candidates):
                is_subsumed = True
                break
        if not is_subsumed:
            kept.add(place)
            by_rarest.setdefault(min(clauses[place], key=frequency.__getitem__), []).append(clause)
    return [clauses[place] for place in range(len(clauses)) if place in kept]
