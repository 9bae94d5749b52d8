"""Normal forms from the postfix form: the forms that are made, what is shared, and how much there is of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.data.expressions.given_texts import given_texts
from eligo.data.expressions.kernels.forms import Forms, NormalForms
from eligo.data.expressions.kernels.normal_form import (
    HOLDS_WHEN_MISSING,
    POSITIVE,
    WANT_BOTH,
    WANT_TRUE,
    literal_flags,
    mark_wanted,
)
from eligo.data.expressions.number_operands import number_operands
from eligo.data.expressions.parsed_forms import normal_forms
from eligo.kernels import codes
from eligo.kernels.compiled import IS_INTERPRETED
from eligo.kernels.hashing import NONE
from eligo.kernels.running import COMPILED, INTERPRETED, Running
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import Missing
from eligo.language.rewrites.push_negations import literal_form
from eligo.language.text.parse import ParsedBatch, parse_all
from eligo.language.tree import Expression, Literal, Predicate
from strategies import expressions, policies, predicates

AND, OR, LEAF = codes.AND, codes.OR, codes.LITERAL


def forms_of(
    *texts: str, missing: Missing = "unknown", running: Running = INTERPRETED if IS_INTERPRETED else COMPILED
) -> tuple[ParsedBatch, Forms, NormalForms]:
    batch = parse_all(texts)
    given = given_texts(batch, np.arange(len(batch)), running)
    forms, nodes = normal_forms(given, number_operands(given, 1)[3], missing)
    return batch, Forms(*map(np.array, forms)), NormalForms(*map(np.array, nodes))


def children(nodes: NormalForms, node: int) -> list[int]:
    return nodes.children[int(nodes.child_offsets[node]) : int(nodes.child_offsets[node + 1])].tolist()


def wanted(text: str) -> list[int]:
    batch = parse_all([text])
    marks = np.zeros(len(batch.postfix.node_kind), np.uint8)
    stacks = np.zeros((2, len(marks) + 1), np.int64)
    kinds, counts = batch.postfix.node_kind, batch.postfix.node_count
    mark_wanted(batch.outcome.node_offsets, np.arange(1), kinds, counts, *stacks, marks)
    return marks.tolist()


def test_the_example_of_the_module() -> None:
    text = "not (a or b) xor c"
    assert wanted(text) == [WANT_BOTH] * 5 + [WANT_TRUE]
    batch, forms, nodes = forms_of(text)
    assert int(forms.form_offsets[-1]) == 11
    assert forms.kind[:11].tolist() == [*[LEAF] * 4, AND, OR, LEAF, LEAF, AND, AND, OR]
    assert nodes.node_form.tolist() == [0, 2, 6, 8, 1, 3, 5, 7, 9, 10]
    assert [children(nodes, node) for node in (3, 6, 8, 9)] == [[0, 1, 2], [4, 5], [6, 7], [3, 8]]
    literals = nodes.node_form[nodes.node_kind == LEAF]
    starts = batch.postfix.name_start[forms.source[literals]].tolist()
    assert [text[start] for start in starts] == ["a", "b", "c", "a", "b", "c"]
    assert (forms.flags[literals] & POSITIVE).tolist() == [0, 0, 0, 1, 1, 1]


def test_only_what_is_needed_is_wanted() -> None:
    true, false = 2, 1
    assert wanted("a and not (b or not c)") == [true, false, true, false, false, true, true]
    assert wanted("not not a") == [true, false, true]
    assert wanted("not (a xnor b)") == [WANT_BOTH, WANT_BOTH, false, true]


def test_an_and_in_an_and_dissolves_but_not_where_it_stands_twice() -> None:
    _, _, nodes = forms_of("(a and b) and (c and d)", "((a and b) xor c) xor d")
    assert nodes.expression_offsets[1] == 5
    assert children(nodes, 4) == [0, 1, 2, 3]
    inner = int(np.flatnonzero(nodes.node_kind[5:] == AND)[0]) + 5
    assert children(nodes, inner) == [5, 6]  # a and b, on its own


@pytest.mark.parametrize("connective", ["xor", "xnor"])
def test_chains_stay_linear(connective: str) -> None:
    _, _, nodes = forms_of(f" {connective} ".join(f"a = {number}" for number in range(500)))
    assert len(nodes.node_kind) < 500 * 8


def test_constants_stand_once() -> None:
    _, _, nodes = forms_of("true and true and false and not false")
    assert nodes.node_kind.tolist() == [codes.TRUE, codes.FALSE, codes.TRUE, AND]
    assert children(nodes, 3) == [0, 0, 1, 2]


def test_members_of_contains_all_become_literals_once_each() -> None:
    batch, forms, nodes = forms_of("a contains all (1, 2, 1)", "not a contains all (1, 2)", "a contains all (7)")
    assert nodes.node_kind.tolist() == [LEAF, LEAF, AND, LEAF, LEAF, OR, LEAF]
    members = forms.member[nodes.node_form[nodes.node_kind == LEAF]]
    assert batch.postfix.operand_payload[members].tolist() == [1, 2, 1, 2, 7]


def test_an_empty_contains_all() -> None:
    texts = ("a contains all ()", "not a contains all ()")
    _, forms, nodes = forms_of(*texts, missing="unknown")
    assert nodes.node_kind.tolist() == [LEAF, codes.FALSE]
    assert forms.flags[nodes.node_form[0]] == 0
    _, forms, nodes = forms_of(*texts, missing="false")
    assert nodes.node_kind.tolist() == [LEAF, LEAF]
    assert forms.flags[nodes.node_form].tolist() == [0, HOLDS_WHEN_MISSING]
    assert (forms.member[nodes.node_form] == NONE).all()


@given(predicates(), st.booleans(), policies())
def test_flags_are_those_of_the_tree(predicate: Predicate, is_wanted: bool, missing: Missing) -> None:
    expected = literal_form(predicate, is_wanted, missing)
    if isinstance(expected, Literal):
        batch = parse_all([canonical_text(predicate)])
        kind = int(batch.postfix.node_kind[0])
        flags = literal_flags(kind, is_wanted, missing == "false")
        if kind == codes.CONTAINS_ALL and not batch.postfix.node_count[0]:
            flags &= HOLDS_WHEN_MISSING
        assert flags == POSITIVE * expected.positive + HOLDS_WHEN_MISSING * expected.holds_when_missing


@pytest.mark.skipif(IS_INTERPRETED, reason="Numba is switched off")
@given(st.lists(expressions(), min_size=1, max_size=4), policies())
def test_interpreted_and_compiled_agree(trees: list[Expression], missing: Missing) -> None:
    texts = [canonical_text(tree) for tree in trees]
    _, forms, nodes = forms_of(*texts, missing=missing)
    _, other_forms, other_nodes = forms_of(*texts, missing=missing, running=INTERPRETED)
    num_forms = int(forms.form_offsets[-1])
    num_children = int(forms.child_offsets[num_forms])
    np.testing.assert_array_equal(other_forms.kind[:num_forms], forms.kind[:num_forms])
    np.testing.assert_array_equal(other_forms.children[:num_children], forms.children[:num_children])
    for expected, found in zip(nodes, other_nodes, strict=True):
        np.testing.assert_array_equal(found, expected)
