"""Which texts of a document are days or moments? Those of attributes that some expression compares with such.

    exists d (d.sold >= date '2026-01-01')        {"sold": "2026-03-01"}   has the text, and beside it the day

JSON has no dates. A document keeps the text, so that no expression means something else than before. What is compared
with a moment is asked when the document comes: an expression that comes later changes no document. It stays known when
the expression has gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from eligo.data.schema.attribute import parse_moment
from eligo.data.schema.guards import GUARDS
from eligo.errors import EligoError, ExpressionValueError
from eligo.index.index import Index
from eligo.language.event_size import too_deep
from eligo.language.limits import UNBOUNDED, Limits
from eligo.language.quantified import MARK, Joined, OfDocument, Quantified, stands_for_part
from eligo.language.text.parse import parse
from eligo.language.tree import Expression, Literal, Predicate, distinct_nodes
from eligo.language.value import Kind, kind_of

KIND_NAMES = {Kind.DATE: "date", Kind.TIMESTAMP: "timestamp"}
_MAY_MATTER = re.compile(r"\b(?:date|timestamp|exists|forall)\b", re.IGNORECASE)
"""Without any of these words an expression neither speaks of documents nor has a moment."""


class DocumentMoments:
    """What expressions have compared with moments so far."""

    def __init__(self, known: Iterable[tuple[str, str, str]] = ()) -> None:
        self._known = set(known)
        """("event", attribute, kind), ("document", attribute, kind), ("joined", attribute, document's attribute)."""
        self._settle()

    @property
    def known(self) -> tuple[tuple[str, str, str], ...]:
        """For a checkpoint; what the constructor takes back."""
        return tuple(sorted(self._known))

    @classmethod
    def of_index(cls, index: Index) -> DocumentMoments:
        """What the expressions of an index say."""
        made = cls()
        view = index.view()
        for name, kinds in view.attribute_kinds().items():
            made._known |= {("event", name, KIND_NAMES[kind]) for kind in kinds if kind in KIND_NAMES}
        for viewed in view.parts:
            for name in filter(stands_for_part, viewed.part.vocabulary.attribute_names):
                made._add_tree(parse(name.removeprefix(MARK), limits=UNBOUNDED))
        made._settle()
        return made

    def add(self, expression: str) -> None:
        """An expression comes; one that is none says nothing."""
        if not _MAY_MATTER.search(expression):
            return
        before = len(self._known)
        try:
            self._add_tree(parse(expression, limits=UNBOUNDED))
        except EligoError:
            return
        if len(self._known) > before:
            self._settle()

    def _add_tree(self, tree: Expression) -> None:
        for node in distinct_nodes(tree):
            leaf = node.predicate if isinstance(node, Literal) else node
            if isinstance(leaf, Quantified):
                for inner in distinct_nodes(leaf.body):
                    self._add_inner(inner)
            elif isinstance(leaf, Predicate):
                self._add_predicate("event", leaf)

    def _add_inner(self, node: Expression) -> None:
        if isinstance(node, Joined):
            self._known.add(("joined", node.attribute, node.document_attribute))
        elif isinstance(node, OfDocument):
            self._add_predicate("document", node.predicate)
        elif isinstance(node, Predicate):
            self._add_predicate("event", node)

    def _add_predicate(self, whose: str, predicate: Predicate) -> None:
        kinds = {kind_of(value) for value in predicate.values()} & KIND_NAMES.keys()
        self._known |= {(whose, predicate.attribute, KIND_NAMES[kind]) for kind in kinds}

    def _settle(self) -> None:
        kinds: dict[str, set[str]] = {}
        of_events: dict[str, set[str]] = {}
        for whose, name, kind in self._known:
            if whose != "joined":
                (kinds if whose == "document" else of_events).setdefault(name, set()).add(kind)
        for whose, name, document_name in self._known:
            if whose == "joined":
                kinds.setdefault(document_name, set()).update(of_events.get(name, ()))
        self._kinds = {name: tuple(sorted(of_name)) for name, of_name in kinds.items() if of_name}

    def read(self, document: dict[str, Any], limits: Limits) -> dict[str, Any]:
        """A document without what is a guard's, with days and moments beside the texts that write them."""
        if not self._kinds and document.keys().isdisjoint(GUARDS):
            return document
        made: dict[str, Any] = {}
        pending = [("", {name: value for name, value in document.items() if name not in GUARDS}, made, 0)]
        while pending:
            prefix, given, target, depth = pending.pop()
            if depth > limits.event_depth:
                raise too_deep(limits)
            for name, raw in given.items():
                if isinstance(raw, dict):
                    target[name] = {}
                    pending.append((f"{prefix}{name}.", raw, target[name], depth + 1))
                else:
                    target[name] = _with_moments(raw, self._kinds.get(prefix + name, ()))
        return made


def _with_moments(raw: Any, kinds: tuple[str, ...]) -> Any:
    if not kinds:
        return raw
    values = raw if isinstance(raw, list) else [raw]
    texts = [value for value in values if isinstance(value, str)]
    found = [moment for kind in kinds for text in texts if (moment := _moment(text, kind)) is not None]
    return [*values, *found] if found else raw


def _moment(text: str, kind: str) -> Any:
    try:
        return parse_moment(text, kind)
    except ExpressionValueError:
        return None
