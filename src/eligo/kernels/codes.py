"""The small integers that flat forms use: node kinds and value kinds.

Plain module constants, because Numba freezes them into compiled loops.
"""

from __future__ import annotations

# Node kinds of the postfix form. Connectives and constants first, predicates from EQUALS on.
AND = 0
OR = 1
XOR = 2
XNOR = 3
NOT = 4
TRUE = 5
FALSE = 6
LITERAL = 7
EQUALS = 10
NOT_EQUALS = 11
LESS = 12
LESS_OR_EQUAL = 13
GREATER = 14
GREATER_OR_EQUAL = 15
BETWEEN = 16
NOT_BETWEEN = 17
IN = 18
NOT_IN = 19
WEAK_NOT_IN = 20
STRONG_NOT_IN = 21
CONTAINS_ALL = 22
STARTS_WITH = 23
UNDER = 24
EXISTS = 25
IS_MISSING = 26
IS_TRUE = 27
EXISTS_DOCUMENT = 28
"""`exists d (…)`: the nodes just before it, `node_count` of them, are its body. Only in what the parser writes."""
FORALL_DOCUMENT = 29

# Kinds of a value in a flat form; the first five are those of language.value.Kind.
BOOL = 0
NUMBER = 1
STRING = 2
DATE = 3
TIMESTAMP = 4
# Kinds of a vocabulary entry beyond those of values.
PRESENT = 5
UNDER_NODE = 6
# Kinds of an operand in the postfix form that are no values.
DOCUMENT_NAME = 7
"""The attribute of a document that an event's is compared with."""
DURATION = 8
"""Of `in last '7 days'`; the payload counts microseconds."""

# Flags of an operand or a name in the postfix form; the others are those of the parser.
IS_ESCAPED = 4
"""A string, or an attribute's name, that holds a doubled quote which stands for one."""
IS_OF_DOCUMENT = 8
"""A predicate on an attribute of a document, not of the event."""
IS_SCOPED = 16
"""A quantified part with a first operand that narrows its documents."""
