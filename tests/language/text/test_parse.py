"""Which tree does a text give, and what does a text that gives none say?"""

from __future__ import annotations

import pickle
import time
from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from eligo.errors import (
    EligoError,
    ExpressionError,
    ExpressionSyntaxError,
    ExpressionValueError,
    InputError,
    LimitError,
)
from eligo.language.canonical import canonical_text
from eligo.language.limits import Limits
from eligo.language.text import diagnose
from eligo.language.text import parse as parse_module
from eligo.language.text.kernels import parse_errors
from eligo.language.text.parse import parse, parse_all, parse_source
from eligo.language.tree import (
    FALSE,
    TRUE,
    And,
    Between,
    ContainsAll,
    Equals,
    Exists,
    Expression,
    Greater,
    GreaterOrEqual,
    In,
    IsMissing,
    IsTrue,
    Less,
    LessOrEqual,
    Not,
    NotBetween,
    NotEquals,
    NotIn,
    Or,
    StartsWith,
    StrongNotIn,
    Under,
    WeakNotIn,
    Xnor,
    Xor,
    postorder,
)

a, b, c, d = (IsTrue(name) for name in "abcd")

PREDICATES: dict[str, Expression] = {
    "a = 1": Equals("a", 1),
    "a == 1": Equals("a", 1),
    "a=1": Equals("a", 1),
    "a != 'x'": NotEquals("a", "x"),
    "a <> 'x'": NotEquals("a", "x"),
    "a < 1": Less("a", 1),
    "a <= 1": LessOrEqual("a", 1),
    "a > 1": Greater("a", 1),
    "a >= 1": GreaterOrEqual("a", 1),
    "a between 1 and 2": Between("a", 1, 2),
    "a not between 1 and 2": NotBetween("a", 1, 2),
    "a in ()": In("a", ()),
    "a in (1, 'x', true)": In("a", (1, "x", True)),
    "a not in (1)": NotIn("a", (1,)),
    "a weak not in (1)": WeakNotIn("a", (1,)),
    "a strong not in (1)": StrongNotIn("a", (1,)),
    "a contains all (1, 2)": ContainsAll("a", (1, 2)),
    "a starts with 'x'": StartsWith("a", "x"),
    "a under 'x/y'": Under("a", "x/y"),
    "a under ('x/y')": Under("a", "x/y"),
    "a under('x', 'y', 'x')": Under("a", ("x", "y", "x")),
    "a under ()": Under("a", ()),
    "a exists": Exists("a"),
    "a is missing": IsMissing("a"),
    "a": IsTrue("a"),
    "a is not missing": Exists("a"),
    "a is null": IsMissing("a"),
    "a is not null": Exists("a"),
    "a not starts with 'x'": Not(StartsWith("a", "x")),
    "a not under 'x'": Not(Under("a", "x")),
    "a not under ('x', 'y')": Not(Under("a", ("x", "y"))),
    "a not contains all (1)": Not(ContainsAll("a", (1,))),
}

TREES: dict[str, Expression] = {
    "true": TRUE,
    "FALSE": FALSE,
    "a and b and c": And((a, b, c)),
    "(a and b) and c": And((And((a, b)), c)),
    "a and (b and c)": And((a, And((b, c)))),
    "a or b or c": Or((a, b, c)),
    "a xor b xor c": Xor((a, b, c)),
    "a xnor b xnor c": Xnor((a, b, c)),
    "a xor b xnor c": Xnor((Xor((a, b)), c)),
    "a xnor b xor c xor d": Xor((Xnor((a, b)), c, d)),
    "a or b and c": Or((a, And((b, c)))),
    "a and b or c and d": Or((And((a, b)), And((c, d)))),
    "a or b xor c": Or((a, Xor((b, c)))),
    "a xor b and c": Xor((a, And((b, c)))),
    "a and b xnor c or d": Or((Xnor((And((a, b)), c)), d)),
    "not a and b": And((Not(a), b)),
    "not (a and b)": Not(And((a, b))),
    "not not a": Not(Not(a)),
    "a and not b or c": Or((And((a, Not(b))), c)),
    "not a = 1": Not(Equals("a", 1)),
    "not a in (1)": Not(In("a", (1,))),
    "not a between 1 and 2 and b": And((Not(Between("a", 1, 2)), b)),
    "((a))": a,
    "a AND B Or nOt c": Or((And((a, IsTrue("B"))), Not(c))),
    "a -- the first\nand -- x and y\n b": And((a, b)),
    "\t a\r\nand\fb\v": And((a, b)),
    "--\n a --": a,
    "(a)or(b)": Or((a, b)),
}

