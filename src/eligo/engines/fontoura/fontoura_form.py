"""When can annotations from a file be evaluated? When conjunctions, leaves, expressions and labels are all there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays, Column, Form, Offsets, Sizes, problems, unless
from eligo.engines.fontoura.kernels.dewey_labels import DeweyLabels, first_bad_label
from eligo.engines.fontoura.kernels.jumps import REJECT

FORM = (
    Offsets("leaf_offsets", "u4", "conjunctions", into="leaves"),
    Column("leaves", "u4", "leaves", below="leaves"),
    Column("expression_of_leaf", "u4", "leaves", below="expressions"),
    Column("num_expressions", "u4", 1),
)
"""The arrays of `Annotations`, which says what they mean."""

DEWEY = (
    Column("label_words", "u4 u8"),
    Offsets("label_offsets", "u8", "leaves", into="label_words", or_empty=True),
    Column("label_depth", "u4", 1),
)
"""`DeweyLabels`."""

INTERVALS = (
    Column("label_begin", "u2 u4", "leaves"),
    Column("label_end", "u2 u4", "leaves"),
    Column("most_leaves", "u4", 1),
)
"""`IntervalLabels`."""

JUMPS = (
    Column("first_leaf", "u4", "expressions"),
    Column("leaf_on_hold", "u4", "leaves"),
    Column("leaf_on_fail", "u4", "leaves"),
    Offsets("literal_offsets", "u4", "leaves", into="leaf_literals"),
    Column("leaf_literals", "u4", below="literals"),
)
"""`Jumps`."""


def annotation_problems(
    own: Form, arrays: Arrays, table: ExpressionTable, num_expressions: int, *, deep: bool
) -> Iterator[str]:
    """What is wrong with the annotations of so many expressions; `own` is the form of the engine's labels."""
    sizes: Sizes = {"expressions": num_expressions, "literals": table.num_literals}
    found = False
    for problem in problems((*FORM, *own), arrays, sizes, deep=deep):
        found = True
        yield problem
    if found:
        return
    is_known = int(arrays["num_expressions"][0]) == num_expressions
    yield from unless(is_known, "num_expressions", f"is not {num_expressions:,}, the number of ids")
    if own is DEWEY:
        yield from _dewey(arrays, sizes, deep=deep)
    if own is INTERVALS:
        yield from _intervals(arrays, deep=deep)
    if deep:
        owner = arrays["expression_of_leaf"]
        yield from unless(owner[1:] >= owner[:-1], "expression_of_leaf", "falls")
        uses = np.bincount(arrays["leaves"], minlength=sizes["leaves"])
        yield from unless(uses == 1, "leaves", "does not have each leaf once")
        if own is JUMPS:
            yield from _jumps(arrays, sizes)


def _dewey(arrays: Arrays, sizes: Sizes, *, deep: bool) -> Iterator[str]:
    words = arrays["label_words"]
    is_single = not len(arrays["label_offsets"])
    fits = len(words) == sizes["leaves"] if is_single else words.dtype.itemsize == 8
    yield from unless(fits, "label_words", "is not what the labels are made of")
    depth = int(arrays["label_depth"][0])
    # A component has a bit at least.
    is_possible = depth <= 64 * len(words)
    yield from unless(is_possible, "label_depth", f"is {depth:,}, which no label can be")
    if deep and fits and is_possible:
        labels = DeweyLabels(*(arrays[name] for name in DeweyLabels._fields))
        wrong = int(first_bad_label(labels, sizes["leaves"]))
        yield from unless(wrong < 0, "label_words", f"has no Dewey id of {depth:,} components at leaf {wrong}")


def _intervals(arrays: Arrays, *, deep: bool) -> Iterator[str]:
    begin, end, most = arrays["label_begin"], arrays["label_end"], int(arrays["most_leaves"][0])
    yield from unless(begin.dtype == end.dtype, "label_end", "is of another type than where labels begin")
    yield from unless(most <= len(begin), "most_leaves", f"is {most:,}, and there are {len(begin):,} leaves")
    if deep:
        yield from unless((begin >= 1) & (begin <= end), "label_begin", "is not from 1 to where the label ends")
        yield from unless(end <= most, "label_end", f"is beyond {most:,}")


def _jumps(arrays: Arrays, sizes: Sizes) -> Iterator[str]:
    num_leaves = sizes["leaves"]
    own = np.arange(num_leaves)
    for name in ("leaf_on_hold", "leaf_on_fail"):
        target = arrays[name].astype(np.int64)
        yield from unless((target > own) & (target < num_leaves) | (target >= REJECT), name, "does not lead on")
    first = arrays["first_leaf"]
    yield from unless((first < num_leaves) | (first >= REJECT), "first_leaf", "is no leaf")
