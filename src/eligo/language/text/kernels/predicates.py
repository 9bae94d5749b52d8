"""Which predicate is written here? From an attribute's name to the end of its operands."""

from __future__ import annotations

from eligo.kernels import codes
from eligo.kernels.codes import IS_OF_DOCUMENT
from eligo.kernels.compiled import part
from eligo.language.text.kernels import parse_errors, tokens
from eligo.language.text.kernels.operands import refusal, write_list, write_operand, write_range
from eligo.language.text.kernels.postfix_rows import Row, write_predicate
from eligo.language.text.kernels.quantifiers import flipped, is_name_next, name_refusal, read_name, write_joined
from eligo.language.text.kernels.tokens import Text, read_token, skip_blank

LEFT_PARENTHESIS = 40


@part
def read_operator(text: Text, position: int, size: int, name: int) -> tuple[int, int, int, int, int, bool]:
    """(error, where, other, kind, end, is_negated) of the operator after a name that begins at `name`.

    Where none follows, the name stands alone: `IS_TRUE`, and nothing is consumed.
    """
    token, start, end, word = read_token(text, position, size)
    if token == tokens.EQUAL_SIGN:
        return 0, start, name, codes.EQUALS, end, False
    if token == tokens.NOT_EQUAL_SIGN:
        return 0, start, name, codes.NOT_EQUALS, end, False
    if token == tokens.LESS_SIGN:
        return 0, start, name, codes.LESS, end, False
    if token == tokens.LESS_OR_EQUAL_SIGN:
        return 0, start, name, codes.LESS_OR_EQUAL, end, False
    if token == tokens.GREATER_SIGN:
        return 0, start, name, codes.GREATER, end, False
    if token == tokens.GREATER_OR_EQUAL_SIGN:
        return 0, start, name, codes.GREATER_OR_EQUAL, end, False
    if token != tokens.WORD or word == 0:
        return 0, start, name, codes.IS_TRUE, position, False
    if word == tokens.WORD_EXISTS:
        return 0, start, name, codes.EXISTS, end, False
    if word == tokens.WORD_IS:
        return read_is(text, end, size, name)
    if word == tokens.WORD_WEAK or word == tokens.WORD_STRONG:
        kind = codes.WEAK_NOT_IN if word == tokens.WORD_WEAK else codes.STRONG_NOT_IN
        token, start, end, word = read_token(text, end, size)
        if token == tokens.WORD and word == tokens.WORD_NOT:
            token, start, end, word = read_token(text, end, size)
            if token == tokens.WORD and word == tokens.WORD_IN:
                return 0, start, name, kind, end, False
        return refusal(parse_errors.EXPECTED_NOT_IN, token, word), start, name, kind, end, False
    is_negated = word == tokens.WORD_NOT
    if is_negated:
        token, start, end, word = read_token(text, end, size)
    if token == tokens.WORD:
        if word == tokens.WORD_IN:
            return 0, start, name, codes.NOT_IN if is_negated else codes.IN, end, False
        if word == tokens.WORD_BETWEEN:
            return 0, start, name, codes.NOT_BETWEEN if is_negated else codes.BETWEEN, end, False
        if word == tokens.WORD_UNDER:
            return 0, start, name, codes.UNDER, end, is_negated
        if word == tokens.WORD_STARTS:
            token, start, end, word = read_token(text, end, size)
            if token == tokens.WORD and word == tokens.WORD_WITH:
                return 0, start, name, codes.STARTS_WITH, end, is_negated
            return refusal(parse_errors.EXPECTED_WITH, token, word), start, name, codes.STARTS_WITH, end, False
        if word == tokens.WORD_CONTAINS:
            token, start, end, word = read_token(text, end, size)
            if token == tokens.WORD and word == tokens.WORD_ALL:
                return 0, start, name, codes.CONTAINS_ALL, end, is_negated
            return refusal(parse_errors.EXPECTED_ALL, token, word), start, name, codes.CONTAINS_ALL, end, False
    if is_negated:
        return refusal(parse_errors.EXPECTED_AFTER_NOT, token, word), start, name, codes.IS_TRUE, end, False
    return 0, start, name, codes.IS_TRUE, position, False


