"""How is a quantified part written in JSON? One object with its body; names of the document have a key of their own.

{"exists": {"and": [{"attribute": "price", "operator": "<", "document_attribute": "price"},
                    {"document_attribute": "shop", "operator": "=", "value": "A"}]},
 "last": "7 days"}
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from eligo.errors import shown
from eligo.language.duration import duration_text, parse_duration
from eligo.language.forms.json_place import Place, checked
from eligo.language.forms.json_value import described
from eligo.language.quantified import Joined, Quantified

OUTSIDE = 'write {"exists": …} around what is said of a document'
_JOINED_KEYS = ("attribute", "operator", "document_attribute")


def part_to_json(part: Quantified, body: dict[str, Any]) -> dict[str, Any]:
    """The JSON form of a part, of which that of the body is given."""
    document: dict[str, Any] = {part.quantifier: body}
    if part.last is not None:
        document["last"] = duration_text(part.last) if isinstance(part.last, timedelta) else part.last
    return document


def joined_to_json(join: Joined) -> dict[str, Any]:
    """The JSON form of a comparison of the event with the document."""
    return dict(zip(_JOINED_KEYS, (join.attribute, join.operator, join.document_attribute), strict=True))


def of_document_to_json(predicate: dict[str, Any]) -> dict[str, Any]:
    """The JSON form of a predicate on the document, from that of the same on the event."""
    return {"document_attribute": predicate["attribute"], **_rest(predicate, "attribute")}


def as_of_event(document: dict[str, Any]) -> dict[str, Any]:
    """The JSON form of a predicate on the event, from that of the same on the document."""
    return {"attribute": document["document_attribute"], **_rest(document, "document_attribute")}


def _rest(document: dict[str, Any], without: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != without}


def joined_from_json(document: dict[str, Any], place: Place) -> Joined:
    """A comparison of the event with the document."""
    for key in document:
        if key not in _JOINED_KEYS:
            help = f"its keys are {', '.join(_JOINED_KEYS)}"
            raise place.error(f"a comparison of two attributes does not take {shown(key)}", help)
    operator = document.get("operator")
    if not isinstance(operator, str):
        raise (place / "operator").error("a comparison needs an operator", "one of = != < <= > >=")
    return checked(place, Joined, document["attribute"], operator, document["document_attribute"])


def last_from_json(document: Any, place: Place) -> int | timedelta:
    """The scope of a part: a number of documents, or a length of time."""
    if isinstance(document, str):
        return checked(place, parse_duration, document)
    if isinstance(document, bool) or not isinstance(document, int):
        raise place.error(
            f"'last' is a number of documents or a length of time, not {described(document)}", 'write 1000 or "7 days"'
        )
    return document
