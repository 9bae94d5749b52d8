"""SQL WHERE text: the tree of each form, agreement with SQLite, and clear errors for what has no meaning here."""

from __future__ import annotations

import sqlite3
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from eligo.errors import (
    ExpressionError,
    ExpressionSyntaxError,
    ExpressionValueError,
    InputError,
    LimitError,
    UnsupportedSqlError,
)
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import matches
from eligo.language.forms.sql import from_sql
from eligo.language.forms.sql_refusals import no_meaning
from eligo.language.limits import Limits
from eligo.language.tree import (
    And,
    Between,
    Comparison,
    Constant,
    Equals,
    Exists,
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
    WeakNotIn,
    Xor,
    distinct_nodes,
)
from strategies import expressions

A, B, C, D = (IsTrue(name) for name in "abcd")
DAY, MOMENT = date(2024, 1, 31), datetime(2024, 1, 31, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    "sql, tree",
    [
        ("a = 1", Equals("a", 1)),
        ("a == 1", Equals("a", 1)),
        ("a <> 1", NotEquals("a", 1)),
        ("a != -1.5", NotEquals("a", -1.5)),
        ("a < 1", Less("a", 1)),
        ("a <= 1", LessOrEqual("a", 1)),
        ("a > 1", Greater("a", 1)),
        ("a >= 1", GreaterOrEqual("a", 1)),
        ("1 = a", Equals("a", 1)),
        ("1 <> a", NotEquals("a", 1)),
        ("5 < a", Greater("a", 5)),
        ("5 <= a", GreaterOrEqual("a", 5)),
        ("5 > a", Less("a", 5)),
        ("5 >= a", LessOrEqual("a", 5)),
        ("a BETWEEN 1 AND 2", Between("a", 1, 2)),
        ("a NOT BETWEEN -1 AND 2.5", NotBetween("a", -1, 2.5)),
        ("a IN (1, -2, 'x')", In("a", (1, -2, "x"))),
        ("a IN ((1), 2)", In("a", (1, 2))),
        ("a NOT IN (1)", NotIn("a", (1,))),
        ("NOT a IN (1)", Not(In("a", (1,)))),
        ("a IS NULL", IsMissing("a")),
        ("a IS NOT NULL", Exists("a")),
        ("a LIKE 'x%'", StartsWith("a", "x")),
        ("a LIKE '%'", StartsWith("a", "")),
        ("a NOT LIKE 'x/y%'", Not(StartsWith("a", "x/y"))),
        ("a IS TRUE", A),
        ("a IS FALSE", Equals("a", False)),
        ("a IS NOT TRUE", WeakNotIn("a", (True,))),
        ("NOT a IS TRUE", WeakNotIn("a", (True,))),
        ("NOT (a IS TRUE AND b)", Not(And((Not(WeakNotIn("a", (True,))), B)))),
        ("a IS FALSE XOR b", Xor((Not(WeakNotIn("a", (False,))), B))),
        ("a = TRUE", Equals("a", True)),
        ("a", A),
        ("(((a)))", A),
        ("(a) = (5)", Equals("a", 5)),
        ("TRUE", Constant(True)),
        ("false or a", Or((Constant(False), A))),
        ("1 = 1 AND a", And((Constant(True), A))),
        ("1 > 2 OR 'x' = 1", Or((Constant(False), Constant(False)))),
        ("a = 'it''s'", Equals("a", "it's")),
        ("a = N'x'", Equals("a", "x")),
        ("a = ''", Equals("a", "")),
        ("a = 1e3", Equals("a", 1000)),
        ("a = .5", Equals("a", 0.5)),
        ("a = +5", Equals("a", 5)),
        ("a = -(-5)", Equals("a", 5)),
        ("a = -9223372036854775808", Equals("a", -(2**63))),
        ("a = 9007199254740993", Equals("a", 2**53 + 1)),
        ("a = DATE '2024-01-31'", Equals("a", DAY)),
        ("a = CAST('2024-01-31' AS DATE)", Equals("a", DAY)),
        ("a >= '2024-01-31'::date", GreaterOrEqual("a", DAY)),
        ("a = TIMESTAMP '2024-01-31 10:00:00'", Equals("a", MOMENT)),
        ("a = TIMESTAMP '2024-01-31T11:00:00+01:00'", Equals("a", MOMENT)),
        ("a = TIMESTAMP '2024-01-31'", Equals("a", datetime(2024, 1, 31, tzinfo=UTC))),
        ("a BETWEEN DATE '2024-01-31' AND DATE '2024-01-31'", Between("a", DAY, DAY)),
        ("t.a = 1", Equals("t.a", 1)),
        ('x.y.z."w v" = 1', Equals("x.y.z.w v", 1)),
        ("a.b.c.d.e.f = 1", Equals("a.b.c.d.e.f", 1)),
        ('"select" = 1', Equals("select", 1)),
        ("a AND b AND c", And((A, B, C))),
        ("a AND (b AND c)", And((A, And((B, C))))),
        ("(a AND b) AND c", And((And((A, B)), C))),
        ("a OR b AND c OR NOT d", Or((A, And((B, C)), Not(D)))),
        ("a XOR b XOR c", Xor((A, B, C))),
        ("a OR b XOR c AND d", Or((A, Xor((B, And((C, D))))))),
        ("NOT NOT a", Not(Not(A))),
        ("NOT (a OR b) AND c", And((Not(Or((A, B))), C))),
        ("a BETWEEN 1 AND 2 AND b", And((Between("a", 1, 2), B))),
        ("NOT a BETWEEN 1 AND 2 OR b", Or((Not(Between("a", 1, 2)), B))),
        ("a NOT BETWEEN 1 AND 2 AND b", And((NotBetween("a", 1, 2), B))),
        ("WHERE a = 1;", Equals("a", 1)),
        ("a = 1 -- why\n/* so */ AND b", And((Equals("a", 1), B))),
    ],
)
def test_tree_of_each_form(sql, tree):
    assert from_sql(sql) == tree