@part
def read_is(text: Text, position: int, size: int, name: int) -> tuple[int, int, int, int, int, bool]:
    """What `read_operator` gives, for `is missing`, `is null`, `is not missing` and `is not null`."""
    token, start, end, word = read_token(text, position, size)
    expected = parse_errors.EXPECTED_AFTER_IS
    kind = codes.IS_MISSING
    if token == tokens.WORD and word == tokens.WORD_NOT:
        token, start, end, word = read_token(text, end, size)
        expected = parse_errors.EXPECTED_AFTER_IS_NOT
        kind = codes.EXISTS
    if token == tokens.WORD and (word == tokens.WORD_MISSING or word == tokens.WORD_NULL):
        return 0, start, name, kind, end, False
    return refusal(expected, token, word), start, name, kind, end, False


@part
def is_list_next(text: Text, position: int, size: int) -> bool:
    """Whether an opening parenthesis follows."""
    start = skip_blank(text, position, size)
    return start < size and text[start] == LEFT_PARENTHESIS


@part
def read_predicate(
    text: Text,
    size: int,
    token: int,
    name: int,
    name_end: int,
    detail: int,
    variable: int,
    variable_end: int,
    max_set_size: int,
    nodes: Row,
    node: int,
    operands: Row,
    numbers: Row,
    operand: int,
) -> tuple[int, int, int, int, int, int, bool, bool]:
    """(error, where, other, count, end, kind, is_negated, is_about_document) of the predicate whose name is a token.

    Writes row `node` and `count` operands from row `operand` on. In the body of a quantified part, `variable` is what
    the document is called; it is empty elsewhere.
    """
    error, name_start, name_end, flags, end = read_name(
        text, size, token, name, name_end, detail, variable, variable_end
    )
    if error != 0:
        return error, name, -1, 0, end, codes.IS_TRUE, False, False
    bare_end = end
    error, where, other, kind, end, is_negated = read_operator(text, end, size, name)
    if error != 0:
        return error, where, other, 0, end, kind, is_negated, False
    count = 0
    other = -1
    is_about_document = flags & IS_OF_DOCUMENT != 0
    is_comparison = codes.EQUALS <= kind <= codes.GREATER_OR_EQUAL
    if kind == codes.IS_TRUE:
        end = bare_end
    elif is_comparison and variable_end > variable and is_name_next(text, end, size):
        count = 1
        other = name
        error, where, name_start, name_end, flags, end = write_joined(
            text, end, size, name_start, name_end, flags, variable, variable_end, operands, numbers, operand
        )
        kind = flipped(kind) if is_about_document else kind
        is_about_document = True
    elif kind == codes.BETWEEN or kind == codes.NOT_BETWEEN:
        count = 2
        error, where, end = write_range(text, end, size, kind, operands, numbers, operand)
    elif codes.IN <= kind <= codes.CONTAINS_ALL or (kind == codes.UNDER and is_list_next(text, end, size)):
        has_weights = kind == codes.IN or kind == codes.CONTAINS_ALL or kind == codes.UNDER
        error, where, other, count, end = write_list(
            text, end, size, max_set_size, has_weights, kind == codes.UNDER, operands, numbers, operand
        )
    elif kind != codes.EXISTS and kind != codes.IS_MISSING:
        count = 1
        error, where, end = write_operand(text, end, size, kind, operands, numbers, operand)
    if error != 0:
        refused = name_refusal(error, text, where, size, kind, variable, variable_end)
        return refused, where, name if refused != error else other, count, end, kind, is_negated, False
    write_predicate(nodes, node, kind, name, end, count, operand, name_start, name_end, flags)
    return 0, where, other, count, end, kind, is_negated, is_about_document
