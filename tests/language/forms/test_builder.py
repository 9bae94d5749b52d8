"""The Python builder: every operator and method gives the tree of the text, and Python's traps give clear errors."""

from __future__ import annotations

import operator
from datetime import date

import pytest

from eligo.errors import ExpressionValueError
from eligo.language.forms.builder import all_of, any_of, col, weighted, xnor
from eligo.language.tree import (
    FALSE,
    TRUE,
    And,
    Between,
    ContainsAll,
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
    StrongNotIn,
    Under,
    WeakNotIn,
    Xnor,
    Xor,
)

a, b, c = col("a"), col("b"), col("c")
DAY = date(2024, 1, 31)


@pytest.mark.parametrize(
    "built, tree, text",
    [
        (a == 1, Equals("a", 1), "a = 1"),
        (a == weighted("x", 3), Equals("a", "x", 3), "a = 'x'^3"),
        (1 == a, Equals("a", 1), "a = 1"),  # noqa: SIM300
        (a != "it's", NotEquals("a", "it's"), "a != 'it''s'"),
        (a < 5, Less("a", 5), "a < 5"),
        (a <= weighted(5, 0.5), LessOrEqual("a", 5, 0.5), "a <= 5^0.5"),
        (a > 5, Greater("a", 5), "a > 5"),
        (5 < a, Greater("a", 5), "a > 5"),  # noqa: SIM300
        (a >= DAY, GreaterOrEqual("a", DAY), "a >= date '2024-01-31'"),
        (a.between(1, 2), Between("a", 1, 2), "a between 1 and 2"),
        (a.between(1, 2, weight=3), Between("a", 1, 2, 3), "a between 1 and 2^3"),
        (a.not_between(1, 2), NotBetween("a", 1, 2), "a not between 1 and 2"),
        (a.in_("x", "y"), In("a", ("x", "y")), "a in ('x', 'y')"),
        (a.in_(["x", "y"]), In("a", ("x", "y")), "a in ('x', 'y')"),
        (a.in_("xy"), In("a", ("xy",)), "a in ('xy')"),
        (a.in_(), In("a", ()), "a in ()"),
        (a.in_([]), In("a", ()), "a in ()"),
        (a.in_(i for i in range(2)), In("a", (0, 1)), "a in (0, 1)"),
        (a.isin([weighted("x", 3), "y"]), In("a", ("x", "y"), (3, 1)), "a in ('x'^3, 'y')"),
        (a.not_in(1, 2), NotIn("a", (1, 2)), "a not in (1, 2)"),
        (a.weak_not_in([1, 2]), WeakNotIn("a", (1, 2)), "a weak not in (1, 2)"),
        (a.strong_not_in(1), StrongNotIn("a", (1,)), "a strong not in (1)"),
        (a.contains_all(1, weighted(2, 2)), ContainsAll("a", (1, 2), (1, 2)), "a contains all (1, 2^2)"),
        (a.starts_with("x"), StartsWith("a", "x"), "a starts with 'x'"),
        (a.under("x/y", weight=2), Under("a", "x/y", 2), "a under 'x/y'^2"),
        (a.under("x", "y"), Under("a", ("x", "y")), "a under ('x', 'y')"),
        (a.under(["x", weighted("y", 3)], weight=2), Under("a", ("x", "y"), (2, 3)), "a under ('x'^2, 'y'^3)"),
        (a.under([]), Under("a", ()), "a under ()"),
        (a.exists(), Exists("a"), "a exists"),
        (a.is_missing(), IsMissing("a"), "a is missing"),
        (a.is_true(), IsTrue("a"), "a"),
        (col("user.age") == 1, Equals("user.age", 1), "user.age = 1"),
        (col("not") == 1, Equals("not", 1), '"not" = 1'),
        (a & b & c, And((IsTrue("a"), IsTrue("b"), IsTrue("c"))), "a and b and c"),
        (a & (b & c), And((IsTrue("a"), IsTrue("b"), IsTrue("c"))), "a and b and c"),
        (a | (b == 1), Or((IsTrue("a"), Equals("b", 1))), "a or b = 1"),
        ((a == 1) | b, Or((Equals("a", 1), IsTrue("b"))), "a = 1 or b"),
        (a ^ b, Xor((IsTrue("a"), IsTrue("b"))), "a xor b"),
        ((a == 1) ^ b, Xor((Equals("a", 1), IsTrue("b"))), "a = 1 xor b"),
        (~a, Not(IsTrue("a")), "not a"),
        (~(a == 1), Not(Equals("a", 1)), "not a = 1"),
        (a & b | c, Or((And((IsTrue("a"), IsTrue("b"))), IsTrue("c"))), "a and b or c"),
        (a & (b | c), And((IsTrue("a"), Or((IsTrue("b"), IsTrue("c"))))), "a and (b or c)"),
        (xnor(a, b == 1, c), Xnor((IsTrue("a"), Equals("b", 1), IsTrue("c"))), "a xnor b = 1 xnor c"),
        (all_of(a, b == 1), And((IsTrue("a"), Equals("b", 1))), "a and b = 1"),
        (all_of([a & b, c]), And((And((IsTrue("a"), IsTrue("b"))), IsTrue("c"))), "(a and b) and c"),
        (
            any_of(a == i for i in range(3)),
            Or((Equals("a", 0), Equals("a", 1), Equals("a", 2))),
            "a = 0 or a = 1 or a = 2",
        ),
        (all_of(a), IsTrue("a"), "a"),
        (all_of(), TRUE, "true"),
        (any_of([]), FALSE, "false"),
        (
            col("age").between(18, 24) & ~(col("device") == "tv"),
            And((Between("age", 18, 24), Not(Equals("device", "tv")))),
            "age between 18 and 24 and not device = 'tv'",
        ),
    ],
    ids=repr,
)
def test_built_tree_and_its_text(built, tree, text):
    assert built == tree
    assert repr(built) == text


