"""When can translated expressions from a file be matched? When the base can, and each conjunction has its owners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays, Column, Offsets, Sizes, problems
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry

BASE = "k_index"
"""The engine that matches the conjunctions."""
PREFIX = "base."
"""How the names of its arrays begin here."""

FORM = (
    Offsets("owner_offsets", "u4", "conjunctions", into="owners"),
    Column("owners", "u4", below="expressions"),
)
"""The arrays of `ConjunctionOwners`, which says what they mean."""


def with_prefix(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """The base's arrays by the names that they have here."""
    return {f"{PREFIX}{name}": array for name, array in arrays.items()}


def without_prefix(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """The base's arrays by its own names."""
    return {name[len(PREFIX) :]: array for name, array in arrays.items() if name.startswith(PREFIX)}


def translation_problems(
    arrays: Arrays, table: ExpressionTable, vocabulary: Vocabulary, num_expressions: int, *, deep: bool
) -> Iterator[str]:
    """What is wrong with the arrays of so many expressions."""
    sizes: Sizes = {"expressions": num_expressions}
    found = False
    for problem in problems(FORM, arrays, sizes, deep=deep):
        found = True
        yield problem
    if found:
        return
    base, own = registry.get(BASE), without_prefix(arrays)
    for problem in base.problems(own, table.literals_only(), vocabulary, sizes["conjunctions"], deep=deep):
        yield problem.replace("array '", f"array '{PREFIX}", 1)