@pytest.mark.parametrize(
    "dialect, sql, tree",
    [
        ("mysql", '`a b` = "x" && b || c', Or((And((Equals("a b", "x"), B)), C))),
        ("mysql", "a XOR b AND c", Xor((A, And((B, C))))),
        ("mysql", "a = 'x\\'y'", Equals("a", "x'y")),
        ("spark", "((a = 18L) AND (`b` = DATE '2024-01-31'))", And((Equals("a", 18), Equals("b", DAY)))),
        ("spark", "a = CAST('2024-01-31' AS DATE)", Equals("a", DAY)),
        ("bigquery", "a = TIMESTAMP '2024-01-31 10:00:00'", Equals("a", MOMENT)),
        ("oracle", "a = DATE '2024-01-31'", Equals("a", DAY)),
        ("tsql", "[a b] = 1", Equals("a b", 1)),
        ("snowflake", "a NOT LIKE 'x%'", Not(StartsWith("a", "x"))),
    ],
)
def test_dialects(dialect, sql, tree):
    assert from_sql(sql, dialect=dialect) == tree


def test_unknown_dialect():
    with pytest.raises(InputError, match=r"'sparc' is not a dialect(.|\n)*Did you mean spark"):
        from_sql("a", dialect="sparc")


@pytest.mark.parametrize(
    "sql, message, column",
    [
        ("a IN (SELECT b FROM c)", "a query has no meaning", 7),
        ("SELECT a FROM b WHERE a = 1", "a query has no meaning", 1),
        ("EXISTS (SELECT 1)", "EXISTS has no meaning in SQL here", 1),
        ("a AND CASE WHEN b THEN c END", "CASE has no meaning", 7),
        ("a IN UNNEST(b)", "a subquery has no meaning", 13),
        ("a = 1 AND upper(b) = 'X'", "a function has no meaning", 11),
        ("a = CURRENT_DATE", "a function has no meaning", 1),
        ("a = date('2024-01-31')", "a function has no meaning", 5),
        ("a = 'x' || 'y'", "has no meaning", 5),
        ("a + 1 = 2", "arithmetic has no meaning", 1),
        ("a = 2 * 3", "arithmetic has no meaning", 5),
        ("-a = 1", "arithmetic has no meaning", 2),
        ("a & b", "arithmetic on bits has no meaning", 1),
        ("a = b", "two attributes cannot be compared", 5),
        ('a = "x"', "two attributes cannot be compared", 5),
        ("a BETWEEN b AND 5", "a literal must stand here", 11),
        ("a IN (1, b)", "a literal must stand here", 10),
        ("5 BETWEEN a AND 7", "an attribute must stand here", 1),
        ("5 IN (1, 2)", "an attribute must stand here", 1),
        ("5", "a literal alone has no meaning", 1),
        ("'x' AND a", "a literal alone has no meaning", 1),
        ("a LIKE 'x'", "LIKE can only say how a string begins(.|\n)*with =", 8),
        ("a LIKE '%x'", "LIKE can only say how a string begins", 8),
        ("a LIKE 'x_y%'", "LIKE can only say how a string begins", 8),
        ("a LIKE 'x%y%'", "LIKE can only say how a string begins", 8),
        ("a LIKE 'x\\%%'", "LIKE can only say how a string begins", 8),
        ("a LIKE 'x!%%' ESCAPE '!'", "the only pattern", 1),
        ("a LIKE 5", "LIKE takes a string", 8),
        ("a ILIKE 'x%'", "the only pattern", 1),
        ("a SIMILAR TO 'x'", "the only pattern", 1),
        ("a RLIKE 'x'", "the only pattern", 1),
        ("a = NULL", "nothing is equal to NULL(.|\n)*IS NULL", 5),
        ("a NOT IN (1, NULL)", "NULL in a list", 14),
        ("a IS DISTINCT FROM 1", "takes NULL for a value", 1),
        ("a <=> 1", "takes NULL for a value", 1),
        ("a = ?", "a parameter has no value", 5),
        ("a IN (1, :x)", "a parameter has no value", 10),
        ("@v = 1", "a parameter has no value", 1),
        ("a IS 5", "IS takes NULL, TRUE or FALSE", 1),
        ("a IN 5", "IN takes a list", 6),
        ("a BETWEEN SYMMETRIC 1 AND 2", "SYMMETRIC has no meaning", 1),
        ("(a, b) = (1, 2)", "a row of several attributes", 11),
        ("a[0] = 1", "a path into a value", 1),
        ("a -> 'b' = 1", "a path into a value", 1),
        ("a.* = 1", r"\* is not an attribute", 3),
        ("CAST(a AS DATE) = DATE '2024-01-31'", "a cast has no meaning", 6),
        ("a = CAST('5' AS INT)", "a cast has no meaning", 10),
        ("a = INTERVAL '1' DAY", "an interval is not a value", 14),
        ("a = ANY (ARRAY[1])", "ANY and ALL have no meaning", 16),
    ],
)
def test_what_has_no_meaning_here(sql, message, column):
    with pytest.raises(UnsupportedSqlError, match=message) as caught:
        from_sql(sql)
    assert caught.value.position.column == column


