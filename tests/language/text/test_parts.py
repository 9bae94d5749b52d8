"""Which quantified part does a text give, and what does a text that gives none say?"""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from eligo.errors import ExpressionError, ExpressionSyntaxError, ExpressionValueError, LimitError
from eligo.language.canonical import canonical_text
from eligo.language.duration import duration_text, parse_duration
from eligo.language.limits import Limits
from eligo.language.quantified import Joined, OfDocument, Quantified
from eligo.language.text.parse import parse, parse_all, parse_source
from eligo.language.tree import And, Equals, Exists, Expression, Greater, In, IsTrue, Not, Or, WeakNotIn, postorder

PRICE = Joined("price", "<", "price")
NEW = OfDocument(IsTrue("new"))

TREES: dict[str, Expression] = {
    "exists d (price < d.price)": Quantified("exists", PRICE),
    "EXISTS d(price<d.price)": Quantified("exists", PRICE),
    "exists other (other.price > price)": Quantified("exists", PRICE),
    "exists d (d.price >= price)": Quantified("exists", Joined("price", "<=", "price")),
    "exists d (d.price < price)": Quantified("exists", Joined("price", ">", "price")),
    "exists d (d.price != price)": Quantified("exists", Joined("price", "!=", "price")),
    "forall d (year > d.year)": Quantified("forall", Joined("year", ">", "year")),
    "exists d in last 1000 (d.new)": Quantified("exists", NEW, 1000),
    "exists d in last 1e3 (d.new)": Quantified("exists", NEW, 1000),
    "exists d in last '7 days' (d.new)": Quantified("exists", NEW, timedelta(days=7)),
    "exists d in last '1 HOUR, 30 minutes' (d.new)": Quantified("exists", NEW, timedelta(minutes=90)),
    "exists d (d.a.b > 10 and a.b = 1)": Quantified("exists", And((OfDocument(Greater("a.b", 10)), Equals("a.b", 1)))),
    'exists d ("d" = d."say ""x""")': Quantified("exists", Joined("d", "=", 'say "x"')),
    'exists d ("d.a" = 1 or d.a = 1)': Quantified("exists", Or((Equals("d.a", 1), OfDocument(Equals("a", 1))))),
    "exists d (dd.a = 1 and d.a)": Quantified("exists", And((Equals("dd.a", 1), OfDocument(IsTrue("a"))))),
    "exists d (d.in in (1))": Quantified("exists", OfDocument(In("in", (1,)))),
    "exists d (date = d.date and d.at = timestamp)": Quantified(
        "exists", And((Joined("date", "=", "date"), Joined("timestamp", "=", "at")))
    ),
    "exists d (d.x not starts with 'a' and not d.new)": Quantified(
        "exists",
        And((Not(OfDocument(parse("x starts with 'a'"))), Not(NEW))),  # type: ignore[arg-type]
    ),
    "not exists d (d.new) and a or forall x (x.new)": Or(
        (And((Not(Quantified("exists", NEW)), IsTrue("a"))), Quantified("forall", NEW))
    ),
    "exists weak (weak.new)": Quantified("exists", NEW),
    "forall": IsTrue("forall"),
    "forall exists and FORALL = 1": And((Exists("forall"), Equals("FORALL", 1))),
    "forall weak not in (1)": WeakNotIn("forall", (1,)),
    "(forall)": IsTrue("forall"),
    "forall forall (forall.new)": Quantified("forall", NEW),
}


@pytest.mark.parametrize("text", TREES)
def test_texts_of_parts(text: str) -> None:
    assert parse(text) == TREES[text]
    assert parse_all([text]).tree(0) == TREES[text]


@given(strategies.any_expressions_with_parts())
def test_the_canonical_text_gives_the_tree_back(tree: Expression) -> None:
    assert parse(canonical_text(tree)) == tree


def test_places_of_a_part_and_of_its_body() -> None:
    source = parse_source("a and exists d (price < d.price or not d.new) and b")
    assert [source.text[slice(*span)] for span in source.spans] == [
        "a",
        "exists d (price < d.price or not d.new)",
        "b",
        "a and exists d (price < d.price or not d.new) and b",
    ]
    assert list(source.bodies) == [1]
    body = [source.text[slice(*span)] for span in source.bodies[1]]
    assert body == ["price < d.price", "d.new", "not d.new", "price < d.price or not d.new"]
    assert source.position(1, 1).column == 40
    assert len(list(postorder(source.tree))) == len(source.spans)


