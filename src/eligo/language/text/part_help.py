"""What is wrong with a quantified part, and how is it written? Explanations for `exists d (…)` and `forall d (…)`."""

from __future__ import annotations

import re
from collections.abc import Callable

from eligo.language.canonical import RESERVED, value_text
from eligo.language.duration import UNITS
from eligo.language.text.kernels import parse_errors as code
from eligo.language.text.suggest import nearest
from eligo.language.text.syntax_help import Explanation, Place, shortened, symbol_help

_VARIABLE = re.compile(r"(?:exists|forall)\s+([A-Za-z_]\w*)", re.IGNORECASE)
_NULLS = ("null", "none", "nil")


def _quantifier(place: Place) -> str:
    """The `exists` or `forall` of the part, as it is written."""
    found = re.compile(r"[A-Za-z]+").match(place.text, place.other) if place.other >= 0 else None
    return found.group().lower() if found else "exists"


def _variable(place: Place) -> str:
    """What the document is called here."""
    found = list(_VARIABLE.finditer(place.text, 0, place.offset + 1))
    return shortened(found[-1][1]) if found else "d"


def explain_variable(place: Place) -> Explanation:
    """A name for the document was expected after the quantifier."""
    kind, token = place.token()
    quantifier = _quantifier(place)
    message = f"expected a name for the document after `{quantifier}`, found {place.found()}"
    if help := symbol_help(place):
        return message, help
    if token == "(":
        return message, f"name the document: {quantifier} d (price < d.price)"
    if kind == "word" and "." in token:
        return message, f"a document's name has no dots: {quantifier} {token.split('.')[0]} ({shortened(token)} > 10)"
    if kind == "name":
        return message, f"write it without quotes, or ask whether an attribute is there: {shortened(token)} exists"
    if kind == "sign" or token.lower() in RESERVED - {"in"}:
        return message, f'`{quantifier}` is a reserved word; an attribute of that name is written "{quantifier}"'
    return message, f"write {quantifier} d (price < d.price)"


def explain_body(place: Place) -> Explanation:
    """The parenthesis of the body was expected."""
    kind, token = place.token()
    quantifier, variable = _quantifier(place), _variable(place)
    message = f"expected `(` after `{quantifier} {variable}`, found {place.found()}"
    if help := symbol_help(place):
        return message, help
    if (kind == "word" and nearest(token, ("in",))) or token.lower() == "last":
        return message, f"write {quantifier} {variable} in last 1000 (…), or in last '7 days'"
    if quantifier == "exists" and (kind == "end" or token.lower() in RESERVED):
        return message, (
            f"write exists {variable} (price < {variable}.price); to ask whether an attribute is there, "
            f"write {variable} exists"
        )
    return (
        message,
        f"what is said of the document stands in parentheses: {quantifier} {variable} (price < {variable}.price)",
    )


def explain_last(place: Place) -> Explanation:
    """`in` goes on with `last`."""
    quantifier, variable = _quantifier(place), _variable(place)
    message = f"expected last after `in`, found {place.found()}"
    return message, symbol_help(place) or f"write {quantifier} {variable} in last 1000 (…), or in last '7 days' (…)"


def explain_scope(place: Place) -> Explanation:
    """`in last` goes on with a count or a length of time."""
    kind, token = place.token()
    message = f"expected a number of documents or a length of time after `in last`, found {place.found()}"
    if kind == "word" and token.lower().removesuffix("s") in UNITS:
        return message, f"write '1 {token.lower().removesuffix('s')}'"
    return message, symbol_help(place) or "write in last 1000, or in last '7 days'"


def explain_nested(place: Place) -> Explanation:
    """A quantified part stands in another."""
    _, token = place.token()
    return (
        f"`{token.lower()}` cannot stand in the part that begins at {place.other_shown()}: it speaks of one document",
        "close that part with `)` and join the two with and or or",
    )


def explain_no_document(place: Place) -> Explanation:
    """A body never mentions the document."""
    quantifier, variable = _quantifier(place), _variable(place)
    return (
        f"nothing between the parentheses of `{quantifier} {variable}` is about the document",
        f"put {variable}. before the document's attributes: price < {variable}.price; "
        "what is about the event alone stands outside",
    )


def explain_bare_variable(place: Place) -> Explanation:
    """A document's variable stands where an attribute should."""
    variable = _variable(place)
    return (
        f"`{variable}` is the document, not an attribute",
        f'write {variable}.price for its attribute, or "{variable}" in quotes for the event\'s',
    )


