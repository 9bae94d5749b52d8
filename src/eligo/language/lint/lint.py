"""Which expressions of a set are probably not what their author meant?

    never-true       no event satisfies it: age > 65 and age < 18
    always-true      every event satisfies it: age exists or age is missing
    duplicate        it matches the same events as another one
    subsumed         a conjunction; each event that it matches, another conjunction matches too
    missing-policy   it matches other events under the other policy for missing attributes
    tiny-weight      a weight is so small that a hit on it scores nothing: state = 'CA'^1e-10

and, of quantified parts, the rules of `part_findings`.

The first four are certain but not complete: to tell all cases would take exponential time. `missing-policy` compares
simplified forms and may, for a large expression, report a difference that no event shows. `tiny-weight` names
weights that count 0 unless the event weighs them up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from eligo.errors import InputError
from eligo.kernels.score_units import hit_units
from eligo.language.canonical import attribute_text, canonical_text, number_text
from eligo.language.lint.finding import Finding, Id
from eligo.language.lint.part_findings import PART_RULES, part_findings, part_policy_difference
from eligo.language.lint.policy_difference import Form, policy_difference
from eligo.language.quantified import Quantified, quantified_parts
from eligo.language.rewrites.form_numbers import FormNumbers
from eligo.language.rewrites.plain_body import with_parts
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.rewrites.satisfiable import is_always_true, is_never_true
from eligo.language.rewrites.simplify import simplify
from eligo.language.rewrites.subsumption import SubsumptionIndex
from eligo.language.tree import FALSE, And, Expression, Literal, Predicate, WeightedSetPredicate, distinct_nodes

if TYPE_CHECKING:
    from eligo.language.evaluate import Missing

RULES = ("never-true", "always-true", "duplicate", "subsumed", "missing-policy", "tiny-weight", *PART_RULES)


class SchemaLike(Protocol):
    """What lint asks of a schema."""

    def is_single(self, name: str) -> bool:
        """Whether an event has at most one value of the attribute."""
        ...


def lint(
    expressions: Mapping[Id, Expression] | Iterable[tuple[Id, Expression]],
    *,
    missing: Missing = "unknown",
    schema: SchemaLike | None = None,
    rules: Collection[str] = RULES,
) -> list[Finding]:
    """All findings, in the order of the expressions and, for each, of `RULES`.

    `missing` is the policy that the set is built with. Without a schema every attribute may have several values, so
    that `a = 1 and a = 2` may be true.
    """
    unknown = sorted(set(rules) - set(RULES))
    if unknown:
        raise InputError(f"there is no lint rule {unknown[0]!r}", help=f"the rules are {', '.join(RULES)}")
    pairs = expressions.items() if isinstance(expressions, Mapping) else expressions
    return [finding for found in lint_each(pairs, missing=missing, schema=schema, rules=rules) for finding in found]


def lint_each(
    pairs: Iterable[tuple[Id, Expression]],
    *,
    missing: Missing = "unknown",
    schema: SchemaLike | None = None,
    rules: Collection[str] = RULES,
) -> list[list[Finding]]:
    """The findings of `lint` on each expression."""
    linter = _Linter(missing, SingleValued(schema), frozenset(rules))
    for id_, tree in pairs:
        linter.add(id_, tree)
    linter.compare()
    return [sorted(found, key=lambda each: RULES.index(each.rule)) for found in linter.findings]


class SingleValued:
    """The attributes of which an event has one value at most, by a schema."""

    def __init__(self, schema: SchemaLike | None) -> None:
        self.schema = schema

    def __contains__(self, name: object) -> bool:
        return self.schema is not None and isinstance(name, str) and self.schema.is_single(name)


class _Linter:
    """The expressions seen so far and what was found on each."""

    def __init__(self, missing: Missing, single_valued: SingleValued, rules: frozenset[str]) -> None:
        self.missing: Missing = missing
        self.single_valued = single_valued
        self.rules = rules
        self.numbers = FormNumbers()
        self.ids: list[Id] = []
        self.trees: list[Expression] = []
        self.findings: list[list[Finding]] = []
        self.first_place_of_form: dict[int, int] = {}
        self.distinct: list[tuple[int, Expression]] = []
        """Place and simplified form of each expression that is neither decided nor a duplicate."""

    def add(self, id_: Id, tree: Expression) -> None:
        """Take up an expression, and check it by itself and against equal ones."""
        place = len(self.ids)
        self.ids.append(id_)
        self.trees.append(tree)
        self.findings.append([])
        if "tiny-weight" in self.rules and (weight := _tiny_weight(tree)) is not None:
            message = f"the weight {number_text(weight)} is below half a billionth, and a hit on it scores 0"
            self._report(place, "tiny-weight", message)
        has_parts = bool(quantified_parts(tree))
        nnf = push_negations(tree, self.missing)
        simple = simplify(nnf, missing=self.missing, single_valued=self.single_valued)
        if "missing-policy" in self.rules:
            difference = policy_difference(tree, self.missing, Form(nnf, simple), self.single_valued, self.numbers)
            if difference is None and has_parts:
                difference = part_policy_difference(tree, self.missing, self.numbers)
            if difference is not None:
                self._report(place, "missing-policy", difference)
        if has_parts:
            for rule, message in part_findings(tree, self.missing, self.single_valued):
                self._report(place, rule, message)
            nnf, simple = self._with_simple_parts(tree)
        if is_never_true(simple, self.single_valued):
            self._report(place, "never-true", self._why_never(nnf))
        elif is_always_true(simple, self.single_valued):
            self._report(place, "always-true", "every event makes it true")
        else:
            first = self.first_place_of_form.setdefault(self.numbers.of(simple), place)
            if first == place:
                self.distinct.append((place, simple))
            else:
                self._report_duplicate(place, first)

    def _with_simple_parts(self, tree: Expression) -> Form:
        """Both forms, with simplified bodies: parts that say the same are then the same."""

        def simpler(part: Expression) -> Expression:
            return simplify(part, missing=self.missing, single_valued=self.single_valued)

        nnf = push_negations(with_parts(tree, simpler), self.missing)
        return Form(nnf, simplify(nnf, missing=self.missing, single_valued=self.single_valued))

    def compare(self) -> None:
        """Check all conjunctions against each other."""
        if not self.rules & {"duplicate", "subsumed"}:
            return
        index = SubsumptionIndex([simple for _, simple in self.distinct], self.single_valued)
        for number, (place, _) in enumerate(self.distinct):
            for wider in index.subsumers(number):
                other = self.distinct[wider][0]
                if not index.implies(wider, number):
                    message = f"every event that it matches, {self.ids[other]!r} matches too"
                    self._report(place, "subsumed", message, self.ids[other])
                    break
                if other < place:
                    self._report_duplicate(place, other)
                    break

    def _report(self, place: int, rule: str, message: str, other_id: Id | None = None) -> None:
        if rule in self.rules:
            self.findings[place].append(Finding(self.ids[place], rule, message, other_id))

    def _report_duplicate(self, place: int, first: int) -> None:
        is_weighted_alike = self._weights(self.trees[place]) == self._weights(self.trees[first])
        but = "" if is_weighted_alike else ", with other weights"
        self._report(place, "duplicate", f"it matches the same events as {self.ids[first]!r}{but}", self.ids[first])

    def _weights(self, tree: Expression) -> list[str]:
        """The texts of the literals that have weights."""
        literals = [node for node in distinct_nodes(push_negations(tree, self.missing)) if isinstance(node, Literal)]
        return sorted({canonical_text(literal) for literal in literals if _is_weighted(literal.predicate)})

    def _why_never(self, nnf: Expression) -> str:
        """The message for an expression that is never true; names the attribute when a single one shows it."""
        groups: dict[str, list[Expression]] = {}
        for operand in nnf.operands if isinstance(nnf, And) else (nnf,):
            if isinstance(operand, Literal) and not isinstance(operand.predicate, Quantified):
                groups.setdefault(operand.predicate.attribute, []).append(operand)
        for attribute, literals in groups.items():
            conjunction = And((*literals, *literals))
            if simplify(conjunction, missing=self.missing, single_valued=self.single_valued) == FALSE:
                return f"no event makes it true: nothing that {attribute_text(attribute)} can be satisfies all it asks"
        return "no event makes it true"


def _tiny_weight(tree: Expression) -> float | None:
    """A weight that is not 0 and whose hits score 0, if there is one."""
    for node in distinct_nodes(tree):
        own = node.weights if isinstance(node, WeightedSetPredicate) else (getattr(node, "weight", 1.0),)
        for weight in own:
            if weight > 0 and hit_units(weight, 1.0) == 0:
                return float(weight)
    return None


def _is_weighted(predicate: Predicate) -> bool:
    if isinstance(predicate, WeightedSetPredicate):
        return bool(predicate.weights)
    return float(getattr(predicate, "weight", 1.0)) != 1.0