VALUES: dict[str, object] = {
    "true": True,
    "False": False,
    "0": 0,
    "-0": 0,
    "007": 7,
    "-9223372036854775808": -(2**63),
    "9223372036854775807": 2**63 - 1,
    "9007199254740993": 2**53 + 1,
    "9007199254740993.0": 2**53,
    "1.": 1,
    ".5": 0.5,
    "-.5e1": -5,
    "1e3": 1000,
    "1E-3": 0.001,
    "1e+20": 1e20,
    "0.1": 0.1,
    "0.30000000000000004": 0.1 + 0.2,
    "1e23": 1e23,
    "5e-324": 5e-324,
    "1e-400": 0,
    "1.7976931348623157e308": 1.7976931348623157e308,
    "''": "",
    "'it''s'": "it's",
    "'a--b'": "a--b",
    "'\n\0é😀\"'": '\n\0é😀"',
    "date '2024-02-29'": date(2024, 2, 29),
    "DATE'0001-01-01'": date.min,
    "date -- day\n '9999-12-31'": date.max,
    "timestamp '2024-01-31T10:00:00Z'": datetime(2024, 1, 31, 10, tzinfo=UTC),
    "timestamp '2024-01-31 10:00'": datetime(2024, 1, 31, 10, tzinfo=UTC),
    "timestamp '2024-01-31T10:00:00.000001+01:30'": datetime(2024, 1, 31, 8, 30, 0, 1, tzinfo=UTC),
    "timestamp '9999-12-31T23:59:59.999999'": datetime.max.replace(tzinfo=UTC),
}


@pytest.mark.parametrize(("text", "tree"), {**PREDICATES, **TREES}.items())
def test_a_text_gives_its_tree(text: str, tree: Expression) -> None:
    assert parse(text) == tree
    batch = parse_all([text])
    assert batch.errors() == {}
    assert batch.tree(0) == tree


@pytest.mark.parametrize(("text", "value"), VALUES.items())
def test_values(text: str, value: object) -> None:
    for tree in (parse(f"a = {text}"), parse_all([f"a = {text}"]).tree(0)):
        assert tree == Equals("a", value)  # type: ignore[arg-type]
        assert type(tree.value) is type(value)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a.b.c", "a.b.c"),
        ("_x1", "_x1"),
        ("and.x", "and.x"),
        ("date", "date"),
        ("weak", "weak"),
        ("missing", "missing"),
        ('"and"', "and"),
        ('"a b"', "a b"),
        ('"say ""x"""', 'say "x"'),
        ('"é"', "é"),
        ('"1"', "1"),
    ],
)
def test_names(text: str, name: str) -> None:
    assert parse(text) == IsTrue(name)
    assert parse(f"{text} not in (1)") == NotIn(name, (1,))


@pytest.mark.parametrize(
    ("text", "tree"),
    {
        "a = 1^2": Equals("a", 1, 2.0),
        "a = 1 ^ 2": Equals("a", 1, 2.0),
        "a < 1^0": Less("a", 1, 0.0),
        "a between 1 and 2^1.5": Between("a", 1, 2, 1.5),
        "a in ('CA'^3, 'NY'^1.5, 'TX')": In("a", ("CA", "NY", "TX"), (3.0, 1.5, 1.0)),
        "a contains all (1^2)": ContainsAll("a", (1,), (2.0,)),
        "a starts with 'x'^2": StartsWith("a", "x", 2.0),
        "a under 'x'^2": Under("a", "x", 2.0),
        "a under ('x'^2)": Under("a", "x", 2.0),
        "a under ('x'^2, 'y', 'z' ^ 0.5)": Under("a", ("x", "y", "z"), (2.0, 1.0, 0.5)),
        "a not under 'x'^2": Not(Under("a", "x", 2.0)),
        "a = 1^0.30000000000000004": Equals("a", 1, 0.1 + 0.2),
        "a = 0.30000000000000004 -- c\n ^ 1e-23": Equals("a", 0.1 + 0.2, 1e-23),
        "a = 1^1000000000 or a = 1^1000000000.0000000000000 or a = 1^.01e11": Or((Equals("a", 1, 1e9),) * 3),
        "a = 1^-0.0": Equals("a", 1, 0.0),
    }.items(),
)
def test_weights(text: str, tree: Expression) -> None:
    assert parse(text) == tree
    assert parse_all([text]).tree(0) == tree