@pytest.mark.parametrize(
    "sql, message, column",
    [
        ("", "expected a condition, found the end of the text", 1),
        ("a AND", "expected a condition, found the end of the text", 6),
        ("AND a", "expected a condition, found 'AND'", 1),
        ("a OR OR b", "expected a condition, found 'OR'", 6),
        ("NOT", "expected a condition", 4),
        ("()", r"expected a condition, found '\)'", 2),
        ("a AND (b OR )", r"expected a condition, found '\)'", 13),
        ("(a = 1", r"this '\(' is never closed", 1),
        ("a = 1)", r"nothing opens this '\)'", 6),
        ("a IN (1]", r"nothing opens this '\]'", 8),
        ("a = 1 b = 2", "'b' is not expected here", 7),
        ("a b", "'b' is not expected here", 3),
        ("a = = 1", "the condition is not complete at '='", 5),
        ("a =", "the condition is not complete at '='", 3),
        ("a && b", "'&&' is not expected here\n(.|\n)*write AND", 3),
        ("!a", "'!' is not used here(.|\n)*write NOT", 1),
        ("`a` = 1", "(.|\n)*backquotes` need a dialect", 2),
        ("a = 'x", "this ' is never closed", 5),
        ('"a', 'this " is never closed', 1),
        ("a = 1 /* x", "a string, a name or a comment is never closed", 11),
        ("a = 1; b = 2", "more than one statement", 6),
        ("a = 0x1F", "not expected here", 6),
    ],
)
def test_syntax_errors(sql, message, column):
    with pytest.raises(ExpressionSyntaxError, match=message) as caught:
        from_sql(sql)
    assert caught.value.position.column == column


