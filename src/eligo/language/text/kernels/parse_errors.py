"""What can a text be refused for? One small integer for each reason; `language/text/diagnose.py` turns them into words.

Every refusal comes with a byte position, and some with a second one: where the thing began that is incomplete.
"""

from __future__ import annotations

NONE = 0

# Something else was expected here.
EXPECTED_EXPRESSION = 1
EXPECTED_CONNECTIVE = 2
EXPECTED_OPERATOR = 3
"""After an attribute's name; the second position is where the name begins."""
EXPECTED_VALUE = 4
"""The second position is the opening parenthesis of the list, if in one."""
EXPECTED_STRING = 5
EXPECTED_LIST = 6
EXPECTED_COMMA = 7
"""The second position is the opening parenthesis of the list."""
EXPECTED_BETWEEN_AND = 8
EXPECTED_AFTER_NOT = 9
EXPECTED_AFTER_IS = 10
EXPECTED_AFTER_IS_NOT = 11
EXPECTED_WITH = 12
EXPECTED_ALL = 13
EXPECTED_NOT_IN = 14
EXPECTED_WEIGHT = 15
EXPECTED_DATE_STRING = 16
UNMATCHED_RIGHT = 17
UNCLOSED_LEFT = 18
TRAILING_COMMA = 19
MISPLACED_WEIGHT = 20

# Quantified parts; the second position is that of `exists` or `forall`, or of the name that is compared.
EXPECTED_VARIABLE = 40
EXPECTED_LAST = 41
EXPECTED_SCOPE = 42
EXPECTED_BODY = 43
NESTED_PART = 44
NO_DOCUMENT = 45
"""Nothing in the body is about the document."""
BARE_VARIABLE = 46
TWO_OF_EVENT = 47
TWO_OF_DOCUMENT = 48
NAME_OUTSIDE = 49
"""A name is compared with another where there is no document."""
NAME_IN_RANGE = 50
NAME_IN_LIST = 51
RESERVED_NAME = 56

# A token that is none.
UNTERMINATED_STRING = 21
UNTERMINATED_NAME = 22
INVALID_UTF8 = 23
EMPTY_NAME = 24
MALFORMED_NUMBER = 25

# A value that an expression cannot hold.
INTEGER_TOO_LARGE = 26
NUMBER_INFINITE = 27
NEGATIVE_WEIGHT = 28
MALFORMED_DATE = 29
IMPOSSIBLE_DATE = 30
MALFORMED_TIMESTAMP = 31
IMPOSSIBLE_TIMESTAMP = 32
NO_ORDER = 33
KINDS_DIFFER = 34
WEIGHT_TOO_LARGE = 39
MALFORMED_COUNT = 52
MALFORMED_DURATION = 53
DURATION_TOO_LONG = 54
EMPTY_SCOPE = 55

# A bound that is passed.
TOO_LONG = 35
TOO_DEEP = 36
SET_TOO_LARGE = 37

# Not a text at all; set by the caller, never by the kernel.
NULL_TEXT = 38
