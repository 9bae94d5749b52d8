"""Which values, with which weights, are written here? The operands of one predicate.

All functions give an error first (0 for none) and the byte where it is; some, a second byte that helps to explain it
(-1 for none).
"""

from __future__ import annotations

from eligo.kernels import codes
from eligo.kernels.codes import IS_ESCAPED
from eligo.kernels.compiled import part
from eligo.kernels.score_units import MOST_WEIGHT
from eligo.language.text.kernels import parse_errors, tokens
from eligo.language.text.kernels.numbers import decode_number, is_above_power
from eligo.language.text.kernels.postfix_rows import (
    IS_FLOAT,
    IS_SLOW,
    IS_WEIGHT_SLOW,
    NUMBER,
    NUMBER_FIELDS,
    OPERAND_END,
    OPERAND_FIELDS,
    OPERAND_FLAGS,
    OPERAND_KIND,
    OPERAND_PAYLOAD,
    OPERAND_START,
    WEIGHT,
    Row,
)
from eligo.language.text.kernels.times import decode_date, decode_timestamp
from eligo.language.text.kernels.tokens import Text, read_token, skip_blank

MOST_WEIGHT_POWER = 9
"""`MOST_WEIGHT` is ten to this."""


@part
def refusal(expected: int, token: int, detail: int) -> int:
    """The error for a token that is not what was expected."""
    if token == tokens.NO_TOKEN:
        return detail
    if token == tokens.CARET and expected != parse_errors.EXPECTED_VALUE:
        return parse_errors.MISPLACED_WEIGHT
    return expected


@part
def kind_of_operand(operands: Row, row: int) -> int:
    """The value kind of an operand that has been written."""
    return int(operands[row * OPERAND_FIELDS + OPERAND_KIND])


@part
def write_value(
    text: Text, size: int, token: int, start: int, end: int, detail: int, operands: Row, numbers: Row, row: int
) -> tuple[int, int, int]:
    """(error, where, end): write the value that a token begins as operand `row`, with weight 1."""
    error = 0
    where = start
    payload = 0
    number = 0.0
    flags = 0
    if token == tokens.STRING:
        kind = codes.STRING
        flags = IS_ESCAPED if detail == 1 else 0
    elif token == tokens.NUMBER:
        kind = codes.NUMBER
        error, payload, number, flags = decode_number(text, start, end)
    elif token == tokens.WORD and (detail == tokens.WORD_TRUE or detail == tokens.WORD_FALSE):
        kind = codes.BOOL
        payload = 1 if detail == tokens.WORD_TRUE else 0
    elif token == tokens.WORD and (detail == tokens.WORD_DATE or detail == tokens.WORD_TIMESTAMP):
        kind = codes.DATE if detail == tokens.WORD_DATE else codes.TIMESTAMP
        string, opening, closing, string_detail = read_token(text, end, size)
        if string != tokens.STRING:
            return refusal(parse_errors.EXPECTED_DATE_STRING, string, string_detail), opening, end
        where = opening
        end = closing
        if kind == codes.DATE:
            error, payload = decode_date(text, opening + 1, closing - 1)
        else:
            error, payload = decode_timestamp(text, opening + 1, closing - 1)
    else:
        return refusal(parse_errors.EXPECTED_VALUE, token, detail), start, end
    base = row * OPERAND_FIELDS
    operands[base + OPERAND_KIND] = kind
    operands[base + OPERAND_START] = start
    operands[base + OPERAND_END] = end
    operands[base + OPERAND_PAYLOAD] = payload
    operands[base + OPERAND_FLAGS] = flags
    numbers[row * NUMBER_FIELDS + NUMBER] = number
    numbers[row * NUMBER_FIELDS + WEIGHT] = 1.0
    return error, where, end


@part
def write_weight(text: Text, position: int, size: int, operands: Row, numbers: Row, row: int) -> tuple[int, int, int]:
    """(error, where, end): the weight of operand `row`, if a caret follows."""
    caret = skip_blank(text, position, size)
    if caret >= size or text[caret] != 94:
        return 0, position, position
    token, start, end, detail = read_token(text, caret + 1, size)
    if token != tokens.NUMBER:
        return (detail if token == tokens.NO_TOKEN else parse_errors.EXPECTED_WEIGHT), start, end
    error, whole, number, flags = decode_number(text, start, end)
    if error != 0 or flags & IS_SLOW != 0:
        if text[start] == 45:
            return parse_errors.NEGATIVE_WEIGHT, start, end
        if error != 0 or is_above_power(text, start, end, MOST_WEIGHT_POWER):
            return parse_errors.WEIGHT_TOO_LARGE, start, end
        operands[row * OPERAND_FIELDS + OPERAND_FLAGS] |= IS_WEIGHT_SLOW
        return 0, start, end
    weight = number if flags & IS_FLOAT != 0 else float(whole)
    if weight < 0:
        return parse_errors.NEGATIVE_WEIGHT, start, end
    if weight > MOST_WEIGHT:
        return parse_errors.WEIGHT_TOO_LARGE, start, end
    numbers[row * NUMBER_FIELDS + WEIGHT] = weight
    return 0, start, end


