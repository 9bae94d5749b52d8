"""When can lists of facts from a file be read? When facts, items and expressions are all there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays, Column, Form, Offsets, Sizes, lengths_of, problems, unless
from eligo.data.vocabulary import Vocabulary
from eligo.engines import fact_keys
from eligo.engines.kernels.form_checks import first_bad_words
from eligo.engines.stored_lists import axis_problems

FORM = (
    *fact_keys.FORM,
    Offsets("match_offsets", "u4", "items", into="matches"),
    Column("matches", "u4", below="expressions"),
    Column("num_expressions", "u4", 1),
)
"""The arrays of `FactKeys` and `MatchRows`, which say what they mean."""

SIFT = (
    Column("sizes", "u1 u4", "items"),
    Offsets("true_offsets", "u4", "facts", into="true_items"),
    Column("true_items", "u4", below="items"),
    Offsets("false_offsets", "u4", "facts", into="false_items"),
    Column("false_items", "u4", below="items"),
    Column("zero_items", "u4", below="items"),
)
"""`SiftLists`."""

CLUSTERS = (
    Offsets("cluster_offsets", "u4", "clusters", into="group_width"),
    Column("group_width", "u4", "groups"),
    Column("group_first", "u4"),
    Column("group_references", "u8", "groups"),
    Column("references", "u4"),
)
"""`Clusters`."""

PSCAN = (
    Offsets("fact_offsets", "u4", "facts", into="fact_items"),
    Column("fact_items", "u4", below="items"),
    Column("zero_items", "u4", below="items"),
    Offsets("word_offsets", "u8", "items", into="words"),
    Column("words", "u4"),
)
"""`PscanLists`."""


def fact_problems(
    own: Form, arrays: Arrays, table: ExpressionTable, vocabulary: Vocabulary, num_expressions: int, *, deep: bool
) -> Iterator[str]:
    """What is wrong with the arrays of so many expressions; `own` is the form that only this engine has."""
    sizes = fact_keys.fact_sizes(arrays, table, vocabulary, num_expressions)
    if "fact_predicates" in arrays:
        sizes["clusters"] = len(arrays["fact_predicates"]) + 1
    found = False
    for problem in problems((*FORM, *own), arrays, sizes, deep=deep):
        found = True
        yield problem
    if found:
        return
    is_known = int(arrays["num_expressions"][0]) == num_expressions
    yield from unless(is_known, "num_expressions", f"is not {num_expressions:,}, the number of ids")
    yield from axis_problems(arrays, vocabulary, vocabulary.num_keys)
    if own is CLUSTERS:
        yield from _clusters(arrays, sizes, deep=deep)
    if own is PSCAN and deep:
        wrong = int(first_bad_words(arrays["word_offsets"], arrays["words"], sizes["facts"]))
        yield from unless(wrong < 0, "words", f"has no disjunctions of facts in item {wrong}")


def _clusters(arrays: Arrays, sizes: Sizes, *, deep: bool) -> Iterator[str]:
    """Groups follow each other, and each has its references within the array of them."""
    first = arrays["group_first"].astype(np.int64)
    fits = len(first) == sizes["groups"] + 1 and int(first[0]) == 0 and int(first[-1]) == sizes["items"]
    yield from unless(fits, "group_first", "does not span the items")
    if not deep or not fits:
        return
    num_items = lengths_of(first)
    yield from unless(num_items >= 0, "group_first", "falls")
    references = arrays["references"]
    yield from unless(references >> np.uint32(1) < sizes["facts"], "references", "names facts that are not there")
    start, width = arrays["group_references"], arrays["group_width"].astype(np.uint64)
    is_inside = start <= len(references)
    room = np.where(is_inside, np.uint64(len(references)) - np.minimum(start, np.uint64(len(references))), np.uint64(0))
    fits_in = is_inside & (np.maximum(num_items, 0).astype(np.uint64) * width <= room)
    yield from unless(fits_in, "group_references", "has a group that ends beyond the references")
