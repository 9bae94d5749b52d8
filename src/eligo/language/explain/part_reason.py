"""Which document decided a quantified part? The first that makes `exists` true, or `forall` not true, and its values.

exists d (price < d.price)   document #1, one of 2: price = 20, d.price = 25
forall d (year > d.year)     all 2 documents
exists d (shop = d.shop)     true of none of 2 documents, unknown of document #0: shop = 'A', d.shop is missing
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from eligo.errors import printable
from eligo.language.canonical import attribute_text
from eligo.language.document_truth import (
    Attributes,
    Documents,
    body_truth,
    checked_moment,
    in_scope,
    numbered_documents,
)
from eligo.language.evaluate import Hierarchies, Missing, Truth, all_true, any_true
from eligo.language.explain.reason import listed_values
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.language.quantified import VARIABLE, Quantified
from eligo.language.value import Scalar, event_attributes


class PartDecision(NamedTuple):
    """What was found out about a quantified part."""

    truth: Truth
    number: int | None
    """The document that decided it: the first that makes `exists` true or `forall` false, else the first unknown."""
    document: Attributes | None
    """That document's values of the attributes that the part names; None also where they are not to be shown."""
    num_documents: int
    """Documents in the scope of the part."""


def decide_part(
    part: Quantified,
    attributes: Attributes,
    documents: Documents | None,
    missing: Missing,
    hierarchies: Hierarchies | None = None,
    *,
    at: datetime | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> PartDecision:
    """The truth of a quantified part and the document that decided it, by going through the documents."""
    names = part.document_attributes()
    chosen = in_scope(numbered_documents(documents, part), part.last, checked_moment(at))
    read = [event_attributes(each.document, names, limits=limits) for each in chosen]
    truths = [body_truth(part.body, attributes, document, missing, hierarchies) for document in read]
    truth = all_true(truths) if part.is_universal else any_true(truths)
    if truth is part.is_universal or truth not in truths:  # all documents were needed
        return PartDecision(truth, None, None, len(read))
    place = truths.index(truth)
    return PartDecision(truth, chosen[place].number, read[place], len(read))


def part_phrase(part: Quantified, decision: PartDecision, attributes: Attributes) -> str:
    """What decided a part, in words."""
    truth, number, document, count = decision
    documents = f"{count:,} document{'' if count == 1 else 's'}"
    if number is None:
        if not count:
            return "there are no documents" if part.last is None else "no document is in its scope"
        return f"all {documents}" if truth else f"none of {documents}"
    values = _said("", part.event_attributes(), attributes)
    values += _said(f"{VARIABLE}.", part.document_attributes(), document) if document is not None else []
    if truth is None:
        place = f"{'false' if part.is_universal else 'true'} of none of {documents}, unknown of document #{number}"
    else:
        place = f"document #{number}, one of {count:,}"
    return printable(f"{place}: {', '.join(values)}" if values else place)


def _said(prefix: str, names: set[str], attributes: Mapping[str, tuple[Scalar, ...]]) -> list[str]:
    """The values of attributes, for a sentence."""
    said = []
    for name in sorted(names):
        values = attributes.get(name, ())
        said.append(f"{prefix}{attribute_text(name)} {f'= {listed_values(values)}' if values else 'is missing'}")
    return said
