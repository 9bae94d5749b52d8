"""Why was a text refused, in words? From the parser's code and byte to an error with its place and a way out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from eligo.errors import ExpressionError, ExpressionSyntaxError, ExpressionValueError, LimitError, Position
from eligo.kernels.score_units import MOST_WEIGHT
from eligo.language.limits import Limits
from eligo.language.text import part_help
from eligo.language.text.foreign_characters import character_help, character_name
from eligo.language.text.kernels import parse_errors as code
from eligo.language.text.syntax_help import (
    Explanation,
    Place,
    date_help,
    expecting,
    explain_after_contains,
    explain_after_is,
    explain_after_is_not,
    explain_after_not,
    explain_comma,
    explain_connective,
    explain_expression,
    explain_list,
    explain_operator,
    explain_string,
    explain_value,
    foreign_character,
    shortened,
)

_SHOWN_BEYOND_LIMIT = 100


def diagnose(error: int, where: int, other: int, data: bytes, limits: Limits) -> ExpressionError:
    """The error for a text whose bytes are `data`; `where` and `other` are bytes of it, -1 for none."""
    if error == code.NULL_TEXT:
        return ExpressionSyntaxError("there is no expression, only null", help="write true for one that always matches")
    if error == code.TOO_LONG:
        data = data[: limits.length + _SHOWN_BEYOND_LIMIT]
    text = _decoded(data)
    offset = len(_decoded(data[:where]))
    place = Place(text, offset, len(_decoded(data[:other])) if other >= 0 else -1, limits)
    kind, explain = _EXPLANATIONS[error]
    message, help = explain(place)
    foreign = foreign_character(place) if kind is ExpressionSyntaxError else ""
    if foreign and not text.startswith(foreign, offset):  # it follows the number that is here
        offset = text.index(foreign, offset)
        message = f"a number cannot go on with {character_name(foreign)}"
    if foreign:
        help = character_help(foreign)
    return kind(message, text=text, position=Position.at(text, offset), help=help)


def _decoded(data: bytes) -> str:
    """The text of any bytes; what is not UTF-8 shows as replacement characters, so that it can be printed."""
    return data.decode("utf-8", "replace")


def _malformed_number(place: Place) -> Explanation:
    _, token = place.token()
    message = f"`{shortened(token)}` is not a number"
    if help := date_help(place):
        return message, help
    if "_" in token and re.fullmatch(r"-?[\d_]+(\.[\d_]*)?", token):
        return message, f"write {shortened(token.replace('_', ''))}"
    if joined := re.fullmatch(r"(?i)(-?(?:\d+\.?\d*|\.\d+))(and|or|xor|xnor)", token):
        return message, f"put a blank between: {joined[1]} {joined[2]}"
    return message, "numbers are written 5, -0.25 or 1e6; anything else that begins with a digit is a 'string'"


def _integer(place: Place) -> Explanation:
    _, token = place.token()
    number = float(token)
    way_out = "write a string" if math.isinf(number) else f"write {number!r} for a float, or a string"
    return f"`{shortened(token)}` does not fit in 64 bits", way_out


def _infinite(place: Place) -> Explanation:
    message = f"`{shortened(place.token()[1])}` is beyond the largest float, about 1.8e308"
    return message, "write a smaller number, or `a exists` for any value"


def _saying(message: str, help: str) -> Callable[[Place], Explanation]:
    """An explanation in fixed words; `{found}` and `{limits…}` are filled in."""

    def explain(place: Place) -> Explanation:
        return message.format(found=place.found(), limits=place.limits), help

    return explain


_SYNTAX: dict[int, Callable[[Place], Explanation]] = {
    code.EXPECTED_EXPRESSION: explain_expression,
    code.EXPECTED_CONNECTIVE: explain_connective,
    code.EXPECTED_OPERATOR: explain_operator,
    code.EXPECTED_VALUE: explain_value,
    code.EXPECTED_STRING: explain_string,
    code.EXPECTED_LIST: explain_list,
    code.EXPECTED_COMMA: explain_comma,
    code.EXPECTED_BETWEEN_AND: expecting("`and` and the second end of the range", "and", "between 1 and 2"),
    code.EXPECTED_AFTER_NOT: explain_after_not,
    code.EXPECTED_AFTER_IS: explain_after_is,
    code.EXPECTED_AFTER_IS_NOT: explain_after_is_not,
    code.EXPECTED_WITH: expecting("with after `starts`", "with", "{} starts with '…'"),
    code.EXPECTED_ALL: explain_after_contains,
    code.EXPECTED_NOT_IN: expecting("not in after `weak` or `strong`", "not", "weak not in (…) or strong not in (…)"),
    code.EXPECTED_WEIGHT: _saying(
        "expected a weight after `^`, found {found}", "a weight is a number, 0 or more: 'CA'^1.5"
    ),
    code.EXPECTED_DATE_STRING: _saying(
        "expected a string after `date` or `timestamp`, found {found}",
        "write date '2024-01-31' or timestamp '2024-01-31T10:00:00Z'",
    ),
    code.UNMATCHED_RIGHT: _saying("this `)` closes nothing", "remove it, or add the `(` that it closes"),
    code.UNCLOSED_LEFT: _saying("this `(` is never closed", "add `)`, at the latest at the end of the expression"),
    code.TRAILING_COMMA: _saying("expected a value after this comma, found `)`", "remove the comma, or add a value"),
    code.MISPLACED_WEIGHT: _saying(
        "a weight cannot stand here",
        "give it once, to a value of =, <, <=, >, >=, in, contains all, starts with or under, or after a whole range",
    ),
    code.UNTERMINATED_STRING: _saying(
        "this string is never closed", "add ' at its end; a single quote inside a string is written twice: ''"
    ),
    code.UNTERMINATED_NAME: _saying(
        "this name is never closed", 'add " at its end; a double quote inside a name is written twice: ""'
    ),
    code.INVALID_UTF8: _saying(
        "this is not valid Unicode text", "save the text as UTF-8; half a surrogate pair is not a character"
    ),
    code.EMPTY_NAME: _saying("an attribute's name cannot be empty", "for an empty string, write ''"),
    code.MALFORMED_NUMBER: _malformed_number,
}

_VALUE: dict[int, Callable[[Place], Explanation]] = {
    code.INTEGER_TOO_LARGE: _integer,
    code.NUMBER_INFINITE: _infinite,
    code.NEGATIVE_WEIGHT: _saying("a weight is 0 or more, not {found}", "to exclude values, use != or not in"),
    code.WEIGHT_TOO_LARGE: _saying(
        f"a weight is at most {MOST_WEIGHT:,}, not {{found}}",
        "divide all weights by the same number: ranks stay as they are",
    ),
    code.MALFORMED_DATE: _saying("{found} is not a date", "write date 'YYYY-MM-DD', such as date '2024-01-31'"),
    code.IMPOSSIBLE_DATE: _saying("there is no day {found}", "days go from 0001-01-01 to 9999-12-31"),
    code.MALFORMED_TIMESTAMP: _saying(
        "{found} is not a timestamp",
        "write timestamp 'YYYY-MM-DDThh:mm:ss', with up to six decimals, and Z or +hh:mm for the zone (else UTC)",
    ),
    code.IMPOSSIBLE_TIMESTAMP: _saying(
        "there is no time {found}",
        "hours go to 23, minutes and seconds to 59, and days from 0001-01-01 to 9999-12-31 in UTC",
    ),
    code.NO_ORDER: _saying("true and false have no order, so a range cannot take them", "use = or !="),
    code.KINDS_DIFFER: _saying(
        "the two ends of a range must be of one kind, and {found} is of another than the first",
        "write two numbers, two strings, two dates or two timestamps",
    ),
}

_LIMIT: dict[int, Callable[[Place], Explanation]] = {
    code.TOO_LONG: _saying(
        "the expression is longer than the limit of {limits.length:,} bytes",
        "split it into several expressions, or raise Limits(length=…)",
    ),
    code.TOO_DEEP: _saying(
        "the expression is nested deeper than the limit of {limits.depth:,} levels",
        "remove needless parentheses (a chain a and b and c is one level), or raise Limits(depth=…)",
    ),
    code.SET_TOO_LARGE: _saying(
        "the list has more values than the limit of {limits.set_size:,}",
        "use a range, starts with or under, split the list with `or`, or raise Limits(set_size=…)",
    ),
}

_EXPLANATIONS: dict[int, tuple[type[ExpressionError], Callable[[Place], Explanation]]] = {
    **{error: (ExpressionSyntaxError, explain) for error, explain in (_SYNTAX | part_help.SYNTAX).items()},
    **{error: (ExpressionValueError, explain) for error, explain in (_VALUE | part_help.VALUE).items()},
    **{error: (LimitError, explain) for error, explain in _LIMIT.items()},
}