@pytest.mark.parametrize(
    "sql, message, column",
    [
        ("a = 9223372036854775808", "does not fit in 64 bits", 5),
        ("a IN (1, 1e400)", "an infinite number", 10),
        ("a < TRUE", "true and false have no order", 5),
        ("a BETWEEN 1 AND 'x'", "needs two operands of one kind", 11),
        ("a = DATE '2024-02-30'", "not a day of the calendar", 10),
        ("a = TIMESTAMP 'noon'", "'noon' is not a timestamp", 15),
        ('"" = 1', "an attribute's name", 1),
    ],
)
def test_values_that_cannot_be(sql, message, column):
    with pytest.raises(ExpressionValueError, match=message) as caught:
        from_sql(sql)
    assert caught.value.position.column == column


def test_errors_point_into_their_line():
    with pytest.raises(UnsupportedSqlError) as caught:
        from_sql("a = 1\n  AND f(b) = 2")
    assert str(caught.value).startswith(
        "a function has no meaning here\n  line 2, column 7\n    |   AND f(b) = 2\n    |       ^\n  help: "
    )


def test_bounds():
    limits = Limits(length=100, depth=3, set_size=2)
    assert from_sql("((NOT a))", limits=limits) == Not(A)
    with pytest.raises(LimitError, match="nested more than 3 deep"):
        from_sql("((NOT (a)))", limits=limits)
    assert from_sql("(a) AND (NOT (b)) AND ((c)) AND NOT d", limits=limits).depth == 3
    with pytest.raises(LimitError, match="nested more than 3 deep"):
        from_sql("a AND b OR c XOR NOT d", limits=limits)
    with pytest.raises(LimitError, match="3 values, more than 2"):
        from_sql("a IN (1, 2, 3)", limits=limits)
    with pytest.raises(LimitError, match="101 bytes, more than 100"):
        from_sql(" " * 101, limits=limits)


@pytest.mark.parametrize(
    "sql",
    [
        "(" * 20_000,
        "(" * 20_000 + "a" + ")" * 20_000,
        "NOT " * 20_000 + "a",
        "NOT (" * 20_000 + "a" + ")" * 20_000,
        "a = " + "- " * 20_000 + "1",
        "a = " + "(" * 100 + "1" + ")" * 100,
        "f(" * 400 + "a" + ")" * 400,
        "a[" * 400 + "1" + "]" * 400,
        "a -> " * 400 + "b",
        "INTERVAL " * 400 + "1",
    ],
    ids=lambda sql: sql[:12],
)
def test_bombs_are_limit_errors(sql):
    with pytest.raises(LimitError):
        from_sql(sql)


def test_nesting_that_sqlglot_alone_cannot_read():
    sql, tree = "a", A
    for _ in range(400):
        sql, tree = f"({sql} AND b)", And((tree, B))
    assert from_sql(sql) == tree


def test_long_chains_are_one_node():
    assert len(from_sql(" OR ".join(["a = 1"] * 500)).children) == 500


def _in_sql(tree):
    """The tree without what SQL cannot say: its other predicates are bare attributes, and weights are 1."""
    made = {}
    for node in distinct_nodes(tree):
        if isinstance(node, Equals | Comparison):
            made[id(node)] = type(node)(node.attribute, node.value)
        elif isinstance(node, Between):
            made[id(node)] = Between(node.attribute, node.low, node.high)
        elif isinstance(node, In):
            made[id(node)] = In(node.attribute, node.members)
        elif isinstance(node, NotEquals | NotBetween | NotIn | Constant):
            made[id(node)] = node
        elif isinstance(node, Not):
            made[id(node)] = Not(made[id(node.operand)])
        elif node.children:
            kind = type(node) if isinstance(node, And | Or) else Xor
            made[id(node)] = kind(tuple(made[id(child)] for child in node.children))
        else:
            made[id(node)] = IsTrue(node.attribute)
    return made[id(tree)]