def test_repr_of_a_column():
    assert repr(col("user.age")) == "col('user.age')"


@pytest.mark.parametrize(
    "combine",
    [
        lambda: 1 < a < 5,
        lambda: (a == 1) and (b == 2),
        lambda: a or b,
        lambda: not (a == 1),  # noqa: SIM201
        lambda: not a,
        lambda: a in [1],
        lambda: bool(a),
    ],
)
def test_python_truth_is_refused(combine):
    with pytest.raises(TypeError, match=r"combine with & \| \^ ~.*for a range use between"):
        combine()


@pytest.mark.parametrize("combine", [operator.and_, operator.or_, operator.xor])
@pytest.mark.parametrize("node", [a, a == 1], ids=repr)
def test_forgotten_parentheses_are_explained(combine, node):
    for left, right in ((1, node), (node, 1)):
        with pytest.raises(
            ExpressionValueError, match="1 is not an expression\n  help: wrap comparisons in parentheses"
        ):
            combine(left, right)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: col(""), "an attribute's name is a string that is not empty"),
        (lambda: col(5), "an attribute's name is a string"),
        (lambda: a == b, r"col\('b'\) is not a value\n  help: an attribute is compared with a value"),
        (lambda: a.in_(1, b), r"col\('b'\) is not a value"),
        (lambda: a == (b == 1), "b = 1 is not a value"),
        (lambda: a == None, r"None is not a value\n  help: use is_missing\(\)"),  # noqa: E711
        (lambda: a == float("nan"), "NaN is not a value"),
        (lambda: a == [1], "list is not a kind of value"),
        (lambda: a != weighted(1, 2), "'!=' takes no weights"),
        (lambda: a.not_in(weighted(1, 2)), "'not in' takes no weights"),
        (lambda: a == weighted(1, -2), "a weight is a number from 0 to"),
        (lambda: a < True, "true and false have no order"),
        (lambda: a.between(1, "x"), "needs two operands of one kind"),
        (lambda: a.starts_with(5), "'starts with' takes a string"),
        (lambda: xnor(a), "Xnor needs two nodes or more"),
        (lambda: all_of(a, 5), "5 is not an expression"),
    ],
)
def test_what_cannot_be_built(make, message):
    with pytest.raises(ExpressionValueError, match=message):
        make()


def test_a_column_is_no_key():
    with pytest.raises(TypeError, match="unhashable"):
        {a}  # noqa: B018
