"""Which documents is this part about, and whose is this name? From `exists` or `forall` to the body's parenthesis.

exists d in last '7 days' (price < d.price and "d.x" = 1)
       variable  scope     event   document     event: a name in quotes is never the document's
"""

from __future__ import annotations

from eligo.kernels import codes
from eligo.kernels.codes import IS_ESCAPED, IS_OF_DOCUMENT
from eligo.kernels.compiled import part
from eligo.language.text.kernels import parse_errors, tokens
from eligo.language.text.kernels.numbers import decode_number
from eligo.language.text.kernels.operands import refusal
from eligo.language.text.kernels.postfix_rows import (
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
from eligo.language.text.kernels.times import decode_duration
from eligo.language.text.kernels.tokens import Text, read_quoted, read_token

DOT = 46
QUOTE = 34
AT = 64
PART_MARK = tuple(b"@exists @forall ")
"""What the attributes of quantified parts begin with, each as long as the other."""
MARK_LENGTH = 8


@part
def is_same(text: Text, start: int, other: int, length: int) -> bool:
    """Whether the bytes at two places are the same."""
    matched = 0
    while matched < length and text[start + matched] == text[other + matched]:
        matched += 1
    return matched == length


@part
def is_plain_name(text: Text, start: int, end: int, word: int) -> bool:
    """Whether a word can name a document: it has no dots and is not reserved."""
    for position in range(start, end):
        if text[position] == DOT:
            return False
    return word not in tokens.RESERVED_WORDS


@part
def is_quantifier(text: Text, word: int, position: int, size: int) -> bool:
    """Whether a word at the place of an operand begins a quantified part; `forall` alone is an attribute."""
    if word != tokens.WORD_FORALL:
        return word == tokens.WORD_EXISTS
    token, start, end, next_word = read_token(text, position, size)
    if token != tokens.WORD or next_word == tokens.WORD_WEAK or next_word == tokens.WORD_STRONG:
        return False
    return is_plain_name(text, start, end, next_word)


@part
def write_other(
    operands: Row, numbers: Row, row: int, kind: int, start: int, end: int, payload: int, flags: int
) -> None:
    """Write an operand that is no value."""
    base = row * OPERAND_FIELDS
    operands[base + OPERAND_KIND] = kind
    operands[base + OPERAND_START] = start
    operands[base + OPERAND_END] = end
    operands[base + OPERAND_PAYLOAD] = payload
    operands[base + OPERAND_FLAGS] = flags
    numbers[row * NUMBER_FIELDS + NUMBER] = 0.0
    numbers[row * NUMBER_FIELDS + WEIGHT] = 1.0


@part
def read_scope(text: Text, position: int, size: int, operands: Row, numbers: Row, row: int) -> tuple[int, int, int]:
    """(error, where, end): write what stands behind `in` as operand `row`: `last` with a count or a length of time."""
    token, start, end, word = read_token(text, position, size)
    if token != tokens.WORD or word != tokens.WORD_LAST:
        return refusal(parse_errors.EXPECTED_LAST, token, word), start, end
    token, start, end, detail = read_token(text, end, size)
    kind = codes.NUMBER
    if token == tokens.NUMBER:
        error, payload, _, flags = decode_number(text, start, end)
        if error != 0 or flags != 0 or payload < 0:
            error = parse_errors.MALFORMED_COUNT
    elif token == tokens.STRING:
        kind = codes.DURATION
        error, payload = decode_duration(text, start + 1, end - 1)
    else:
        return refusal(parse_errors.EXPECTED_SCOPE, token, detail), start, end
    if error == 0 and payload == 0:
        error = parse_errors.EMPTY_SCOPE
    write_other(operands, numbers, row, kind, start, end, payload, 0)
    return error, start, end


@part
def read_quantifier(
    text: Text, position: int, size: int, operands: Row, numbers: Row, row: int
) -> tuple[int, int, int, int, int, int]:
    """(error, where, variable, variable_end, num_scopes, end) of what stands between a quantifier and its body.

    Where there is no error, `where` is the parenthesis that opens the body.
    """
    token, variable, variable_end, word = read_token(text, position, size)
    if token != tokens.WORD or not is_plain_name(text, variable, variable_end, word):
        return refusal(parse_errors.EXPECTED_VARIABLE, token, word), variable, 0, 0, 0, variable_end
    num_scopes = 0
    token, start, end, word = read_token(text, variable_end, size)
    if token == tokens.WORD and word == tokens.WORD_IN:
        error, where, end = read_scope(text, end, size, operands, numbers, row)
        if error != 0:
            return error, where, variable, variable_end, 0, end
        num_scopes = 1
        token, start, end, word = read_token(text, end, size)
    error = 0 if token == tokens.LEFT else refusal(parse_errors.EXPECTED_BODY, token, word)
    return error, start, variable, variable_end, num_scopes, end


@part
def is_part_name(text: Text, start: int, end: int) -> bool:
    """Whether a quoted name is one that only quantified parts have."""
    if end - start < MARK_LENGTH or text[start] != AT:
        return False
    is_exists = True
    is_forall = True
    for offset in range(MARK_LENGTH):
        is_exists = is_exists and text[start + offset] == PART_MARK[offset]
        is_forall = is_forall and text[start + offset] == PART_MARK[MARK_LENGTH + offset]
    return is_exists or is_forall


@part
def read_name(
    text: Text, size: int, token: int, start: int, end: int, detail: int, variable: int, variable_end: int
) -> tuple[int, int, int, int, int]:
    """(error, name_start, name_end, flags, end) of the name that a token begins; no variable means no document."""
    if token == tokens.NAME:
        error = parse_errors.RESERVED_NAME if is_part_name(text, start + 1, end - 1) else 0
        return error, start + 1, end - 1, IS_ESCAPED if detail == 1 else 0, end
    length = variable_end - variable
    if length == 0 or end - start < length or not is_same(text, start, variable, length):
        return 0, start, end, 0, end
    if end - start > length:
        if text[start + length] != DOT:
            return 0, start, end, 0, end
        return 0, start + length + 1, end, IS_OF_DOCUMENT, end
    if end + 1 < size and text[end] == DOT and text[end + 1] == QUOTE:
        quoted, opening, closing, has_doubled = read_quoted(text, end + 1, size, QUOTE)
        error = has_doubled if quoted == tokens.NO_TOKEN else 0
        if error == 0 and is_part_name(text, opening + 1, closing - 1):
            error = parse_errors.RESERVED_NAME
        flags = IS_OF_DOCUMENT | IS_ESCAPED if has_doubled == 1 else IS_OF_DOCUMENT
        return error, opening + 1, closing - 1, flags, closing
    return parse_errors.BARE_VARIABLE, start, end, 0, end


@part
def is_name_next(text: Text, position: int, size: int) -> bool:
    """Whether a name follows, not a value."""
    token, _, end, word = read_token(text, position, size)
    if token != tokens.WORD:
        return token == tokens.NAME
    if word == tokens.WORD_DATE or word == tokens.WORD_TIMESTAMP:
        following, _, _, _ = read_token(text, end, size)
        return following != tokens.STRING and following != tokens.NO_TOKEN
    return word not in tokens.RESERVED_WORDS


@part
def write_joined(
    text: Text,
    position: int,
    size: int,
    name_start: int,
    name_end: int,
    flags: int,
    variable: int,
    variable_end: int,
    operands: Row,
    numbers: Row,
    row: int,
) -> tuple[int, int, int, int, int, int]:
    """(error, where, name_start, name_end, flags, end): write the document's name as operand `row`, give the event's.

    The first name is given, the second is read; one of them is the document's.
    """
    token, start, end, detail = read_token(text, position, size)
    error, other_start, other_end, other_flags, end = read_name(
        text, size, token, start, end, detail, variable, variable_end
    )
    if error == 0 and (flags & IS_OF_DOCUMENT) == (other_flags & IS_OF_DOCUMENT):
        error = parse_errors.TWO_OF_EVENT if flags & IS_OF_DOCUMENT == 0 else parse_errors.TWO_OF_DOCUMENT
    if error != 0:
        return error, start, name_start, name_end, flags, end
    if flags & IS_OF_DOCUMENT != 0:
        name_start, other_start = other_start, name_start
        name_end, other_end = other_end, name_end
        flags, other_flags = other_flags, flags
    write_other(operands, numbers, row, codes.DOCUMENT_NAME, other_start, other_end, 0, other_flags & IS_ESCAPED)
    return 0, start, name_start, name_end, flags, end


@part
def flipped(kind: int) -> int:
    """The comparison that says the same with its sides exchanged."""
    if kind == codes.LESS or kind == codes.LESS_OR_EQUAL:
        return kind + 2
    if kind == codes.GREATER or kind == codes.GREATER_OR_EQUAL:
        return kind - 2
    return kind


@part
def name_refusal(error: int, text: Text, where: int, size: int, kind: int, variable: int, variable_end: int) -> int:
    """The error for a value that was expected: another one where there is a name that no document can stand for."""
    if error != parse_errors.EXPECTED_VALUE or not is_name_next(text, where, size):
        return error
    token, start, end, detail = read_token(text, where, size)
    if variable == variable_end:
        is_comparison = codes.EQUALS <= kind <= codes.GREATER_OR_EQUAL
        has_dot = token == tokens.WORD and not is_plain_name(text, start, end, detail)
        return parse_errors.NAME_OUTSIDE if is_comparison and has_dot else error
    if kind == codes.BETWEEN or kind == codes.NOT_BETWEEN:
        return parse_errors.NAME_IN_RANGE
    name_error, _, _, flags, _ = read_name(text, size, token, start, end, detail, variable, variable_end)
    is_of_document = name_error == parse_errors.BARE_VARIABLE or flags & IS_OF_DOCUMENT != 0
    return parse_errors.NAME_IN_LIST if is_of_document else error
