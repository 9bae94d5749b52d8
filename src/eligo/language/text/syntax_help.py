"""What should have stood here, and what was probably meant? An explanation for each thing that the parser expects."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from eligo.errors import Position
from eligo.language.canonical import RESERVED, attribute_text, value_text
from eligo.language.limits import Limits
from eligo.language.text.foreign_characters import character_help, character_name, letter_help
from eligo.language.text.suggest import FOREIGN_WORDS, QUOTES, SYMBOLS, did_you_mean, nearest, operator_for

_TOKEN = re.compile(
    r"(?P<word>[A-Za-z_][A-Za-z0-9_.]*)|(?P<number>-?\.?[0-9][\w.]*)|(?P<string>'(?:[^']|'')*'?)"
    r'|(?P<name>"(?:[^"]|"")*"?)|(?P<sign>[=<>!&|]+|[(),^])|(?P<other>.)',
    re.DOTALL,
)
_SUBJECT = re.compile(r'([A-Za-z_][A-Za-z0-9_.]*|"(?:[^"]|"")*")\s*(=|==|!=|<>|<|<=|>|>=)\s*')
_UNQUOTED_NAME = re.compile(r"[^\s()=<>!,'\"^]+")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?")
_CONNECTIVES = ("and", "or", "xor", "xnor")
_COMPARISON_SIGNS = "=<>!"
_SHOWN = 40

Explanation = tuple[str, str]
"""A message and a help."""


def shortened(token: str) -> str:
    """A token cut to what a message can hold."""
    return token if len(token) <= _SHOWN else f"{token[:_SHOWN]}…"


@dataclass(frozen=True)
class Place:
    """Where the parser stopped, and what stands there."""

    text: str
    offset: int
    """In characters."""
    other: int
    """The parser's second position, in characters; -1 for none."""
    limits: Limits

    def token(self) -> tuple[str, str]:
        """The kind and the text of the token here; ("end", "") at the end."""
        match = _TOKEN.match(self.text, self.offset)
        return (str(match.lastgroup), match.group()) if match else ("end", "")

    def found(self) -> str:
        """The token here, for a message."""
        kind, token = self.token()
        if kind == "end":
            return "the end of the expression"
        if kind == "other" and not (token.isprintable() and token.strip()):
            return character_name(token)
        return f"`{shortened(token)}`"

    def before(self) -> str:
        """The text up to here, without blanks at its end."""
        return self.text[: self.offset].rstrip()

    def other_shown(self) -> str:
        """The second position, for a message; relative, because the text may begin anywhere in a file."""
        position = Position.at(self.text, self.other)
        lines = self.text.count("\n", self.other, self.offset)
        above = f", {lines} line{'s' if lines > 1 else ''} above" if lines else ""
        return f"column {position.column}{above}"

    def attribute(self) -> str:
        """The attribute whose predicate is being read: at the second position, or before a comparison sign."""
        if self.other >= 0 and (name := _TOKEN.match(self.text, self.other)) and name.lastgroup in ("word", "name"):
            return shortened(name.group())
        subjects = list(_SUBJECT.finditer(self.text, max(0, self.offset - 200), self.offset))
        return shortened(subjects[-1][1]) if subjects and subjects[-1].end() == self.offset else "a"


def foreign_character(place: Place) -> str:
    """The character here that no expression has outside quotes, or that follows a number here; else empty."""
    kind, token = place.token()
    if kind == "number":
        token += place.text[place.offset + len(token) :][:1]
        token = next((each for each in token if not each.isascii()), " ")
    elif kind != "other":
        return ""
    return token if token not in QUOTES and not token.isascii() and character_help(token) else ""


def symbol_help(place: Place) -> str:
    """Help for signs and characters that are wrong everywhere; empty for all others."""
    kind, token = place.token()
    if token in SYMBOLS:
        return f"write `{SYMBOLS[token]}`"
    if kind == "other" and token in QUOTES:
        closing = place.text.find(QUOTES[token], place.offset + 1)
        inner = shortened(place.text[place.offset + 1 : closing]) if closing > 0 else "…"
        return f'use straight quotes: {value_text(inner)} for a string, "{inner}" for an attribute'
    if kind == "other" and token != "\n" and (help := character_help(token)):
        return help
    if token == ";":
        return "an expression has no semicolon: remove it"
    if place.text.startswith("/*", place.offset):
        return "a comment is written -- to the end of the line"
    if place.text.startswith("[or missing]", place.offset):
        return "`[or missing]` only shows a normal form; write `… or a is missing`"
    return ""


def date_help(place: Place) -> str:
    """Help where a date was written without quotes and so fell apart into numbers; else empty."""
    for match in _DATE.finditer(place.text, max(0, place.offset - 8), place.offset + 10):
        if match.start() <= place.offset < match.end():
            return f"a date is written date '{match.group()}'"
    return ""


