"""Texts in bulk: the same arrays as from trees, array for array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.expressions.encode_texts import encode_texts
from eligo.data.expressions.taxonomy_nodes import Taxonomy
from eligo.data.schema.hierarchy import Hierarchy
from eligo.errors import InputError
from eligo.kernels.compiled import IS_INTERPRETED
from eligo.kernels.running import COMPILED, INTERPRETED
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import Missing
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.text.parse import ParsedBatch, parse_all
from eligo.language.tree import Expression
from encoded_trees import postfix_of
from strategies import any_expressions, deep_expressions, expressions, policies
from tree_encoder import encode_expressions

POLICIES: tuple[Missing, ...] = ("unknown", "false")
WAYS = (INTERPRETED,) if IS_INTERPRETED else (INTERPRETED, COMPILED)
HIERARCHY = Hierarchy.from_edges([("x/y", "x"), ("xy", "x/y"), ("é", "x"), ("z", "y"), ("2024/01", "2024")])


def compare(
    batch: ParsedBatch,
    missing: Missing,
    hierarchies: dict[str, Taxonomy] | None = None,
    rows: list[int] | None = None,
) -> None:
    """Encode both ways; every array must have the same type and content."""
    numbers = range(len(batch)) if rows is None else rows
    trees = [push_negations(batch.tree(row), missing) for row in numbers]
    vocabulary, table = encode_expressions(trees, hierarchies)
    chosen = None if rows is None else np.array(rows, np.int64)
    for running in WAYS:
        flat_vocabulary, flat_table = encode_texts(batch, chosen, missing, hierarchies, running)
        for expected, found in ((vocabulary, flat_vocabulary), (table, flat_table)):
            arrays: dict[str, Any] = found.arrays()
            for name, array in expected.arrays().items():
                assert arrays[name].dtype == array.dtype, name
                np.testing.assert_array_equal(arrays[name], array, err_msg=name)
                assert not arrays[name].flags.writeable, name
        assert flat_table.num_expressions == len(trees)


def check(*texts: str, hierarchies: dict[str, Taxonomy] | None = None) -> None:
    batch = parse_all(texts)
    assert batch.errors() == {}
    for missing in POLICIES:
        compare(batch, missing, hierarchies)


@given(st.lists(expressions(), max_size=6), policies())
def test_the_small_world(trees: list[Expression], missing: Missing) -> None:
    compare(parse_all(map(canonical_text, trees)), missing)


@given(st.lists(any_expressions(), max_size=5), policies())
def test_any_names_and_values(trees: list[Expression], missing: Missing) -> None:
    compare(parse_all(map(canonical_text, trees)), missing)


@given(st.lists(expressions(), min_size=1, max_size=5), policies(), st.sets(st.sampled_from("abcdef")))
def test_with_taxonomies(trees: list[Expression], missing: Missing, attributes: set[str]) -> None:
    compare(parse_all(map(canonical_text, trees)), missing, dict.fromkeys(attributes, HIERARCHY))


@given(st.lists(any_expressions(), max_size=5), policies(), st.sets(st.sampled_from("abcdef")))
def test_trees_without_a_text(trees: list[Expression], missing: Missing, attributes: set[str]) -> None:
    batch = postfix_of(trees)
    assert [batch.tree(row) for row in range(len(batch))] == trees
    compare(batch, missing, dict.fromkeys(attributes, HIERARCHY))


@given(st.lists(deep_expressions(), min_size=1, max_size=2), policies())
def test_deep_nesting(trees: list[Expression], missing: Missing) -> None:
    compare(parse_all(map(canonical_text, trees)), missing)


@given(st.lists(expressions(), min_size=1, max_size=6), st.data(), policies())
def test_chosen_rows_in_any_order(trees: list[Expression], data: st.DataObject, missing: Missing) -> None:
    batch = parse_all(["a =", *map(canonical_text, trees)])
    rows = data.draw(st.lists(st.integers(1, len(trees)), max_size=6))
    compare(batch, missing, rows=rows)


def test_nothing_at_all() -> None:
    check()


def test_constants_are_shared_in_an_expression_as_a_tree_shares_them() -> None:
    check("true", "not true", "true and true and a", "true xor false xor a", "(a or true) and not (true or false)")


def test_connectives_in_their_own_kind_dissolve_where_they_stand_once() -> None:
    check(
        "(a and b) and (c and (d and e))",
        "not (a or not (b and not (c or d)))",
        "((a and b) xor c) and d",
        "(a and b) xor (c and d)",
        "not ((a or b) xnor (c or d))",
    )


def test_chains_of_xor_and_xnor_share_their_parts() -> None:
    check(
        "a xor b",
        "not (a xor b)",
        "a xor b xor c xor d",
        "a xnor b xnor c",
        "a xor b xnor c xor d",
        "(a xor b) and (not (a xor b) or c)",
        "(a xor (b xor c)) xor (d xnor e)",
        " xor ".join(f"a = {number}" for number in range(60)),
    )


def test_contains_all_is_split() -> None:
    check(
        "a contains all ()",
        "not a contains all ()",
        "a contains all () xor b",
        "not a contains all () or not b contains all () or b = 1",
        "a contains all (1)",
        "a contains all (1, 1^3, 1^2)",
        "a contains all (1, 'x'^2, 1^3, 'x') and b",
        "not a contains all (1, 2)",
        "(a contains all (1, 2)) xor (a contains all (2, 3))",
        "a contains all (1, 2) and a = 1 or a contains all (3, 4) or a = 3",
    )


def test_an_attribute_that_only_an_unknown_names_is_not_in_the_vocabulary() -> None:
    check("not lost contains all ()", "a = 1")


def test_lists() -> None:
    check(
        "a in ()",
        "a not in ()",
        "a in (1, 2, 1^0.5, 2^4)",
        "a in (2, 1)",
        "a in (2, 1^1)",
        "a in (1, 2^1.0)",
        "a weak not in (1, 2)",
        "a strong not in (1, 2) and not b strong not in ('x')",
        "not a weak not in (true, 1, '1', date '2024-01-01')",
        "a = 1",
        "a in (1)",
        "a",
        "a = true",
        f"a in ({', '.join(str(number * 7919 % 1000) for number in range(1500))})",
        f"a in ({', '.join(str(number) for number in range(999, -1, -1))})",
    )


def test_numbers_of_every_size() -> None:
    numbers = [
        "0",
        "-0",
        "-0.0",
        "1",
        "1.0",
        "-0.5",
        "0.5",
        "1e0",
        "9007199254740993",
        "9007199254740992.0",
        "9007199254740993.0",
        "1e300",
        "-1e300",
        "5e-324",
        "9223372036854775807",
        "-9223372036854775808",
        "-9223372036854775808.0",
        "9223372036854775808.0",
        "-9.3e18",
        "1e19",
        "1e22",
        "1e23",
        "0.1",
        "0.30000000000000004",
        "123456789012345678901234567890.5",
        "-1e-400",
        "1e-400",
        "2.5e-1",
        "179769313486231570000e288",
    ]
    check(*(f"a = {number}" for number in numbers), f"a in ({', '.join(numbers)})")
    check(*(f"a {operator} {number}" for operator in ("<", "<=", ">", ">=") for number in numbers))
    check(*(f"a between {low} and {high}" for low in numbers[::3] for high in numbers[::2]))


def test_weights_that_need_float() -> None:
    check(
        "a = 1^0.1234567890123456789",
        "a = 1^1e-320",
        "a in (1^99999999000000000000000000e-17, 1)",
        "a = 1^1000000000.0000000000000",
        "a = 1^-0 or a = 1^0",
    )


def test_strings_and_names_with_quotes() -> None:
    check(
        "a = 'it''s' and \"say \"\"x\"\"\" = ''''",
        "\"a\" = 'it''s' or \"a\"\"\" = ''",
        "\"é\" = 'é\0' and a = 'é' or a > '''' or a starts with 'it'''",
        "a = 'x' or a = 'x\0' or a = '' or a = '\0'",
        "a = '12345678' or a = '123456789' or a = '1234567'",
    )


def test_ranges() -> None:
    check(
        "a < 5 and a <= 5 and a > 5 and a >= 5",
        "a between 1 and 5 or a not between 1 and 5",
        "a between 5 and 1^3 or a between 'b' and 'a' or a between 7 and 6",
        "b between 5 and 1",
        "a between 3 and 3^2 or a < 3^2 or a < 3",
        "a > 'x' or a between '' and 'é' or a < 'xy'",
        "a > date '2024-01-01' or a < timestamp '2024-01-01T00:00Z'",
        "a between date '1960-01-01' and date '2024-02-29'",
        "a between 1e300 and 1e301 or a between -1e301 and -1e300 or a between -0.5 and -0.25",
    )


def test_prefixes() -> None:
    check(
        "a starts with ''",
        "b starts with '' or b > 'k'",
        "a starts with 'x' or a starts with 'x^2' or a < 'y' or a >= 'x'",
        "a starts with 'x'^2 or not a starts with 'xy'",
        "a starts with 'é' or a starts with '\U0010ffff'",
    )


def test_nodes() -> None:
    texts = [f"a under '{node}'" for node in ("x", "x/", "", "Sports/NFL")]
    years = [
        "2024",
        "0000",
        "0001",
        "9999",
        "2024/01",
        "2024-02",
        "2023/02",
        "2024/13",
        "2024/00",
        "2024/1",
        "2024/12",
        "1900-02",
        "20240",
        "2024/01/31",
    ]
    days = [
        "2024-01-31",
        "2024/01-31",
        "2024-02-30",
        "2024/02/29",
        "2023/02/29",
        "2024/01/00",
        "2024x01",
        "２０２４",
        "2024/0a",
        "1969/12/31",
    ]
    texts += [f"b under '{node}' or c under '{node}'^2" for node in (*years, *days)]
    check(*texts, "b > date '2024-01-31' and c <= timestamp '2024-01-31T23:59:59.999999Z'", "not a under 'x'")
    check(*texts, "a = 'NFL'", hierarchies={"a": HIERARCHY, "b": HIERARCHY, "nowhere": HIERARCHY})


def test_more_than_the_first_room() -> None:
    check(
        *(f"a{number} = 'value {number}' or b > {number} and c in ({number}, {number + 1})" for number in range(1300))
    )


def test_a_refused_text_cannot_be_encoded() -> None:
    batch = parse_all(["a = 1", "a ="])
    with pytest.raises(InputError, match="text 1 is not an expression"):
        encode_texts(batch, None, "unknown")
    compare(batch, "unknown", rows=[0])


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(InputError, match="policy"):
        encode_texts(parse_all([]), None, "maybe")  # type: ignore[arg-type]
