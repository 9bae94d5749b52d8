"""The JSON form: one object a node, the published schema, errors that name the place, and any depth."""

from __future__ import annotations

import json
import sys
from datetime import UTC, date, datetime

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import ExpressionValueError, JsonFormError, LimitError
from eligo.language.forms.json_form import dumps, from_json, loads, schema, to_json
from eligo.language.forms.json_text import _Reader, _written, read_json, write_json
from eligo.language.limits import Limits
from eligo.language.moment import parse_date, parse_timestamp
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.text.kernels import parse_errors
from eligo.language.text.kernels.times import decode_date, decode_timestamp
from eligo.language.tree import (
    TRUE,
    And,
    Between,
    ContainsAll,
    Equals,
    Exists,
    In,
    IsMissing,
    IsTrue,
    Less,
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
from strategies import any_expressions, any_expressions_with_parts, deep_expressions, expressions

VALIDATOR = jsonschema.Draft202012Validator(schema())
A = Exists("a")
DAY_1, DAY_31 = {"date": "2024-01-01"}, {"date": "2024-01-31"}
A_JSON = {"attribute": "a", "operator": "exists"}


@pytest.mark.parametrize(
    "tree, document",
    [
        (TRUE, {"constant": True}),
        (And((A, A, A)), {"and": [A_JSON, A_JSON, A_JSON]}),
        (Or((A, A)), {"or": [A_JSON, A_JSON]}),
        (Xor((A, A)), {"xor": [A_JSON, A_JSON]}),
        (Xnor((A, A)), {"xnor": [A_JSON, A_JSON]}),
        (Not(A), {"not": A_JSON}),
        (Equals("a.b", True), {"attribute": "a.b", "operator": "=", "value": True}),
        (Equals("a", 1, 2.5), {"attribute": "a", "operator": "=", "value": 1, "weight": 2.5}),
        (NotEquals("a", "x"), {"attribute": "a", "operator": "!=", "value": "x"}),
        (Less("a", 2.5, 3), {"attribute": "a", "operator": "<", "value": 2.5, "weight": 3}),
        (Between("a", 1, 2), {"attribute": "a", "operator": "between", "low": 1, "high": 2}),
        (
            NotBetween("a", date(2024, 1, 1), date(2024, 1, 31)),
            {
                "attribute": "a",
                "operator": "not between",
                "low": {"date": "2024-01-01"},
                "high": {"date": "2024-01-31"},
            },
        ),
        (
            In("a", ("CA", "NY"), (3, 1)),
            {"attribute": "a", "operator": "in", "values": [{"value": "CA", "weight": 3}, "NY"]},
        ),
        (NotIn("a", ()), {"attribute": "a", "operator": "not in", "values": []}),
        (WeakNotIn("a", (1,)), {"attribute": "a", "operator": "weak not in", "values": [1]}),
        (StrongNotIn("a", (1,)), {"attribute": "a", "operator": "strong not in", "values": [1]}),
        (
            ContainsAll("a", (datetime(2024, 1, 31, 10, tzinfo=UTC),)),
            {"attribute": "a", "operator": "contains all", "values": [{"timestamp": "2024-01-31T10:00:00Z"}]},
        ),
        (StartsWith("a", "x"), {"attribute": "a", "operator": "starts with", "value": "x"}),
        (Under("a", "x/y", 2), {"attribute": "a", "operator": "under", "value": "x/y", "weight": 2}),
        (Under("a", "x/y"), {"attribute": "a", "operator": "under", "value": "x/y"}),
        (Under("a", ()), {"attribute": "a", "operator": "under", "values": []}),
        (
            Under("a", ("x", "y"), (2, 1)),
            {"attribute": "a", "operator": "under", "values": [{"value": "x", "weight": 2}, "y"]},
        ),
        (IsMissing("a"), {"attribute": "a", "operator": "is missing"}),
        (IsTrue("a"), {"attribute": "a", "operator": "is true"}),
    ],
    ids=repr,
)
def test_form_of_each_node(tree, document):
    assert to_json(tree) == document
    assert from_json(document) == tree
    VALIDATOR.validate(document)


@given(any_expressions() | any_expressions_with_parts())
def test_round_trip_through_objects_text_and_schema(tree):
    document = to_json(tree)
    VALIDATOR.validate(document)
    assert from_json(document) == tree
    assert loads(dumps(tree)) == tree
    assert loads(dumps(tree, indent=2)) == tree


@given(expressions())
def test_equal_trees_have_equal_texts(tree):
    assert dumps(loads(dumps(tree))) == dumps(tree)


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(schema())


EQUALS = {"attribute": "a", "operator": "=", "value": 1}

# Document, what the error says, and whether the schema can see it too.
WRONG = [
    (None, r"\$: a node is an object, not null", True),
    ([], r"\$: a node is an object, not an empty list", True),
    (True, r"\$: a node is an object, not true", True),
    ({}, r"\$: a node has one of these keys only", True),
    ({"adn": [A_JSON, A_JSON]}, r"'adn' is not a kind of node\n  help: did you mean `and`\?", True),
    ({"and": [A_JSON, A_JSON], "or": [A_JSON, A_JSON]}, r"\$: a node has one of these keys only", True),
    ({"and": [A_JSON]}, r"\$\.and: 'and' takes a list of two nodes or more, not a list of 1", True),
    ({"and": A_JSON}, r"\$\.and: 'and' takes a list of two nodes or more", True),
    ({"and": [A_JSON, {"not": {"or": [A_JSON, 5]}}]}, r"\$\.and\[1\]\.not\.or\[1\]: a node is an object, not 5", True),
    ({"not": [A_JSON]}, r"\$\.not: a node is an object, not a list of 1", True),
    ({"constant": 1}, r"\$\.constant: a constant is true or false, not 1", True),
    ({"attribute": "a"}, r"\$\.operator: a predicate needs an operator", True),
    ({"operator": "=", "value": 1}, r"'operator' is not a kind of node", True),
    ({**EQUALS, "operator": "=="}, r"'==' is not an operator\n  help: one of =, !=", True),
    ({**EQUALS, "operator": "beetween"}, r"'beetween' is not an operator\n  help: did you mean `between`", True),
    ({**EQUALS, "operator": ["="]}, r"\$\.operator: \['='\] is not an operator", True),
    ({**EQUALS, "valeu": 1}, r"'=' does not take 'valeu'\n  help: did you mean `value`\?", True),
    ({"attribute": "a", "operator": "="}, r"\$: '=' needs 'value'", True),
    ({**EQUALS, "attribute": ""}, r"\$: an attribute's name is a string that is not empty", True),
    ({**EQUALS, "attribute": 5}, r"\$: an attribute's name is a string", True),
    ({**EQUALS, "value": None}, r"\$\.value: null is not a value", True),
    ({**EQUALS, "value": [1]}, r"\$\.value: a list of 1 is not a value", True),
    ({**EQUALS, "value": {"dat": "2024-01-01"}}, r"\$\.value: an object with 'dat' is not a value", True),
    ({**EQUALS, "value": {"date": 5}}, r"\$\.value: an object with 'date' is not a value", True),
    ({**EQUALS, "value": {"date": "2024-1-1"}}, r"\$\.value: '2024-1-1' is not a date", True),
    ({**EQUALS, "value": {"date": "2023-02-29"}}, r"\$\.value: '2023-02-29' is not a day of the calendar", False),
    ({**EQUALS, "value": {"timestamp": "2024-01-31"}}, r"\$\.value: '2024-01-31' is not a timestamp", True),
    ({**EQUALS, "value": {"timestamp": "0001-01-01T00:00+01:00"}}, r"is not a moment of the years 1 to 9999", False),
    ({**EQUALS, "value": 2**63}, r"\$\.value: 9223372036854775808 does not fit in 64 bits", False),
    ({**EQUALS, "value": float("inf")}, r"\$\.value: an infinite number cannot be an operand", False),
    ({**EQUALS, "value": "\ud800"}, r"\$\.value: .* half a surrogate pair", False),
    ({**EQUALS, "weight": -1}, r"\$\.weight: a weight is a number from 0 to 1,000,000,000, not -1", True),
    ({**EQUALS, "weight": "1"}, r"\$\.weight: a weight is a number, not '1'", True),
    ({**EQUALS, "weight": True}, r"\$\.weight: a weight is a number, not true", True),
    ({**EQUALS, "weight": 10**400}, r"\$\.weight: a weight is a number from 0 to 1,000,000,000, not 1000", True),
    ({**EQUALS, "operator": "!=", "weight": 1}, r"'!=' does not take 'weight'", True),
    ({**EQUALS, "operator": "<", "value": True}, r"\$: true and false have no order", True),
    ({"attribute": "a", "operator": "between", "low": 1, "high": "x"}, r"needs two operands of one kind", True),
    ({"attribute": "a", "operator": "starts with", "value": 5}, r"\$: 'starts with' takes a string, not 5", True),
    ({"attribute": "a", "operator": "in", "values": "x"}, r"\$\.values: 'in' takes a list of values, not 'x'", True),
    ({"attribute": "a", "operator": "in", "values": [1, None]}, r"\$\.values\[1\]: null is not a value", True),
    (
        {"attribute": "a", "operator": "in", "values": [{"value": [], "weight": 1}]},
        r"\$\.values\[0\]\.value: an empty list is not a value",
        True,
    ),
    (
        {"attribute": "a", "operator": "in", "values": [{"value": 1, "weight": None}]},
        r"\$\.values\[0\]\.weight: a weight is a number, not null",
        True,
    ),
    (
        {"attribute": "a", "operator": "not in", "values": [{"value": 1, "weight": 1}]},
        r"\$\.values\[0\]: 'not in' takes no weights",
        True,
    ),
    ({"attribute": "a", "operator": "exists", "value": 1}, r"'exists' does not take 'value'", True),
]


@pytest.mark.parametrize("document, message, schema_sees_it", WRONG, ids=lambda value: repr(value)[:60])
def test_what_is_wrong_is_named_with_its_place(document, message, schema_sees_it):
    with pytest.raises(JsonFormError, match=message):
        from_json(document)
    assert VALIDATOR.is_valid(document) is not schema_sees_it


def test_negation_normal_form_has_no_json_form():
    with pytest.raises(JsonFormError, match="negation normal form"):
        to_json(push_negations(Not(A), "unknown"))


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "this is not JSON: expecting value\n  line 1, column 1"),
        ('{"not":\n  {"attribute" 5}}', r"expecting ':' delimiter\n  line 2, column 16\n .*\n    \| {16}\^"),
        ('{"not": 1, "not": 2}', "the key 'not' stands more than once"),
        ('{"attribute": "a", "operator": "=", "value": NaN}', "NaN is not a JSON number"),
        ('{"constant": true} x', "extra data"),
        ('{"attribute": "a", "operator": "=", "value": ' + "9" * 5000 + "}", "not JSON that can be read|64 bits"),
    ],
)
def test_text_that_is_no_json(text, message):
    with pytest.raises(JsonFormError, match=message):
        loads(text)