def _name_help(place: Place, start: int) -> str:
    """Help where a name goes on with a character that only a quoted name may have."""
    match = _UNQUOTED_NAME.match(place.text, start)
    if match is None or match.end() <= place.offset:
        return ""
    if help := letter_help(match.group()):
        return help
    name = attribute_text(shortened(match.group()))
    return f"a name with characters other than A-Z, a-z, 0-9, _ and . is written in double quotes: {name}"


def explain_expression(place: Place) -> Explanation:
    """An attribute, `not`, `(`, `true` or `false` was expected."""
    kind, token = place.token()
    word = token.lower()
    before = place.before()
    if kind == "end" and not before:
        return "the expression is empty", "write a predicate such as age >= 18, or true"
    message = f"expected an expression, found {place.found()}"
    if help := symbol_help(place):
        return message, help
    if word in _CONNECTIVES:
        return message, f"`{word}` stands between two expressions"
    if word in RESERVED:
        return message, f"`{word}` is a reserved word; an attribute of that name is written {attribute_text(word)}"
    if kind in ("number", "string"):
        if re.search(r"(?i)\bor$", before):
            return message, "several values are written a in (1, 2), or with the attribute each time: a = 1 or a = 2"
        return message, "the attribute comes first: age > 18, not 18 < age"
    if token == ")" and before.endswith("("):
        return message, "only the list of an operator such as in may be empty"
    if kind == "sign" and token[0] in _COMPARISON_SIGNS:
        return message, "an attribute comes before the operator: age >= 18"
    if kind == "other" and (help := _name_help(place, place.offset)):
        return message, help
    if kind == "end" and (last := re.search(r"(?i)\b(and|or|xor|xnor|not)$", before)):
        return message, f"the text ends after `{last.group().lower()}`: add an expression, or remove it"
    return message, "write an attribute with an operator, `not`, `true`, `false`, or parentheses"


def explain_connective(place: Place) -> Explanation:
    """A connective, `)` or the end was expected after a whole expression."""
    kind, token = place.token()
    message = f"expected and, or, xor, xnor or the end of the expression, found {place.found()}"
    if help := symbol_help(place) or date_help(place):
        return message, help
    if kind == "word" and (near := nearest(token, _CONNECTIVES)):
        return message, f"did you mean `{near}`?"
    if kind == "sign" and token[0] in _COMPARISON_SIGNS:
        if constant := re.search(r"(?i)\b(true|false)$", place.before()):
            return message, f"`{constant[0]}` is a constant; an attribute of that name is written in double quotes"
        return message, "a comparison has one operator; a range is written a between 1 and 2"
    if token == ",":
        return message, "several values are written a in (1, 2)"
    if kind in ("number", "string"):
        return message, "a predicate has one value; several are written a in (1, 2)"
    return message, "two expressions need a connective between them, such as `and`"


def explain_operator(place: Place) -> Explanation:
    """An operator, a connective, `)` or the end was expected after a name."""
    kind, token = place.token()
    attribute = place.attribute()
    message = f"expected an operator or a connective after `{attribute}`, found {place.found()}"
    touches = place.before() == place.text[: place.offset]
    if kind == "other" and token not in QUOTES and (help := character_help(token)):
        return message, help
    if touches and kind == "other" and token not in QUOTES and (help := _name_help(place, place.other)):
        return message, help
    if token == "!" and re.match(r"!\s*\w", place.text[place.offset :]):
        return message, "write `not`, as in a not in (1, 2)"
    if help := symbol_help(place):
        return message, help
    if kind in ("word", "name") and nearest(attribute, ("not",)):
        return message, "did you mean `not`?"
    if kind == "word" and (help := operator_for(token)):
        return message, help
    if kind in ("number", "string"):
        return message, f"did you mean {attribute} = {shortened(token)}?"
    if kind == "name":
        return message, f"for a string, write {attribute} = {_as_string(token)}"
    if token == "(":
        return message, f"a list is written {attribute} in (…); there are no functions"
    return message, "an operator is missing after the attribute, or a connective such as `and` before the next one"


def _as_string(name: str) -> str:
    return value_text(shortened(name[1:].removesuffix('"').replace('""', '"')))


def _value_help(place: Place) -> str:
    kind, token = place.token()
    word = token.lower()
    if help := symbol_help(place) or (letter_help(token) if kind == "other" else ""):
        return help
    if kind == "name":
        return f"double quotes are for attribute names; write {_as_string(token)}"
    if word in ("null", "none", "nil", "missing") and place.other < 0:
        operator = "exists" if place.before().endswith(("!=", "<>")) else "is missing"
        return f"write {place.attribute()} {operator}"
    if word in ("nan", "inf", "infinity"):
        return "NaN and infinity are no values; `a exists` asks for any value"
    if kind == "word" and word not in RESERVED:
        return f"did you mean {value_text(shortened(token))}?"
    if token == "(" and place.other < 0:
        return f"one value is expected; several are written {place.attribute()} in (…)"
    if kind == "sign" and token[0] in _COMPARISON_SIGNS and place.before().endswith("="):
        return f"write `{token[0]}=`" if token[0] != "=" else "write a single `=`"
    if token == "+":
        return "a number is written without a plus sign"
    return ""


