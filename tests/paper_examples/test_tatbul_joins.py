"""Are Tatbul 2001's Examples 5 to 7 and its Table 2 what we compute?"""

from __future__ import annotations

import pytest

import eligo
from eligo.engines import registry
from eligo.joins.asking.implied import implied, implied_by_join, span_of
from eligo.joins.asking.question import Order
from eligo.language.text.parse import parse
from eligo.language.tree import Predicate

PROFILES = {
    "P1": "exists d (price < d.price)",
    "P2": "forall d (year > d.year)",
    "P3": "exists d (author = d.author)",
}
DOCUMENTS = ({"price": 10, "year": 2000, "author": "Smith"}, {"price": 25, "year": 1999})
NEW = {"price": 30, "year": 2001, "author": "Smith"}


@pytest.mark.parametrize("order", ["joins", "constants"])
@pytest.mark.parametrize("engine", registry.names())
def test_example_5_gives_011_with_every_engine(engine: str, order: Order) -> None:
    base = eligo.DocumentBase()
    for document in DOCUMENTS:
        base.add(document)
    index = eligo.build(PROFILES, engine=engine)
    found = index.match(NEW, documents=base, order=order)
    assert [int(profile in found) for profile in PROFILES] == [0, 1, 1]
    assert index.stats().joins.num_joins == 3


def test_example_6_implies_a_constraint_that_replaces_the_join() -> None:
    [found] = implied(parse("price = 10 and exists d (d.price = price)"), "unknown")
    assert found.constraint == parse("price = 10")
    assert found.replaces


def test_example_7_implies_an_additional_constraint() -> None:
    [found] = implied(parse("price < 10 and exists d (d.price = price)"), "unknown")
    assert found.constraint == parse("price < 10")
    assert not found.replaces


TABLE_2 = """
       =       <       <=      >       >=
=      a = 7   a < 7   a <= 7  a > 7   a >= 7
<      a < 7   a < 7   a < 7   -       -
<=     a <= 7  a < 7   a <= 7  -       -
>      a > 7   -       -       a > 7   a > 7
>=     a >= 7  -       -       a > 7   a >= 7
"""
"""Its rows are OP2 of `a OP2 7`, its columns OP1 of `d.a OP1 a`; `-` says that nothing is implied."""

_HEAD, *_ROWS = TABLE_2.strip("\n").splitlines()
CELLS = [
    (row.split()[0], op1, row[start : start + 8].strip())
    for row in _ROWS
    for op1, start in (
        (op1, _HEAD.index(f" {op1} " if f" {op1} " in _HEAD else f" {op1}") + 1) for op1 in _HEAD.split()
    )
]


@pytest.mark.parametrize(("op2", "op1", "expected"), CELLS)
def test_table_2_cell_by_cell(op2: str, op1: str, expected: str) -> None:
    constant = parse(f"a {op2} 7")
    assert isinstance(constant, Predicate)
    span = span_of(constant)
    assert span is not None
    constraint = implied_by_join(op1, "a", span)
    assert constraint == (None if expected == "-" else parse(expected))
    tree = parse(f"a {op2} 7 and exists d (d.a {op1} a)")
    [found] = implied(tree, "unknown")
    assert found.constraint == (parse("a exists") if expected == "-" else parse(expected))
    assert found.weaker == parse("a exists")
    assert found.replaces == (op2 == "=")


def test_table_2_has_25_cells() -> None:
    assert len(CELLS) == 25
    assert sum(expected == "-" for _, _, expected in CELLS) == 8