def test_bounds():
    limits = Limits(length=100, depth=3, set_size=2)
    assert loads('{"not": {"not": {"constant": true}}}', limits=limits).depth == 3
    with pytest.raises(LimitError, match=r"^\$\.not\.not: nested more than 3 deep"):
        loads('{"not": {"not": {"not": {"constant": true}}}}', limits=limits)
    with pytest.raises(LimitError, match=r"^\$\.values: 3 values, more than 2"):
        from_json(to_json(In("a", (1, 2, 3))), limits=limits)
    with pytest.raises(LimitError, match="101 bytes, more than 100"):
        loads(" " * 101, limits=limits)


@pytest.mark.parametrize("opening", ["[", '{"not":', '{"and":[', '{"attribute":"a","operator":"=","value":{"date":'])
def test_a_bomb_is_a_limit_error(opening):
    with pytest.raises(LimitError, match="nested more than"):
        loads(opening * 100_000, limits=Limits(length=10_000_000))


def test_an_object_within_itself_is_a_limit_error():
    document: dict = {}
    document["not"] = document
    with pytest.raises(LimitError, match="nested more than 500 deep"):
        from_json(document)


def test_shared_parts_are_walked_once_and_count_their_depth():
    tree = A
    for _ in range(400):
        tree = Xor((tree, tree))
    document = to_json(tree)
    assert from_json(document) == tree
    deeper = document
    for _ in range(200):
        deeper = {"not": deeper}
    with pytest.raises(LimitError, match=r"^\$: nested more than 500 deep"):
        from_json({"and": [document, deeper]})