def error_of(text: str, limits: Limits | None = None) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        parse(text, limits=limits or Limits())
    return caught.value


SYNTAX_ERRORS = [
    # text, column, part of the message, part of the help
    ("", 1, "the expression is empty", "age >= 18"),
    ("-- nothing", 11, "expected an expression, found the end", ""),
    ("age in (1,", 11, "expected a value, found the end", "list that begins at column 8"),
    ("age in (1", 8, "this `(` is never closed", ""),
    ("state = ", 9, "expected a value, found the end", "'string'"),
    ('state = "CA"', 9, 'found `"CA"`', "double quotes are for attribute names; write 'CA'"),
    ("state = CA", 9, "found `CA`", "did you mean 'CA'?"),
    ("state in (CA)", 11, "found `CA`", "did you mean 'CA'?"),
    ("age bewteen 1 and 2", 5, "an operator or a connective after `age`, found `bewteen`", "`between … and …`"),
    ("age nto in (1)", 5, "found `nto`", "did you mean `not`?"),
    ("nto age in (1)", 5, "found `age`", "did you mean `not`?"),
    ("age not im (1)", 9, "after `not`", ""),
    ("age not betwen 1 and 2", 9, "found `betwen`", "did you mean `not between`?"),
    ("age exist", 5, "found `exist`", "did you mean `exists`?"),
    ("age not exists", 9, "found `exists`", "age is missing"),
    ("age is mising", 8, "found `mising`", "did you mean `is missing`?"),
    ("age is not nul", 12, "found `nul`", "did you mean `is not null`?"),
    ("age is true", 8, "found `true`", "age = true"),
    ("a like 'x'", 3, "found `like`", "starts with"),
    ("a starts wiht 'x'", 10, "expected with", "did you mean `with`?"),
    ("a starts 'x'", 10, "expected with", "a starts with"),
    ("a contains 'x'", 12, "expected all", "a = 'x'"),
    ("a weak in (1)", 8, "expected not in", "weak not in"),
    ("a && b", 3, "found `&&`", "write `and`"),
    ("a = 1 && b", 7, "found `&&`", "write `and`"),
    ("a || b", 3, "found `||`", "write `or`"),
    ("!a", 1, "found `!`", "write `not`"),
    ("a = 1 adn b", 7, "found `adn`", "did you mean `and`?"),
    ("a = 1 b = 2", 7, "found `b`", "connective"),
    ("(a) (b)", 5, "found `(`", "connective"),
    ("a b", 3, "found `b`", "connective"),
    ("a and or b", 7, "found `or`", "between two expressions"),
    ("a and", 6, "found the end", "ends after `and`"),
    ("a = 1 or 2", 10, "found `2`", "a in (1, 2)"),
    ("18 < age", 1, "found `18`", "age > 18"),
    ("a = ‘CA’", 5, "found `‘`", "straight quotes: 'CA'"),
    ("“a” = 1", 1, "found `“`", '"a" for an attribute'),
    ("(a and (b or c)", 1, "this `(` is never closed", "add `)`"),
    ("((a)", 1, "this `(` is never closed", ""),
    ("a in (1, 2", 6, "this `(` is never closed", ""),
    ("a and b)", 8, "this `)` closes nothing", ""),
    ("a = 'abc", 5, "this string is never closed", "twice"),
    ('"abc = 1', 1, "this name is never closed", "twice"),
    ("a = 'abc''", 5, "this string is never closed", ""),
    ('"" = 1', 1, "cannot be empty", "''"),
    ("a in (1, 2,)", 11, "after this comma", "remove the comma"),
    ("a in (1,, 2)", 9, "found `,`", ""),
    ("a in (1 2)", 9, "expected `,` or `)`", "commas"),
    ("a in 1", 6, "expected a list", "(1)"),
    ("a in [1]", 6, "expected a list", "round parentheses"),
    ("a = null", 5, "found `null`", "a is missing"),
    ("a != null", 6, "found `null`", "a exists"),
    ("a = (1, 2)", 5, "found `(`", "a in (…)"),
    ("a between 1 or 2", 13, "expected `and`", "between 1 and 2"),
    ("a starts with CA", 15, "expected a string", "did you mean 'CA'?"),
    ("a under 5", 9, "expected a string", "'5'"),
    ("a =< 5", 4, "found `<`", "write `<=`"),
    ("a = = 5", 5, "found `=`", "single `=`"),
    ("in = 5", 1, "found `in`", '"in"'),
    ("true = 5", 6, "found `=`", "double quotes"),
    ("()", 2, "found `)`", ""),
    ("città = 5", 5, "found `à`", '"città"'),
    ("été = 5", 1, "found `é`", '"été"'),
    ("user-age = 5", 5, "found `-`", '"user-age"'),
    ("a\u00a0= 1", 2, "U+00A0 (no-break space)", "ordinary blank"),
    ("a = 1;", 6, "found `;`", "semicolon"),
    ("a /* x */", 3, "found `/`", "--"),
    ("a > 2024-01-31", 9, "found `-01`", "date '2024-01-31'"),
    ("a > date 2024", 10, "expected a string", "date '2024-01-31'"),
    ("a = 5and b", 5, "`5and` is not a number", "5 and"),
    ("a = 1_000", 5, "`1_000` is not a number", "1000"),
    ("a = 1.2.3", 5, "is not a number", ""),
    ("a = 1e", 5, "is not a number", ""),
    ("a = +5", 5, "found `+`", "plus sign"),
    ("a != 1^2", 7, "a weight cannot stand here", ""),
    ("a not in (1^2)", 12, "a weight cannot stand here", ""),
    ("a between 1^2 and 3", 12, "a weight cannot stand here", ""),
    ("a not between 1 and 3^2", 22, "a weight cannot stand here", ""),
    ("a^2", 2, "a weight cannot stand here", ""),
    ("a exists ^2", 10, "a weight cannot stand here", ""),
    ("(a = 1)^2", 8, "a weight cannot stand here", ""),
    ("a = 1^2^3", 8, "a weight cannot stand here", ""),
    ("a = 1^x", 7, "expected a weight", ""),
    ("not a = 1 [or missing]", 11, "found `[`", "normal form"),
    ("a = '\ud800'", 6, "not valid Unicode", "surrogate"),
]