def explain_two_of_event(place: Place) -> Explanation:
    """Two names are compared of which none is the document's."""
    kind, token = place.token()
    variable, attribute = _variable(place), place.attribute()
    message = f"`{attribute}` and {place.found()} are both the event's"
    if token.lower() in _NULLS:
        return message, f"write {attribute} is missing"
    if kind == "word" and token.lower().startswith(f"{variable.lower()}."):
        return message, f"the document is called `{variable}`: write {variable}{token[len(variable) :]}"
    if kind == "word":
        return (
            message,
            f"write {variable}.{shortened(token)} for the document's, or {value_text(shortened(token))} for a string",
        )
    return message, f"one side is the document's: {attribute} = {variable}.{shortened(token)}"


def explain_two_of_document(place: Place) -> Explanation:
    """Two names of the document are compared."""
    variable = _variable(place)
    return (
        f"`{place.attribute()}` and {place.found()} are both the document's",
        f"compare the event with the document: price < {variable}.price",
    )


def explain_outside(place: Place) -> Explanation:
    """A name is compared with another where there is no document."""
    _, token = place.token()
    variable = token.split(".")[0]
    return (
        f"expected a value, found {place.found()}",
        f"attributes are compared only with a document's: exists {shortened(variable)} (… {shortened(token)}); "
        f"for a string, write {value_text(shortened(token))}",
    )


def explain_name_in_range(place: Place) -> Explanation:
    """An end of a range is a name."""
    variable, attribute = _variable(place), place.attribute()
    return (
        f"the ends of `between` are values, not attributes such as {place.found()}",
        f"write {attribute} >= {variable}.low and {attribute} <= {variable}.high",
    )


def explain_name_in_list(place: Place) -> Explanation:
    """A member of a list is a name."""
    attribute = place.attribute()
    return (
        f"a list holds values, not attributes such as {place.found()}",
        f"write {attribute} = {shortened(place.token()[1])} or …",
    )


def explain_count(place: Place) -> Explanation:
    """The count after `in last` is none."""
    return (
        f"`in last` takes a whole number of documents, at least 1, not {place.found()}",
        "write in last 1000; a length of time is written in quotes: in last '7 days'",
    )


def explain_empty_scope(place: Place) -> Explanation:
    """No document is in the scope."""
    return (
        f"`in last` {shortened(place.token()[1])} is never about any document",
        "write in last 1000, or in last '7 days'",
    )


def explain_duration(place: Place) -> Explanation:
    """The length of time is none."""
    return (
        f"{place.found()} is not a length of time",
        f"write '7 days' or '1 hour 30 minutes'; units: {', '.join(UNITS)}",
    )


def explain_long_duration(place: Place) -> Explanation:
    """The length of time is too long."""
    return f"{place.found()} is too long a time", "leave it out to mean all documents"


def explain_reserved_name(place: Place) -> Explanation:
    """An attribute has the name of a quantified part."""
    return (
        f"{place.found()} is the name of a quantified part, not of an attribute",
        f"write {shortened(place.token()[1].strip(chr(34))[1:])} without quotes and @, or rename the attribute",
    )


SYNTAX: dict[int, Callable[[Place], Explanation]] = {
    code.EXPECTED_VARIABLE: explain_variable,
    code.EXPECTED_LAST: explain_last,
    code.EXPECTED_SCOPE: explain_scope,
    code.EXPECTED_BODY: explain_body,
    code.NESTED_PART: explain_nested,
    code.NO_DOCUMENT: explain_no_document,
    code.BARE_VARIABLE: explain_bare_variable,
    code.TWO_OF_EVENT: explain_two_of_event,
    code.TWO_OF_DOCUMENT: explain_two_of_document,
    code.NAME_OUTSIDE: explain_outside,
    code.NAME_IN_RANGE: explain_name_in_range,
    code.NAME_IN_LIST: explain_name_in_list,
}
VALUE: dict[int, Callable[[Place], Explanation]] = {
    code.MALFORMED_COUNT: explain_count,
    code.EMPTY_SCOPE: explain_empty_scope,
    code.MALFORMED_DURATION: explain_duration,
    code.DURATION_TOO_LONG: explain_long_duration,
    code.RESERVED_NAME: explain_reserved_name,
}
