"""When can shared diagrams from a file be walked? When each decision asks for a fact and leads to earlier ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays, Column, Offsets, beyond, problems, unless
from eligo.data.vocabulary import Vocabulary
from eligo.engines import fact_keys
from eligo.engines.bdd.kernels.diagram import TRUE_END
from eligo.engines.bdd.kernels.shared_diagrams import WORDS
from eligo.engines.stored_lists import axis_problems, distinct_positions

FORM = (
    *fact_keys.FORM,
    Column("decisions", "u4"),
    Column("roots", "u4", "roots"),
    Offsets("root_offsets", "u4", "roots", into="root_expressions"),
    Column("root_expressions", "u4", "expressions", below="expressions"),
    Offsets("way_offsets", "u4", "facts", into="way_roots"),
    Column("way_roots", "u4", below="roots"),
    Column("usual_marks", "u8", "words of marks"),
)
"""The arrays of `FactKeys` and `SharedDiagrams`, which say what they mean."""


def bdd_problems(
    arrays: Arrays, table: ExpressionTable, vocabulary: Vocabulary, num_expressions: int, *, deep: bool
) -> Iterator[str]:
    """What is wrong with the arrays of so many expressions."""
    sizes = fact_keys.fact_sizes(arrays, table, vocabulary, num_expressions)
    sizes["words of marks"] = (num_expressions + 63) // 64
    found = False
    for problem in problems(FORM, arrays, sizes, deep=deep):
        found = True
        yield problem
    if found:
        return
    yield from axis_problems(arrays, vocabulary, vocabulary.num_keys)
    words = arrays["decisions"]
    is_whole = len(words) % WORDS == 0 and len(words) > WORDS * TRUE_END
    yield from unless(is_whole, "decisions", f"does not have {WORDS} words for each decision and the two ends")
    if not deep or not is_whole:
        return
    rows = words.reshape(-1, WORDS).astype(np.int64)
    own = np.arange(len(rows))
    fact, low, high = rows[TRUE_END + 1 :].T
    yield from unless(fact >> 1 < sizes["facts"], "decisions", "asks for facts that are not there")
    leads_back = (low < own[TRUE_END + 1 :]) & (high < own[TRUE_END + 1 :])
    yield from unless(leads_back, "decisions", "leads to what is not before it")
    yield from beyond("roots", arrays["roots"] >> np.uint32(1), len(rows))
    yield from distinct_positions("root_expressions", arrays["root_expressions"], num_expressions)
    yield from unless(_has_no_more(arrays, num_expressions), "usual_marks", "marks what is no expression")


def _has_no_more(arrays: Arrays, num_expressions: int) -> bool:
    """Whether no bit beyond the last expression is set."""
    marks, rest = arrays["usual_marks"], num_expressions % 64
    return rest == 0 or int(marks[-1]) >> rest == 0