VALUE_ERRORS = [
    ("a < true", 5, "no order", "="),
    ("a between false and true", 11, "no order", "="),
    ("a between 1 and true", 17, "no order", "="),
    ("a between 1 and 'x'", 17, "one kind", "two numbers"),
    ("a not between date '2024-01-01' and timestamp '2024-01-01T00:00'", 37, "one kind", ""),
    ("a = 9223372036854775808", 5, "does not fit in 64 bits", "9.223372036854776e+18"),
    ("a = -9223372036854775809", 5, "does not fit in 64 bits", "float"),
    ("a = 1e999", 5, "beyond the largest float", "a exists"),
    ("a = 1.7976931348623159e308", 5, "beyond the largest float", ""),
    ("a = 1^1e999", 7, "a weight is at most 1,000,000,000, not `1e999`", "divide all weights"),
    ("a in (1, 2^1000000001)", 12, "a weight is at most 1,000,000,000", ""),
    ("a = 1^99999999999999999999", 7, "a weight is at most", ""),
    ("a = 1^1000000000.00000000000000001", 7, "a weight is at most", ""),
    ("a = 1^0.000000000100000000000000000001e19", 7, "a weight is at most", ""),
    ("a = 1^1e23", 7, "a weight is at most", ""),
    ("a = 1^-1e23", 7, "a weight is 0 or more", ""),
    ("a = 1^-2", 7, "a weight is 0 or more", ""),
    ("a = 1^-0.30000000000000004", 7, "a weight is 0 or more", ""),
    ("a > date '2024-1-31'", 10, "`'2024-1-31'` is not a date", "YYYY-MM-DD"),
    ("a > date '2023-02-29'", 10, "no day `'2023-02-29'`", ""),
    ("a > timestamp '2024-01-31'", 15, "is not a timestamp", "hh:mm"),
    ("a > timestamp '2024-01-31T25:00'", 15, "there is no time", ""),
    ("a > timestamp '0001-01-01T00:00+01:00'", 15, "there is no time", "UTC"),
]