@settings(max_examples=20)
@given(deep_expressions(max_depth=500))
def test_the_deepest_trees_that_are_allowed_round_trip(tree):
    assert loads(dumps(tree)) == tree


def test_depth_beyond_the_recursion_limit():
    tree = A
    for _ in range(5 * sys.getrecursionlimit()):
        tree = And((tree, A))
    limits = Limits(depth=tree.depth, length=10**9)
    assert loads(dumps(tree), limits=limits) == tree
    assert loads(dumps(Not(A), indent=1)) == Not(A)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=3), below, max_size=3),
)


@given(JSON, st.sampled_from((None, 0, 2)))
def test_the_loops_agree_with_the_standard_reader_and_writer(document, indent):
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    assert "".join(_written(document, indent)) == text == write_json(document, indent=indent)
    assert _Reader(text).read() == document == read_json(text, max_depth=100)


@given(JSON, st.data())
def test_the_loops_refuse_what_the_standard_reader_refuses(document, data):
    text = json.dumps(document)
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.sampled_from(("", ",", "]", "}", '"', ":", "[", " ", "1"))) + text[at + 1 :]
    try:
        expected = json.loads(damaged)
    except ValueError:
        with pytest.raises((JsonFormError, json.JSONDecodeError)):
            _Reader(damaged).read()
    else:
        try:
            assert _Reader(damaged).read() == expected
        except JsonFormError as error:
            assert "more than once" in str(error)