@part
def write_list(
    text: Text,
    position: int,
    size: int,
    max_set_size: int,
    has_weights: bool,
    has_strings_only: bool,
    operands: Row,
    numbers: Row,
    first_row: int,
) -> tuple[int, int, int, int, int]:
    """(error, where, other, count, end): write the operands of a list in parentheses, which may be empty."""
    token, opening, end, detail = read_token(text, position, size)
    if token != tokens.LEFT:
        return refusal(parse_errors.EXPECTED_LIST, token, detail), opening, -1, 0, end
    count = 0
    token, start, end, detail = read_token(text, end, size)
    if token == tokens.RIGHT:
        return 0, opening, -1, 0, end
    while True:
        if count == max_set_size:
            return parse_errors.SET_TOO_LARGE, start, opening, count, end
        if has_strings_only and token != tokens.STRING:
            return refusal(parse_errors.EXPECTED_STRING, token, detail), start, opening, count, end
        error, where, end = write_value(text, size, token, start, end, detail, operands, numbers, first_row + count)
        if error != 0:
            return error, where, opening, count, end
        if has_weights:
            error, where, end = write_weight(text, end, size, operands, numbers, first_row + count)
            if error != 0:
                return error, where, opening, count, end
        count += 1
        token, comma, end, detail = read_token(text, end, size)
        if token == tokens.RIGHT:
            return 0, opening, -1, count, end
        if token == tokens.END:
            return parse_errors.UNCLOSED_LEFT, opening, -1, count, end
        if token != tokens.COMMA:
            return refusal(parse_errors.EXPECTED_COMMA, token, detail), comma, opening, count, end
        token, start, end, detail = read_token(text, end, size)
        if token == tokens.RIGHT:
            return parse_errors.TRAILING_COMMA, comma, opening, count, end


@part
def write_range(
    text: Text, position: int, size: int, kind: int, operands: Row, numbers: Row, row: int
) -> tuple[int, int, int]:
    """(error, where, end): write the two operands of `between`, which have one ordered kind."""
    token, start, end, detail = read_token(text, position, size)
    error, where, end = write_value(text, size, token, start, end, detail, operands, numbers, row)
    if error != 0:
        return error, where, end
    if kind_of_operand(operands, row) == codes.BOOL:
        return parse_errors.NO_ORDER, start, end
    token, start, end, detail = read_token(text, end, size)
    if token != tokens.WORD or detail != tokens.WORD_AND:
        return refusal(parse_errors.EXPECTED_BETWEEN_AND, token, detail), start, end
    token, start, end, detail = read_token(text, end, size)
    error, where, end = write_value(text, size, token, start, end, detail, operands, numbers, row + 1)
    if error != 0:
        return error, where, end
    if kind_of_operand(operands, row + 1) == codes.BOOL:
        return parse_errors.NO_ORDER, start, end
    if kind_of_operand(operands, row) != kind_of_operand(operands, row + 1):
        return parse_errors.KINDS_DIFFER, start, end
    if kind == codes.BETWEEN:
        return write_weight(text, end, size, operands, numbers, row + 1)
    return 0, start, end


@part
def write_operand(
    text: Text, position: int, size: int, kind: int, operands: Row, numbers: Row, row: int
) -> tuple[int, int, int]:
    """(error, where, end): write the one operand of a comparison, `starts with` or `under`."""
    token, start, end, detail = read_token(text, position, size)
    if (kind == codes.STARTS_WITH or kind == codes.UNDER) and token != tokens.STRING:
        return refusal(parse_errors.EXPECTED_STRING, token, detail), start, end
    error, where, end = write_value(text, size, token, start, end, detail, operands, numbers, row)
    if error != 0:
        return error, where, end
    if codes.LESS <= kind <= codes.GREATER_OR_EQUAL and kind_of_operand(operands, row) == codes.BOOL:
        return parse_errors.NO_ORDER, start, end
    if kind == codes.NOT_EQUALS:
        return 0, start, end
    return write_weight(text, end, size, operands, numbers, row)
