"""When can jump code from a file be run? When each jump leads on to a test that is there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays, Column, Offsets, lengths_of, problems, unless
from eligo.engines.scan.kernels.jump_code import NEVER, REJECT, SEGMENT

FORM = (
    Offsets("segment_offsets", "u4", "expressions", into="segment_first"),
    Column("segment_first", "u4", "segments", below="tests"),
    Column("test_operand", "u4", "tests"),
    Column("test_on_hold", "u4", "tests"),
    Column("test_on_fail", "u4", "tests"),
)
"""The arrays of `ScanCode`, which says what they mean."""


def code_problems(arrays: Arrays, table: ExpressionTable, num_expressions: int, *, deep: bool) -> Iterator[str]:
    """What is wrong with the jump code of so many expressions."""
    found = False
    for problem in problems(FORM, arrays, {"expressions": num_expressions}, deep=deep):
        found = True
        yield problem
    if not deep or found:
        return
    num_tests = len(arrays["test_operand"])
    own = np.arange(num_tests)
    for name in ("test_on_hold", "test_on_fail"):
        target = arrays[name].astype(np.int64)
        yield from unless(
            (target > own) & (target < num_tests) | (target >= REJECT), name, "does not lead on to a test"
        )
    operand = arrays["test_operand"].astype(np.int64)
    most_segments = int(lengths_of(arrays["segment_offsets"]).max(initial=0))
    is_segment = (operand >= SEGMENT) & (operand < NEVER)
    holds = np.where(is_segment, operand - int(SEGMENT) < most_segments, operand < table.num_literals)
    yield from unless(holds | (operand >= NEVER), "test_operand", "asks for what is not there")