@pytest.mark.parametrize(("text", "column", "message", "help"), SYNTAX_ERRORS)
def test_syntax_errors_say_where_and_what_to_do(text: str, column: int, message: str, help: str) -> None:
    error = error_of(text)
    assert type(error) is ExpressionSyntaxError
    assert error.position is not None
    assert (error.position.line, error.position.column) == (1, column)
    assert message in error.message
    assert help in error.help
    assert str(parse_all([text]).error(0)) == str(error)


@pytest.mark.parametrize(("text", "column", "message", "help"), VALUE_ERRORS)
def test_value_errors_say_where_and_what_to_do(text: str, column: int, message: str, help: str) -> None:
    error = error_of(text)
    assert type(error) is ExpressionValueError
    assert error.position is not None
    assert error.position.column == column
    assert message in error.message
    assert help in error.help
    assert str(parse_all([text]).error(0)) == str(error)


def test_every_parse_error_has_an_explanation() -> None:
    numbers = {value for name, value in vars(parse_errors).items() if name.isupper()}
    assert numbers - {parse_errors.NONE, parse_errors.NULL_TEXT} == set(diagnose._EXPLANATIONS)


def test_positions_count_characters_and_lines() -> None:
    error = error_of("a = '😀é' -- ü\n  and b = 'é' and and")
    assert error.position is not None
    assert (error.position.line, error.position.column) == (2, 19)
    assert str(error).splitlines()[1:4] == [
        "  line 2, column 19",
        "    |   and b = 'é' and and",
        "    | " + " " * 18 + "^",
    ]


def test_the_beginning_of_a_list_is_shown_from_where_the_error_is() -> None:
    assert "begins at column 6, 2 lines above" in error_of("a in (1,\n2,\n").help
    assert "begins at column 6, 1 line above" in error_of("a in (1\n or b").help
    assert "begins at column 2:" in error_of("a in\n (1,").help


def test_errors_can_be_sent_to_another_process() -> None:
    error = error_of("age in (1,")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("bomb", ["(" * 100_000, "not " * 100_000, "(" * 100_000 + "a" + ")" * 100_000])
def test_bombs_end_at_once(bomb: str) -> None:
    started = time.perf_counter()
    error = error_of(bomb)
    assert type(error) is LimitError
    assert "500 levels" in error.message
    assert "Limits(depth=…)" in error.help
    assert error.position is not None
    assert error.position.offset < 2_100
    assert time.perf_counter() - started < 10  # all of it would take far longer


def test_left_deep_chains_count_as_depth() -> None:
    text = "a" + " xor a xnor a" * 300
    error = error_of(text)
    assert "500 levels" in error.message
    assert error.position is not None
    assert text[error.position.offset :].startswith(("xor", "xnor"))
    assert parse(text, limits=Limits(depth=601)).depth == 601


@pytest.mark.parametrize("text", ["a" * 101, "\n" * 5_000_000, "é" * 51, "a = '" + "x" * 200 + "'", "a or " * 100_000])
def test_long_texts_end_at_once(text: str) -> None:
    error = error_of(text, Limits(length=100))
    assert type(error) is LimitError
    assert "100 bytes" in error.message
    assert error.position is not None
    assert error.position.offset <= 101
    assert len(error.text) < 400
    (bulk,) = parse_all([text], limits=Limits(length=100)).errors().values()
    assert bulk.message == error.message