def explain_value(place: Place) -> Explanation:
    """A value was expected, alone or in a list."""
    message = f"expected a value, found {place.found()}"
    if place.token()[0] == "end" and place.other >= 0:
        instead = ", or put `)` in place of the comma" if place.before().endswith(",") else ""
        return message, f"complete the list that begins at {place.other_shown()}: add values and `)`{instead}"
    return message, _value_help(place) or "write a number, a 'string', true, false, date '…' or timestamp '…'"


def explain_string(place: Place) -> Explanation:
    """`starts with` takes a string, `under` one or a list of them."""
    kind, token = place.token()
    if kind == "end" and place.other >= 0:
        instead = ", or put `)` in place of the comma" if place.before().endswith(",") else ""
        return f"expected a string, found {place.found()}", (
            f"complete the list that begins at {place.other_shown()}: add strings and `)`{instead}"
        )
    help = f"write {value_text(shortened(token))}" if kind == "number" else _value_help(place)
    return f"expected a string, found {place.found()}", help or "write it in single quotes: '…'"


def explain_list(place: Place) -> Explanation:
    """A list in parentheses was expected."""
    kind, token = place.token()
    message = f"expected a list in parentheses, found {place.found()}"
    if kind in ("number", "string"):
        return message, f"write ({shortened(token)})"
    if token in ("[", "{"):
        return message, "a list is written in round parentheses: (1, 2)"
    return message, symbol_help(place) or "write (value, value, …); it may be empty: ()"


def explain_comma(place: Place) -> Explanation:
    """A list goes on with a comma or ends."""
    kind, token = place.token()
    message = f"expected `,` or `)`, found {place.found()}"
    if help := symbol_help(place) or date_help(place):
        return message, help
    if kind in ("number", "string") or token.lower() in ("true", "false", "date", "timestamp"):
        return message, "values in a list are separated by commas"
    return message, f"close the list that begins at {place.other_shown()} with `)`"


def expecting(expected: str, word: str, example: str) -> Callable[[Place], Explanation]:
    """An explanation for a place where only one word may stand; `{}` in the example is the attribute."""

    def explain(place: Place) -> Explanation:
        kind, token = place.token()
        help = did_you_mean(token, (word,)) if kind == "word" else symbol_help(place)
        return f"expected {expected}, found {place.found()}", help or f"write {example.format(place.attribute())}"

    return explain


def explain_after_is(place: Place) -> Explanation:
    """`is` goes on with `missing`, `null` or `not`."""
    kind, token = place.token()
    message = f"expected missing, null, not missing or not null after `is`, found {place.found()}"
    if token.lower() in ("true", "false") or kind in ("number", "string"):
        return message, f"write {place.attribute()} = {shortened(token)}"
    near = nearest(token, ("missing", "null", "not")) if kind == "word" else None
    return message, f"did you mean `is {near}`?" if near else f"write {place.attribute()} is missing, or exists"


def explain_after_is_not(place: Place) -> Explanation:
    """`is not` goes on with `missing` or `null`."""
    kind, token = place.token()
    message = f"expected missing or null after `is not`, found {place.found()}"
    if token.lower() in ("true", "false") or kind in ("number", "string"):
        return message, f"write {place.attribute()} != {shortened(token)}"
    near = nearest(token, ("missing", "null")) if kind == "word" else None
    return message, f"did you mean `is not {near}`?" if near else f"write {place.attribute()} exists"


def explain_after_not(place: Place) -> Explanation:
    """`not` after an attribute goes on with an operator that can be negated."""
    kind, token = place.token()
    message = f"expected in, between, starts with, under or contains all after `not`, found {place.found()}"
    if token in ("=", "=="):
        return message, "write `!=`"
    if nearest(token, ("exists",)):
        return message, f"write {place.attribute()} is missing"
    if foreign := FOREIGN_WORDS.get(token.lower()):
        return message, f"write not {foreign}"
    if kind == "word" and (near := nearest(token, ("in", "between", "starts", "under", "contains"))):
        return message, f"did you mean `not {near}`?"
    return message, "two expressions need a connective between them: a and not b"


def explain_after_contains(place: Place) -> Explanation:
    """`contains` goes on with `all`."""
    kind, token = place.token()
    message = f"expected all after `contains`, found {place.found()}"
    if kind == "word" and (help := did_you_mean(token, ("all",))):
        return message, help
    value = shortened(token) if kind in ("number", "string") else "…"
    attribute = place.attribute()
    return message, f"write {attribute} = {value} (one of its values is), or {attribute} contains all ({value})"
