"""Where does the next token end, and what is it?

One function, `read_token`, over the UTF-8 bytes of an expression. Like all of the parser it is plain Python that
Numba can compile: given `bytes` it runs interpreted, given an array of `uint8` inside a compiled loop it runs as
machine code. Only literals are mixed with bytes in arithmetic, so that compiled integers stay signed.

Words are folded into one integer, five bits a letter, so that a keyword is found by comparing integers:

    "in"  ->  i = 9, n = 14  ->  9 << 5 | 14
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eligo.kernels.compiled import part
from eligo.language.text.kernels import parse_errors

Text = bytes | NDArray[np.uint8]
"""The bytes of one expression."""

END = 0
WORD = 1
NAME = 2
"""A name in double quotes."""
STRING = 3
NUMBER = 4
LEFT = 5
RIGHT = 6
COMMA = 7
CARET = 8
OTHER = 9
"""A byte that begins no token."""
NO_TOKEN = 10
"""A token that begins well and then cannot be read; its detail is a parse error."""
EQUAL_SIGN = 11
NOT_EQUAL_SIGN = 12
LESS_SIGN = 13
LESS_OR_EQUAL_SIGN = 14
GREATER_SIGN = 15
GREATER_OR_EQUAL_SIGN = 16

FOLDED_LETTERS = 12
"""Letters that fit a folded word; longer words are no keywords."""


def fold_word(word: str) -> int:
    """The integer that stands for a word of at most twelve ASCII letters, whatever their case."""
    folded = 0
    for letter in word.lower():
        folded = folded << 5 | ord(letter) - 96
    return folded


WORD_AND = fold_word("and")
WORD_OR = fold_word("or")
WORD_XOR = fold_word("xor")
WORD_XNOR = fold_word("xnor")
WORD_NOT = fold_word("not")
WORD_TRUE = fold_word("true")
WORD_FALSE = fold_word("false")
WORD_IN = fold_word("in")
WORD_BETWEEN = fold_word("between")
WORD_IS = fold_word("is")
WORD_EXISTS = fold_word("exists")
WORD_STARTS = fold_word("starts")
WORD_UNDER = fold_word("under")
WORD_CONTAINS = fold_word("contains")
RESERVED_WORDS = (
    WORD_AND,
    WORD_OR,
    WORD_XOR,
    WORD_XNOR,
    WORD_NOT,
    WORD_TRUE,
    WORD_FALSE,
    WORD_IN,
    WORD_BETWEEN,
    WORD_IS,
    WORD_EXISTS,
    WORD_STARTS,
    WORD_UNDER,
    WORD_CONTAINS,
)
"""Words that are no bare attribute names; the same as `language.canonical.RESERVED`."""
WORD_WITH = fold_word("with")
WORD_ALL = fold_word("all")
WORD_MISSING = fold_word("missing")
WORD_NULL = fold_word("null")
WORD_WEAK = fold_word("weak")
WORD_STRONG = fold_word("strong")
WORD_DATE = fold_word("date")
WORD_TIMESTAMP = fold_word("timestamp")
WORD_FORALL = fold_word("forall")
WORD_LAST = fold_word("last")


@part
def skip_blank(text: Text, position: int, size: int) -> int:
    """The first byte at or after `position` that is neither white space nor in a comment."""
    while position < size:
        byte = text[position]
        if byte == 32 or 9 <= byte <= 13:
            position += 1
        elif byte == 45 and position + 1 < size and text[position + 1] == 45:
            while position < size and text[position] != 10:
                position += 1
        else:
            break
    return position


@part
def is_digit(text: Text, position: int, size: int) -> bool:
    """Whether there is a digit at `position`."""
    return position < size and 48 <= text[position] <= 57


@part
def begins_name(text: Text, position: int, size: int) -> bool:
    """Whether there is a letter or an underscore at `position`."""
    return position < size and (97 <= (text[position] | 32) <= 122 or text[position] == 95)


@part
def read_word(text: Text, start: int, size: int) -> tuple[int, int, int, int]:
    """A keyword or a bare name; dots join its parts. The detail is the folded word, 0 where it can be no keyword."""
    position = start
    folded = 0
    is_plain = True
    while position < size:
        byte = text[position]
        lower = byte | 32
        if 97 <= lower <= 122:
            if position - start < FOLDED_LETTERS:
                folded = folded << 5 | (lower - 96)
        elif byte == 95 or 48 <= byte <= 57 or (byte == 46 and begins_name(text, position + 1, size)):
            is_plain = False
        else:
            break
        position += 1
    if not is_plain or position - start > FOLDED_LETTERS:
        folded = 0
    return WORD, start, position, folded


@part
def character_length(text: Text, start: int, size: int) -> int:
    """Bytes of the UTF-8 character of two or more bytes at `start`; 0 where there is none (RFC 3629)."""
    first = text[start]
    if 0xC2 <= first <= 0xDF:
        length = 2
    elif 0xE0 <= first <= 0xEF:
        length = 3
    elif 0xF0 <= first <= 0xF4:
        length = 4
    else:
        return 0
    if start + length > size:
        return 0
    second = text[start + 1]
    # No overlong forms, no surrogates, nothing above U+10FFFF.
    if (
        (first == 0xE0 and second < 0xA0)
        or (first == 0xED and second > 0x9F)
        or (first == 0xF0 and second < 0x90)
        or (first == 0xF4 and second > 0x8F)
    ):
        return 0
    for position in range(start + 1, start + length):
        if not 0x80 <= text[position] <= 0xBF:
            return 0
    return length


@part
def read_quoted(text: Text, start: int, size: int, quote: int) -> tuple[int, int, int, int]:
    """A string or a quoted name with its quotes; the detail is 1 where it holds a doubled quote."""
    is_string = quote == 39
    has_doubled = 0
    position = start + 1
    while position < size:
        byte = text[position]
        if byte == quote:
            if position + 1 < size and text[position + 1] == quote:
                has_doubled = 1
                position += 2
                continue
            if not is_string and position == start + 1:
                return NO_TOKEN, start, position + 1, parse_errors.EMPTY_NAME
            return (STRING if is_string else NAME), start, position + 1, has_doubled
        if byte < 128:
            position += 1
        else:
            length = character_length(text, position, size)
            if length == 0:
                return NO_TOKEN, position, position + 1, parse_errors.INVALID_UTF8
            position += length
    error = parse_errors.UNTERMINATED_STRING if is_string else parse_errors.UNTERMINATED_NAME
    return NO_TOKEN, start, size, error


@part
def read_digits(text: Text, position: int, size: int) -> int:
    """The first byte at or after `position` that is no digit."""
    while position < size and 48 <= text[position] <= 57:
        position += 1
    return position


@part
def read_number(text: Text, start: int, size: int) -> tuple[int, int, int, int]:
    """A number, of which the caller has seen the first digit; nothing that could go on a word may follow it."""
    position = start + 1 if text[start] == 45 else start
    position = read_digits(text, position, size)
    if position < size and text[position] == 46:
        position = read_digits(text, position + 1, size)
    if position < size and (text[position] | 32) == 101:
        exponent = position + 1
        if exponent < size and (text[exponent] == 43 or text[exponent] == 45):
            exponent += 1
        if is_digit(text, exponent, size):
            position = read_digits(text, exponent, size)
    if begins_name(text, position, size) or (position < size and (text[position] == 46 or text[position] >= 128)):
        return NO_TOKEN, start, position, parse_errors.MALFORMED_NUMBER
    return NUMBER, start, position, 0


@part
def read_sign(text: Text, start: int, size: int) -> tuple[int, int, int, int]:
    """A comparison sign, a parenthesis, a comma or a caret; `OTHER` for any other byte."""
    byte = text[start]
    is_followed_by_equal = start + 1 < size and text[start + 1] == 61
    token = OTHER
    if byte == 40:
        token = LEFT
    elif byte == 41:
        token = RIGHT
    elif byte == 44:
        token = COMMA
    elif byte == 94:
        token = CARET
    elif byte == 61:
        if is_followed_by_equal:
            return EQUAL_SIGN, start, start + 2, 0
        token = EQUAL_SIGN
    elif byte == 60:
        if is_followed_by_equal:
            return LESS_OR_EQUAL_SIGN, start, start + 2, 0
        if start + 1 < size and text[start + 1] == 62:
            return NOT_EQUAL_SIGN, start, start + 2, 0
        token = LESS_SIGN
    elif byte == 62:
        if is_followed_by_equal:
            return GREATER_OR_EQUAL_SIGN, start, start + 2, 0
        token = GREATER_SIGN
    elif byte == 33 and is_followed_by_equal:
        return NOT_EQUAL_SIGN, start, start + 2, 0
    return token, start, start + 1, 0


@part
def read_token(text: Text, position: int, size: int) -> tuple[int, int, int, int]:
    """The next token at or after `position`: what it is, its first byte, the byte after its last, and its detail."""
    start = skip_blank(text, position, size)
    if start >= size:
        return END, size, size, 0
    byte = text[start]
    if 97 <= (byte | 32) <= 122 or byte == 95:
        return read_word(text, start, size)
    if byte == 39 or byte == 34:
        return read_quoted(text, start, size, 39 if byte == 39 else 34)
    if 48 <= byte <= 57:
        return read_number(text, start, size)
    if byte == 45 or byte == 46:
        digits = start + 1
        if byte == 45 and digits < size and text[digits] == 46:
            digits += 1
        if is_digit(text, digits, size):
            return read_number(text, start, size)
        return OTHER, start, start + 1, 0
    return read_sign(text, start, size)
