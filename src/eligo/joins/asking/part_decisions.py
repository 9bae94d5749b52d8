"""Which document decided a part? For who asks why: found by search where one decides, else by going through them."""

from __future__ import annotations

from datetime import datetime

from eligo.joins.asking.join_table import JoinTable
from eligo.joins.asking.question import Attributes
from eligo.joins.segment import Snapshot
from eligo.language.document_truth import body_truth
from eligo.language.evaluate import Hierarchies, Missing, Truth
from eligo.language.explain.part_reason import PartDecision
from eligo.language.quantified import Quantified, quantified_parts
from eligo.language.tree import Expression


def part_decisions(
    tree: Expression,
    attributes: Attributes,
    snapshot: Snapshot,
    at: datetime,
    missing: Missing,
    hierarchies: Hierarchies | None,
) -> dict[str, PartDecision]:
    """What was found out about each quantified part of a tree, by its attribute."""
    table = JoinTable(quantified_parts(tree), missing, hierarchies)
    truths = table.decider.decide(attributes, snapshot, at=at).tolist()
    found: dict[str, PartDecision] = {}
    for number, (part, code) in enumerate(zip(table.parts, truths, strict=True)):
        scope = snapshot.in_scope(part.last, at)
        truth = None if code < 0 else bool(code)
        witness: int | None = None
        if truth is None:
            witness = _first_unknown(part, attributes, scope, missing, hierarchies)
        elif truth is not part.is_universal:
            witness = table.decider.witness(number, attributes, snapshot, at=at)
        found[part.attribute] = _decision(part, truth, witness, scope)
    return found


def _first_unknown(
    part: Quantified, attributes: Attributes, scope: Snapshot, missing: Missing, hierarchies: Hierarchies | None
) -> int | None:
    for number, document in scope.documents():
        if body_truth(part.body, attributes, document, missing, hierarchies) is None:
            return number
    return None


def _decision(part: Quantified, truth: Truth, witness: int | None, scope: Snapshot) -> PartDecision:
    place = None if witness is None else scope.place(witness)
    if place is None:
        return PartDecision(truth, None, None, scope.num_documents)
    names = part.document_attributes()
    document = {name: values for name, values in place[0].document(place[1]).items() if name in names}
    return PartDecision(truth, witness, document, scope.num_documents)
