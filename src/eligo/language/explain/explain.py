"""Why does an event match an expression, or why not? The truth of every node, and the values that decided it.

does not match, because age between 18 and 24 is false (age = 30)
✗ and
├─ ✗ age between 18 and 24   age = 30   ◀ decides
└─ ✓ or
   ├─ ✓ state in ('CA', 'NY')   state = 'CA'   ◀ decides
   └─ ? not
      └─ ? device = 'tv'   device is missing
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from eligo.arguments import flag
from eligo.arguments import text as text_argument
from eligo.errors import InputError, printable, shown
from eligo.language.document_truth import Documents
from eligo.language.evaluate import (
    Hierarchies,
    Missing,
    Truth,
    attributes_of,
    check_policy,
    checked_hierarchies,
    truths,
)
from eligo.language.explain.part_reason import PartDecision, decide_part, part_phrase
from eligo.language.explain.reason import Reason, leaf_text, reason
from eligo.language.forms.any_form import as_tree
from eligo.language.forms.json_value import value_to_json
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.quantified import Quantified, quantified_parts
from eligo.language.tree import (
    And,
    Constant,
    Expression,
    Literal,
    Not,
    Or,
    Predicate,
    SupportsExpression,
    Xnor,
    Xor,
    distinct_nodes,
)
from eligo.language.value import Scalar, event_attributes

SHOWN_REASONS = 3
"""The opening sentence names at most this many predicates."""
SHOWN_LINES = 2_000
"""A text explanation is cut after this many lines."""
DRAWN_LEVELS = 20
"""Deeper levels are numbered, not drawn, so that a deep tree stays readable and small."""

TRUTH_NAME: dict[Truth, str] = {True: "true", False: "false", None: "unknown"}
_MARK: dict[Truth, str] = {True: "✓", False: "✗", None: "?"}
_COLOR: dict[Truth, str] = {True: "32", False: "31", None: "33"}
_DIM = "2"
_BOLD = "1"
_CONNECTIVE: dict[type[Expression], str] = {And: "and", Or: "or", Not: "not", Xor: "xor", Xnor: "xnor"}


def explain(
    expression: Expression | str | Mapping[str, Any] | SupportsExpression,
    event: Mapping[str, Any],
    missing: Missing = "unknown",
    *,
    hierarchies: Hierarchies | None = None,
    documents: Documents | None = None,
    at: datetime | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Explanation:
    """The truth of every node of an expression (a tree, a text or the JSON form) for one event, and what decided it.

    `documents` and `at` are as for `evaluate`.
    """
    tree = as_tree(expression)
    attributes = event_attributes(event, attributes_of(tree), limits=limits)
    known = checked_hierarchies(hierarchies)
    check_policy(missing)
    parts = {
        part.attribute: decide_part(part, attributes, documents, missing, known, at=at, limits=limits)
        for part in quantified_parts(tree)
    }
    return explained(tree, attributes, missing, known, parts)


def explained(
    tree: Expression,
    attributes: Mapping[str, tuple[Scalar, ...]],
    missing: Missing,
    hierarchies: Hierarchies | None = None,
    parts: Mapping[str, PartDecision] | None = None,
) -> Explanation:
    """The explanation of a tree for an event of which all is known: its values, and what its documents decided.

    `parts` has, by the `attribute` of each quantified part, what was found out about it.
    """
    decided = parts or {}
    values: dict[str, tuple[Scalar, ...]] = {
        **attributes,
        **{name: () if each.truth is None else (each.truth,) for name, each in decided.items()},
    }
    return Explanation(tree, missing, truths(tree, values, missing, hierarchies), values, hierarchies or {}, decided)


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why one event does or does not match one expression; `str()` is the text."""

    expression: Expression
    missing: Missing
    truth_of: Mapping[int, Truth]
    """By the `id` of each node of the expression."""
    attributes: Mapping[str, tuple[Scalar, ...]]
    """The event's values of each present attribute that the expression names."""
    hierarchies: Hierarchies
    parts: Mapping[str, PartDecision] = field(default_factory=dict)
    """What documents decided, by the `attribute` of each quantified part."""

    @property
    def truth(self) -> Truth:
        """True, false, or None for unknown."""
        return self.truth_of[id(self.expression)]

    @property
    def matches(self) -> bool:
        """Whether the event matches: unknown is no match."""
        return self.truth is True

    def without_documents(self) -> Explanation:
        """The same for one who may not read documents: what they decided, and nothing that stands in them."""
        return replace(self, parts={name: each._replace(document=None) for name, each in self.parts.items()})

    def reason(self, leaf: Predicate | Literal) -> Reason:
        """Why one predicate of the expression has its truth."""
        if not isinstance(leaf, Predicate | Literal):
            raise InputError(f"only a predicate has a reason, not {shown(leaf)}", help="ask deciding_leaves()")
        predicate = leaf.predicate if isinstance(leaf, Literal) else leaf
        name = predicate.attribute
        why = reason(leaf, self.attributes.get(name, ()), self.missing, self.hierarchies.get(name))
        if isinstance(predicate, Quantified) and name in self.parts:
            why = replace(why, phrase=part_phrase(predicate, self.parts[name], self.attributes))
        return why

    def deciding(self, node: Expression) -> tuple[Expression, ...]:
        """The children that gave a node its truth: the first one that is enough, or all that were needed."""
        if id(node) not in self.truth_of:
            raise InputError(f"{shown(node)} is not a node of this explanation's expression")
        truth = self.truth_of[id(node)]
        same = tuple(child for child in node.children if self.truth_of[id(child)] is truth)
        if (isinstance(node, And) and truth is False) or (isinstance(node, Or) and truth is True):
            return same[:1]
        return same if truth is None or isinstance(node, And | Or) else node.children

    def deciding_leaves(self) -> Iterator[Expression]:
        """The predicates (and constants) on which the whole result rests, in their order, each once."""
        pending, seen = [self.expression], set()
        while pending:
            node = pending.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if not node.children:
                yield node
            pending.extend(reversed(self.deciding(node)))

    def summary(self, subject: str = "") -> str:
        """One sentence; `subject` names the expression, such as by its id."""
        text_argument(subject, "subject")
        verdict = {True: "matches", False: "does not match", None: "does not match (unknown)"}[self.truth]
        leaves = list(self.deciding_leaves())
        clauses = [self._clause(leaf) for leaf in leaves[:SHOWN_REASONS]]
        rest = len(leaves) - SHOWN_REASONS
        clauses += [f"{rest:,} more"] if rest > 0 else []
        reasons = f"{', '.join(clauses[:-1])} and {clauses[-1]}" if len(clauses) > 1 else clauses[0]
        return f"{printable(subject)} {verdict}, because {reasons}{self._also_failing()}".lstrip()

    def _also_failing(self) -> str:
        """Of a false `and` at the top only one child decides; the others that do not hold matter to who reads."""
        if not isinstance(self.expression, And) or self.truth is not False:
            return ""
        failing = sum(self.truth_of[id(child)] is not True for child in self.expression.children) - 1
        if not failing:
            return ""
        return f"; {failing:,} other part{'s do' if failing > 1 else ' does'} not hold either"

    def _clause(self, leaf: Expression) -> str:
        truth = TRUTH_NAME[self.truth_of[id(leaf)]]
        if isinstance(leaf, Predicate | Literal):
            why = self.reason(leaf)
            return f"{leaf_text(leaf, why.hit)} is {truth} ({why.phrase})"
        return f"the constant is {truth}"

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Explanation: {self.summary()}>"

    def to_text(self, color: bool = False, *, subject: str = "") -> str:
        """The sentence, then the tree; `color` adds ANSI colours for a terminal."""
        paint = _painted if flag(color, "color") else _plain
        lines = [paint(self.summary(subject), _BOLD)]
        for line in self._tree_lines(paint):
            if len(lines) > SHOWN_LINES:
                lines.append(f"… cut after {SHOWN_LINES:,} lines")
                break
            lines.append(line)
        return "\n".join(lines)

    def _tree_lines(self, paint: Painter) -> Iterator[str]:
        """One line for each node, parents first; a stack entry is node, level, both indents, and if it decides."""
        pending: list[tuple[Expression, int, str, str, bool]] = [(self.expression, 0, "", "", False)]
        while pending:
            node, level, indent, indent_below, decides = pending.pop()
            yield f"{paint(indent, _DIM)}{self._node_line(node, paint)}{paint('   ◀ decides', _DIM) if decides else ''}"
            deciding = {id(child) for child in self.deciding(node)}
            is_choice = len(deciding) < len({id(child) for child in node.children})
            children = []
            for place, child in enumerate(node.children):
                is_last = place == len(node.children) - 1
                indents = _indents(indent_below, level + 1, is_last)
                children.append((child, level + 1, *indents, is_choice and id(child) in deciding))
            pending.extend(reversed(children))

    def _node_line(self, node: Expression, paint: Painter) -> str:
        truth = self.truth_of[id(node)]
        mark = paint(_MARK[truth], _COLOR[truth])
        if isinstance(node, Predicate | Literal):
            why = self.reason(node)
            return f"{mark} {leaf_text(node, why.hit)}   {paint(why.phrase, _DIM)}"
        if isinstance(node, Constant):
            return f"{mark} {TRUTH_NAME[truth]}"
        return f"{mark} {_CONNECTIVE[type(node)]}"

    def to_json(self) -> dict[str, Any]:
        """The explanation as plain JSON values; docs/explain.md describes it."""
        document_of: dict[int, dict[str, Any]] = {}
        for node in distinct_nodes(self.expression):
            document: dict[str, Any] = {"truth": TRUTH_NAME[self.truth_of[id(node)]]}
            if isinstance(node, Predicate | Literal):
                document |= self._leaf_json(node)
            elif isinstance(node, Constant):
                document["node"] = "constant"
            else:
                deciding = {id(child) for child in self.deciding(node)}
                document["node"] = _CONNECTIVE[type(node)]
                document["decided_by"] = [i for i, child in enumerate(node.children) if id(child) in deciding]
                document["children"] = [document_of[id(child)] for child in node.children]
            document_of[id(node)] = document
        return {
            "matches": self.matches,
            "truth": TRUTH_NAME[self.truth],
            "missing": self.missing,
            "summary": self.summary(),
            "tree": document_of[id(self.expression)],
        }

    def _leaf_json(self, leaf: Predicate | Literal) -> dict[str, Any]:
        why = self.reason(leaf)
        predicate = leaf.predicate if isinstance(leaf, Literal) else leaf
        if isinstance(predicate, Quantified) and predicate.attribute in self.parts:
            return self._part_json(leaf, predicate, why)
        return {
            "node": "predicate" if isinstance(leaf, Predicate) else "literal",
            "text": leaf_text(leaf, why.hit),
            "attribute": leaf.attribute if isinstance(leaf, Predicate) else leaf.predicate.attribute,
            "values": [_event_value_to_json(value) for value in why.values],
            "satisfying": [_event_value_to_json(value) for value in why.satisfying],
            "reason": why.phrase,
        }

    def _part_json(self, leaf: Predicate | Literal, part: Quantified, why: Reason) -> dict[str, Any]:
        decision = self.parts[part.attribute]
        document: dict[str, Any] | None = None
        if decision.number is not None:
            document = {"number": decision.number}
            if decision.document is not None:
                document["values"] = _values_to_json(part.document_attributes(), decision.document)
        return {
            "node": "quantified" if isinstance(leaf, Predicate) else "literal",
            "text": leaf_text(leaf, why.hit),
            "quantifier": part.quantifier,
            "values": _values_to_json(part.event_attributes(), self.attributes),
            "num_documents": decision.num_documents,
            "document": document,
            "reason": why.phrase,
        }


def _values_to_json(names: set[str], attributes: Mapping[str, tuple[Scalar, ...]]) -> dict[str, list[Any]]:
    """The values of each of some attributes; none of one that is missing."""
    return {name: [_event_value_to_json(value) for value in attributes.get(name, ())] for name in sorted(names)}


def _event_value_to_json(value: Scalar) -> Any:
    """As in an expression, but an event may also hold infinity, which JSON has no number for."""
    if isinstance(value, float) and math.isinf(value):
        return {"number": "inf" if value > 0 else "-inf"}
    return value_to_json(value)


def _indents(above: str, level: int, is_last: bool) -> tuple[str, str]:
    """What stands before a node's own line, and before those below it."""
    if level > DRAWN_LEVELS:
        return f"{above}[{level}] ", above
    return f"{above}{'└─ ' if is_last else '├─ '}", f"{above}{'   ' if is_last else '│  '}"


class Painter(Protocol):
    """Gives a text a colour, or leaves it."""

    def __call__(self, text: str, code: str) -> str: ...


def _painted(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if text else ""


def _plain(text: str, code: str) -> str:
    return text
