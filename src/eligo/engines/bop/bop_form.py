"""When can counters and encoded expressions from a file be used? When facts are there, and each code is of trees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays, Column, Offsets, problems, unless
from eligo.data.vocabulary import Vocabulary
from eligo.engines import fact_keys
from eligo.engines.bop.kernels.encoded_trees import first_bad_code
from eligo.engines.stored_lists import axis_problems

FORM = (
    *fact_keys.FORM,
    Column("minima", "u1", "expressions"),
    Offsets("fact_offsets", "u4", "facts", into="fact_expressions"),
    Column("fact_expressions", "u4", below="expressions"),
    Column("free_expressions", "u4", below="expressions"),
    Offsets("code_offsets", "u4", "expressions", into="code"),
    Column("code", "u1"),
    Column("code_limits", "u4", 2, below=1 << 24),
)
"""The arrays of `FactKeys`, `BopLists` and `EncodedTrees`, which say what they mean."""


def bop_problems(
    arrays: Arrays, table: ExpressionTable, vocabulary: Vocabulary, num_expressions: int, *, deep: bool
) -> Iterator[str]:
    """What is wrong with the arrays of so many expressions."""
    sizes = fact_keys.fact_sizes(arrays, table, vocabulary, num_expressions)
    found = False
    for problem in problems(FORM, arrays, sizes, deep=deep):
        found = True
        yield problem
    if found:
        return
    yield from axis_problems(arrays, vocabulary, vocabulary.num_keys)
    if deep:
        needed = np.zeros(2, np.uint32)
        wrong = int(first_bad_code(arrays["code_offsets"], arrays["code"], sizes["facts"], needed))
        yield from unless(wrong < 0, "code", f"is not of trees in expression {wrong}")
        yield from unless(needed <= arrays["code_limits"], "code_limits", "is below what the code needs")