ERRORS: dict[str, tuple[int, str, str]] = {
    "exists": (7, "expected a name for the document after `exists`, found the end", "write exists d (price"),
    "exists (price < d.price)": (8, "expected a name for the document", "name the document: exists d"),
    "exists d.price > 3": (8, "expected a name for the document", "has no dots: exists d (d.price"),
    "exists = 3": (8, "expected a name for the document", 'an attribute of that name is written "exists"'),
    'exists "a"': (8, "expected a name for the document", '"a" exists'),
    "a and exists && b": (14, "expected a name for the document", "write `and`"),
    "exists d": (9, "expected `(` after `exists d`", "write d exists"),
    "forall d": (9, "expected `(` after `forall d`", "stands in parentheses: forall d (price < d.price)"),
    "exists d price < d.price": (10, "expected `(` after `exists d`, found `price`", "stands in parentheses"),
    "exists d last 5 (d.x)": (10, "expected `(` after `exists d`", "exists d in last 1000 (…)"),
    "exists d in last 5": (19, "expected `(` after `exists d`", "write d exists"),
    "forall d in 5 (d.x)": (13, "expected last after `in`, found `5`", "write forall d in last 1000"),
    "exists d in last (d.x)": (18, "expected a number of documents or a length of time", "in last 1000, or"),
    "exists d in last days (d.x)": (18, "expected a number of documents or a length of time", "write '1 day'"),
    "exists d in last 0 (d.x)": (18, "`in last` 0 is never about any document", "in last 1000"),
    "exists d in last '0 days' (d.x)": (18, "`in last` '0 days' is never about", "in last '7 days'"),
    "exists d in last -1 (d.x)": (18, "takes a whole number of documents, at least 1, not `-1`", "in last 1000"),
    "exists d in last 1.5 (d.x)": (18, "takes a whole number of documents", "in last 1000"),
    "exists d in last 99999999999999999999 (d.x)": (18, "takes a whole number of documents", "in last 1000"),
    "exists d in last '7 dais' (d.x)": (18, "`'7 dais'` is not a length of time", "units: week, day"),
    "exists d in last '' (d.x)": (18, "`''` is not a length of time", "write '7 days'"),
    "exists d in last '9999999999999 weeks' (d.x)": (18, "is too long a time", "leave it out"),
    "exists d (price < 3)": (10, "nothing between the parentheses of `exists d`", "price < d.price"),
    "exists d (true)": (10, "nothing between the parentheses", "stands outside"),
    "exists d (d)": (11, "`d` is the document, not an attribute", 'd.price for its attribute, or "d" in quotes'),
    "exists d (d.price > d)": (21, "`d` is the document, not an attribute", "d.price"),
    "exists d (price < cost and d.x)": (19, "`price` and `cost` are both the event's", "write d.cost"),
    'exists d (price < "d.x")': (19, "are both the event's", "one side is the document's"),
    "exists d (price < D.price)": (19, "are both the event's", "the document is called `d`: write d.price"),
    "exists d (price = null and d.x)": (19, "are both the event's", "write price is missing"),
    "exists d (d.a < d.b)": (17, "`d.a` and `d.b` are both the document's", "price < d.price"),
    "price < d.price": (9, "expected a value, found `d.price`", "exists d (… d.price)"),
    "price < cost": (9, "expected a value, found `cost`", "did you mean 'cost'?"),
    "exists d (p between d.a and d.b)": (21, "the ends of `between` are values", "p >= d.low and p <= d.high"),
    "exists d (d.p between 1 and p)": (29, "the ends of `between` are values", "d.p >= d.low"),
    "exists d (p in (1, d.a))": (20, "a list holds values", "write p = d.a or …"),
    "exists d (p in (CA) and d.x)": (17, "expected a value, found `CA`", "did you mean 'CA'?"),
    "exists d (d.x and exists e (e.x))": (19, "cannot stand in the part that begins at column 1", "close that part"),
    "exists d (d.x": (10, "this `(` is never closed", "add `)`"),
    "exists d (d.x))": (15, "this `)` closes nothing", "remove it"),
    "exists d ()": (11, "expected an expression", "may be empty"),
    "exists d (price < d.price^2)": (26, "a weight cannot stand here", "give it once"),
    'exists d (price < d."")': (19, "cannot be empty", ""),
    'exists d (price < d."a': (19, "this name is never closed", 'add " at its end'),
    '"@exists d (d.x)"': (1, "is the name of a quantified part", "write exists d (d.x) without quotes"),
    'exists d (d."@forall x" = 1)': (11, "is the name of a quantified part", "rename the attribute"),
}


@pytest.mark.parametrize("text", ERRORS)
def test_what_is_no_part_says_why_and_where(text: str) -> None:
    column, message, help = ERRORS[text]
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.position is not None
    assert (caught.value.position.line, caught.value.position.column) == (1, column)
    assert message in caught.value.message
    assert help in (caught.value.help or "")
    batch = parse_all(["exists d (d.x)", text, "a"])
    assert list(batch.errors()) == [1]
    assert str(batch.errors()[1]) == str(caught.value)


def test_classes_of_errors() -> None:
    for text, kind in {
        "exists d (d)": ExpressionSyntaxError,
        "exists d in last 0 (d.x)": ExpressionValueError,
        "exists d in last 'x' (d.x)": ExpressionValueError,
    }.items():
        with pytest.raises(kind):
            parse(text)


def test_a_body_counts_for_the_depth() -> None:
    text = "a or exists d (d.x and (d.y or not d.z))"
    assert parse(text).depth == 6
    assert parse(text, limits=Limits(depth=6)) == parse(text)
    with pytest.raises(LimitError, match="nested deeper"):
        parse(text, limits=Limits(depth=5))
    with pytest.raises(LimitError, match="nested deeper"):
        parse("exists d (d.x)", limits=Limits(depth=1))


@given(st.text(st.sampled_from("0123456789 ,dayhourswekmint\t"), max_size=20) | st.sampled_from(["1 day", "2 WEEKS"]))
def test_lengths_of_time_are_read_alike(text: str) -> None:
    try:
        expected: timedelta | None = parse_duration(text)
    except ExpressionValueError:
        expected = None
    part = parse_all([f"exists d in last '{text}' (d.x)"])
    assert (part.outcome.error[0] == 0) == (expected is not None)
    if expected is not None:
        assert part.tree(0) == Quantified("exists", OfDocument(IsTrue("x")), expected)


@given(st.timedeltas(min_value=timedelta(microseconds=1), max_value=timedelta(microseconds=2**62 - 1)))
def test_the_text_of_a_length_of_time_gives_it_back(time: timedelta) -> None:
    assert parse_duration(duration_text(time)) == time
    assert parse(f"exists d in last '{duration_text(time)}' (d.x)") == Quantified(
        "exists", OfDocument(IsTrue("x")), time
    )