def test_the_reader_finds_brackets_outside_strings_only():
    text = json.dumps(["[" * 50, '\\"[[', []])
    assert read_json(f"{'[' * 2000}{text}{']' * 2000}", max_depth=2002)
    with pytest.raises(LimitError):
        read_json(f"{'[' * 2000}{text}{']' * 2000}", max_depth=2001)


DAYS = r"(0000|0001|1969|2024|9999)-(0[0-3]|1[0-3])-[0-3][0-9]"
CLOCKS = r"[T t](2[0-9]|00|10):[0-6]0(:[0-6]0(\.[0-9]{0,7})?)?(Z|z|[+-](00|14|24):[0-6]0)?"
TIMES = st.from_regex(rf"\A{DAYS}({CLOCKS})?\Z")


@given(TIMES | st.datetimes().map(str) | st.dates().map(str))
def test_dates_and_timestamps_are_read_as_in_expressions(text):
    data = text.encode()
    for parse, decode in ((parse_date, decode_date), (parse_timestamp, decode_timestamp)):
        error, number = decode(data, 0, len(data))
        if error != parse_errors.NONE:
            with pytest.raises(ExpressionValueError):
                parse(text)
        elif parse is parse_date:
            assert (parse_date(text) - date(1970, 1, 1)).days == number
        else:
            moment = parse_timestamp(text) - datetime(1970, 1, 1, tzinfo=UTC)
            assert (moment.days * 86_400 + moment.seconds) * 1_000_000 + moment.microseconds == number