@pytest.mark.parametrize("operator", ["in", "not in", "weak not in", "strong not in", "contains all"])
def test_set_size_is_bounded(operator: str) -> None:
    limits = Limits(set_size=3)
    assert len(parse(f"a {operator} (1, 2, 3)", limits=limits).members) == 3  # type: ignore[attr-defined]
    text = f"a {operator} (1, 2, 3, 4, 5)"
    error = error_of(text, limits)
    assert type(error) is LimitError
    assert error.position is not None
    assert text[error.position.offset] == "4"
    assert "limit of 3" in error.message


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
def test_depth_is_that_of_the_tree(depth: int) -> None:
    nested = "not " * (depth - 1) + "a"
    assert parse(nested, limits=Limits(depth=depth)).depth == depth
    assert type(error_of(f"not {nested}", Limits(depth=depth))) is LimitError
    assert parse("(" * depth + "a" + ")" * depth, limits=Limits(depth=depth)) == a
    assert type(error_of("(" * (depth + 1) + "a" + ")" * (depth + 1), Limits(depth=depth))) is LimitError


@given(st.one_of(strategies.expressions(20), strategies.deep_expressions(60)))
def test_what_is_as_deep_as_the_limit_parses_and_what_is_deeper_does_not(tree: Expression) -> None:
    text = canonical_text(tree)
    assert parse(text, limits=Limits(depth=tree.depth)) == tree
    if tree.depth > 1:
        assert type(error_of(text, Limits(depth=tree.depth - 1))) is LimitError


