"""What has no meaning here, in the words of SQL? For each kind of node that sqlglot makes: its name, and a way out."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

_COMPUTE = "compute it into an attribute of the event, and compare that"
_PATTERN = ("LIKE 'text%' is the only pattern here", _COMPUTE)
MEANT = "AND OR XOR NOT over = <> < <= > >= BETWEEN, IN, IS NULL, IS TRUE and LIKE 'text%'"

_INSTEAD: dict[tuple[type[Any], ...], tuple[str, str]] = {
    (exp.Subquery, exp.Select, exp.Unnest, exp.Exists): (
        "a subquery has no meaning here",
        "an expression sees one event only; list the values: a IN (1, 2)",
    ),
    (exp.Any, exp.All): ("ANY and ALL have no meaning here", "list the values: a IN (1, 2)"),
    (exp.Placeholder, exp.Parameter, exp.SessionParameter): (
        "a parameter has no value here",
        "put the value into the text",
    ),
    (exp.Literal, exp.National): ("a literal alone has no meaning here", "compare it with an attribute: a = 1"),
    (exp.Null,): ("NULL alone has no meaning here", "write a IS NULL or a IS NOT NULL"),
    (exp.Tuple,): ("a row of several attributes has no meaning here", "compare each: a = 1 AND b = 2"),
    (
        *(exp.ILike, exp.SimilarTo, exp.Glob, exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch, exp.Escape),
        *(exp.Like, exp.Match),
    ): _PATTERN,
    (exp.NullSafeEQ, exp.NullSafeNEQ): (
        "a comparison that takes NULL for a value has no meaning here",
        "use = or <>, and IS NULL where a missing attribute counts",
    ),
    (exp.JSONBContains, exp.JSONBContainsTopKey, exp.JSONBContainsAnyTopKeys, exp.JSONBContainsAllTopKeys): (
        "an operator on JSON values has no meaning here",
        'attributes of nested objects have dotted names: "user.age" IS NOT NULL',
    ),
    (exp.JSONBPathExists, exp.JSONArrayContains, exp.JSONBDeleteAtPath): (
        "an operator on JSON values has no meaning here",
        'attributes of nested objects have dotted names: "user.age" IS NOT NULL',
    ),
    (
        *(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar, exp.NestedJSONSelect),
        *(exp.Bracket,),
    ): ("a path into a value has no meaning here", 'attributes of nested objects have dotted names: "user.age"'),
    (exp.ArrayContains, exp.ArrayContainsAll, exp.ArrayContainedBy, exp.ArrayOverlaps): (
        "an operator on arrays has no meaning here",
        "an attribute may have several values: a = 1 asks for one of them, a = 1 AND a = 2 for both",
    ),
    (exp.Array, exp.Struct, exp.Map, exp.VarMap): (
        "a list or an object is not a value here",
        "list the values: a IN (1, 2)",
    ),
    (exp.Overlaps, exp.Adjacent, exp.ExtendsLeft, exp.ExtendsRight, exp.Distance, exp.DistanceNd): (
        "an operator on ranges or points has no meaning here",
        "compare their ends: a_from <= 5 AND a_to >= 3",
    ),
    (exp.Connector, exp.Not, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In, exp.Is): (
        "a condition is not a value, so it cannot be compared",
        "connect conditions with AND, OR, XOR and NOT, or write (…) IS TRUE",
    ),
    (exp.Cast,): ("a cast has no meaning here", "write a literal of the kind that the events have"),
    (exp.Star,): ("* is not an attribute", "name one"),
    (exp.Collate,): ("COLLATE has no meaning here", f"strings are compared by code point; {_COMPUTE}"),
    (exp.AtTimeZone,): (
        "AT TIME ZONE has no meaning here",
        "times are in UTC; write the zone into the literal: TIMESTAMP '2024-01-31T10:00:00+01:00'",
    ),
    (exp.Interval,): ("an interval is not a value here", _COMPUTE),
    (exp.Window,): ("a window function has no meaning here", "an expression sees one event only"),
    (exp.DPipe, exp.Concat): ("joining strings has no meaning here", _COMPUTE),
    (exp.HexString, exp.BitString, exp.ByteString): (
        "a hexadecimal or binary literal is not a value here",
        "write the number in decimals, or a string",
    ),
    (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift): (
        "arithmetic on bits has no meaning here",
        _COMPUTE,
    ),
    (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Neg): (
        "arithmetic has no meaning here",
        _COMPUTE,
    ),
    (exp.Func,): ("a function has no meaning here", _COMPUTE),
    (exp.Binary,): ("this operator has no meaning here", MEANT),
}
"""The first that fits says it: a class stands before those that it derives from."""


def no_meaning(node: Any) -> tuple[str, str]:
    """What to say of a node, and what to do instead."""
    for kinds, words in _INSTEAD.items():
        if isinstance(node, kinds):
            return words
    return "this has no meaning here", MEANT