@given(expressions(max_leaves=6).map(_in_sql))
def test_what_both_languages_can_say_is_one_tree(tree):
    assert from_sql(canonical_text(tree)) == tree


CONDITIONS = st.sampled_from(
    [
        *("a = 1", "b <> 2", "1 < a", "a >= 0", "b BETWEEN 0 AND 1", "a NOT BETWEEN 1 AND 2", "a IN (0, 2)"),
        *("b NOT IN (1)", "a IS NULL", "b IS NOT NULL", "NOT a IS NULL", "c", "NOT d", "c = TRUE", "c IS TRUE"),
        *("c IS NOT TRUE", "d IS FALSE", "d IS NOT FALSE", "NOT c IS TRUE", "TRUE", "FALSE", "1 = 1"),
        *(
            "(a = 1) IS TRUE",
            "(a = 1) IS NOT TRUE",
            "(b <> 2) IS FALSE",
            "(a IN (0, 2)) IS NOT FALSE",
            "(a = 1) IS NULL",
        ),
        *(
            "(a = 1 AND b = 2) IS TRUE",
            "(a = 1 OR NOT c) IS FALSE",
            "(a = 1 OR c) IS NOT NULL",
            "(NOT (c AND d)) IS NULL",
        ),
    ]
)
WHERES = st.recursive(
    CONDITIONS,
    lambda below: (
        st.builds("({} {} {})".format, below, st.sampled_from(("AND", "OR")), below)
        | st.builds("NOT ({})".format, below)
        | st.builds("{} {} {}".format, below, st.sampled_from(("AND", "OR")), below)
    ),
    max_leaves=8,
)
NUMBERS, BOOLEANS = st.sampled_from((None, 0, 1, 2)), st.sampled_from((None, True, False))
ROWS = st.fixed_dictionaries({"a": NUMBERS, "b": NUMBERS, "c": BOOLEANS, "d": BOOLEANS})


@given(WHERES, ROWS)
def test_sqlite_selects_the_same_rows(where, row):
    connection = sqlite3.connect(":memory:")
    columns = ", ".join(f":{name} AS {name}" for name in row)
    selected = connection.execute(f"SELECT 1 FROM (SELECT {columns}) WHERE {where}", row).fetchone()
    connection.close()
    assert matches(from_sql(where), row, "unknown") is (selected is not None)


FRAGMENTS = (Path(__file__).parents[2] / "fixtures" / "sql" / "fragments.txt").read_text().splitlines()
DIALECTS = [None, "spark", "postgres", "mysql", "bigquery", "duckdb", "tsql", "sqlite", "clickhouse"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_fragment_is_read_or_refused_with_its_place(dialect):
    for fragment in FRAGMENTS:
        try:
            assert from_sql(fragment, dialect=dialect).depth
        except ExpressionError as error:
            assert error.position is not None, fragment
            wrong = type(error) is UnsupportedSqlError and "arithmetic" in error.message
            assert not wrong or any(sign in fragment for sign in "+-*/%&|^~#<>") or " DIV " in fragment, fragment


def test_conditions_are_never_called_something_else():
    """Every kind of condition that sqlglot knows, where a value was expected."""
    for kind in _subclasses(exp.Predicate) | _subclasses(exp.Connector):
        message, help = no_meaning(kind())
        assert "arithmetic" not in message
        assert message != "this has no meaning here"
        assert help


def _subclasses(kind):
    return {kind, *(below for child in kind.__subclasses__() for below in _subclasses(child))} - {
        *(exp.Predicate, exp.SubqueryPredicate, exp.Connector)
    }


def test_the_same_at_the_end_of_is():
    assert from_sql("(a = 1) IS TRUE") == Equals("a", 1)
    assert from_sql("NOT (a = 1) IS TRUE") == Not(And((Equals("a", 1), Exists("a"))))
    assert from_sql("(a = 1) IS UNKNOWN") == IsMissing("a")
    with pytest.raises(UnsupportedSqlError, match="IN takes a list"):
        from_sql("a IN")