def test_an_expression_is_a_string() -> None:
    with pytest.raises(InputError, match="not int"):
        parse(5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not int"):
        parse_all(["a", 5])  # type: ignore[list-item]
    with pytest.raises(InputError, match="not int"):
        parse_all(["\ud800", 5])  # type: ignore[list-item]
    with pytest.raises(InputError, match="not int64"):
        parse_all(pa.array([1, 2]))


def test_parse_all_takes_half_a_surrogate_pair_beside_good_texts() -> None:
    batch = parse_all(["a", "", None, "a = '\ud800'", "b"])
    assert list(batch.errors()) == [1, 2, 3]
    assert "not valid Unicode" in str(batch.error(3))
    assert batch.tree(4) == b


def test_source_knows_where_each_node_is() -> None:
    text = "é = 1".replace("é", '"é"') + " or\n not (b and c not under 'x') xor d"
    source = parse_source(text)
    data = text.encode()
    found = [data[start:end].decode() for start, end in source.spans]
    assert len(found) == len(list(postorder(source.tree)))
    assert found == [
        '"é" = 1',
        "b",
        "c not under 'x'",
        "c not under 'x'",
        "b and c not under 'x'",
        "not (b and c not under 'x')",
        "d",
        "not (b and c not under 'x') xor d",
        text,
    ]
    position = source.position(1)
    assert (position.line, position.column) == (2, 7)
    assert source.tree == parse(text)
    assert source.text == text


def test_parse_all_reports_the_bad_and_keeps_the_good() -> None:
    batch = parse_all(["a = 1", "a =", None, "b in (1, 2)", "x < true"])
    assert len(batch) == 5
    assert list(batch.errors()) == [1, 2, 4]
    assert [type(error) for error in batch.errors().values()] == [
        ExpressionSyntaxError,
        ExpressionSyntaxError,
        ExpressionValueError,
    ]
    assert "null" in str(batch.error(2))
    assert batch.error(0) is None
    assert batch.tree(3) == In("b", (1, 2))
    assert batch.text(3) == "b in (1, 2)"
    assert np.diff(batch.outcome.node_offsets).tolist() == [1, 0, 0, 1, 0]
    assert np.diff(batch.outcome.operand_offsets).tolist() == [1, 0, 0, 2, 0]
    with pytest.raises(ExpressionSyntaxError):
        batch.tree(1)


def test_parse_all_takes_nulls_of_pandas() -> None:
    assert list(parse_all(pd.Series(["a", None, float("nan"), pd.NA, "b"], dtype=object)).errors()) == [1, 2, 3]


TEXTS = ["a = 1", "é", "b in ('é', 2.5^3) or c", "", "d"]


@pytest.mark.parametrize(
    "texts",
    [
        TEXTS,
        tuple(TEXTS),
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        pa.array(TEXTS).dictionary_encode(),
        pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
        pa.array(["x", *TEXTS, "y"])[1:-1],
        pa.array([text.encode() for text in TEXTS]),
    ],
    ids=lambda texts: str(getattr(texts, "type", type(texts).__name__)),
)
def test_parse_all_takes_strings_in_any_form(texts: pa.Array) -> None:
    batch = parse_all(texts)
    assert [batch.text(i) for i in range(len(batch))] == TEXTS
    assert list(batch.errors()) == [1, 3]
    assert batch.tree(2) == Or((In("b", ("é", 2.5), (1.0, 3.0)), IsTrue("c")))


@pytest.mark.parametrize("texts", [[], pa.array([], pa.string()), pa.chunked_array([], pa.string()), pa.nulls(2)])
def test_parse_all_takes_nothing(texts: pa.Array) -> None:
    assert len(parse_all(texts)) == len(texts)
    assert len(parse_all(texts).errors()) == len(texts)


def test_parse_all_refuses_bytes_that_are_no_text() -> None:
    batch = parse_all(pa.array([b"a = '\xff'", b"\xff", b"-- \xff\n a"]))
    assert [error and error.position for error in map(batch.error, range(3))][2] is None
    assert "not valid Unicode" in str(batch.error(0))
    assert list(batch.errors()) == [0, 1]


anything = st.one_of(
    strategies.any_expressions().map(canonical_text),
    strategies.any_expressions().map(canonical_text).flatmap(lambda t: st.integers(0, len(t)).map(lambda n: t[:n])),
    st.text(max_size=30),
    st.text("ab()'\"=<>,^-.0159 \nandornotinis", max_size=40),
)


@given(st.lists(st.one_of(st.none(), anything), max_size=6))
def test_one_by_one_and_all_at_once_agree(texts: list[str | None]) -> None:
    batch = parse_all(texts)
    errors = batch.errors()
    for i, text in enumerate(texts):
        if text is None:
            assert i in errors
            continue
        try:
            tree = parse(text)
        except EligoError as error:
            assert str(errors[i]) == str(error)
            assert (type(errors[i]), errors[i].__dict__) == (type(error), error.__dict__)
        else:
            assert i not in errors
            assert batch.tree(i) == tree


def test_many_texts_go_through_the_compiled_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a first guess that is far too low, so that the rows must grow, and with numbers that `float()` reads."""
    texts = [f"a{i} in (1, 2, 'x'^0.{i}0000000000000004) or x < {i}.30000000000000004" for i in range(500)] + ["a ="]
    expected = parse_all(texts)
    monkeypatch.setattr(parse_module, "COMPILED_FROM", 0)
    monkeypatch.setattr(parse_module, "FIRST_GUESS", 1000)
    found = parse_all(texts)
    assert [str(error) for error in found.errors().values()] == [str(error) for error in expected.errors().values()]
    for one, other in zip(found.postfix.columns(), expected.postfix.columns(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert found.tree(7) == parse(texts[7])
    assert sum(column.nbytes for column in found.postfix.columns()) < 20 * sum(map(len, texts))


def test_one_text_goes_through_the_compiled_parser_once_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        *(f"a{i} in (1, 2, 'x'^0.{i}0000000000000004) or not x < {i}.30000000000000004 and b.c" for i in range(5)),
        *("a =", "a and", "(a", "a)", "", "é = 'ü'", "'x", "a in (1, 2^-1)", "a = 99999999999999999999", "a < true"),
        "a xor b xnor " * 300 + "c",
        "not " * 499 + "a",
        "not " * 500 + "a",
        "a in (" + "1," * 1_990 + "1)",
    ]

    def outcomes() -> list[object]:
        found: list[object] = []
        for text in texts:
            try:
                found.append(parse_source(text))
            except EligoError as error:
                found.append((type(error), error.__dict__))
        return found

    monkeypatch.setattr(parse_module, "SHORT", -1)
    interpreted = outcomes()
    monkeypatch.undo()
    monkeypatch.setattr(parse_module, "COMPILED_FROM", 0)
    parse_all(["a"])
    assert outcomes() == interpreted
