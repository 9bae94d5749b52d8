from __future__ import annotations

import pytest

import eligo
from eligo.engines.scan.engine import Scan
from eligo.engines.scan.kernels.jump_code import ACCEPT, REJECT, SEGMENT
from engine_cases import engine_of


def scan_of(*texts: str) -> Scan:
    engine: Scan = engine_of(Scan, *texts)
    return engine


def test_the_jump_code_of_the_module_docstring() -> None:
    code = scan_of("a and (b or c)").code
    assert code.segment_offsets.tolist() == [0, 1]
    assert code.test_on_hold.tolist() == [1, ACCEPT, ACCEPT]
    assert code.test_on_fail.tolist() == [REJECT, 2, REJECT]


def test_a_shared_connective_is_a_segment_that_later_tests_refer_to() -> None:
    code = scan_of("(a and b) xor (c and d)").code
    segments = int(code.segment_offsets[-1])
    references = [int(operand) for operand in code.test_operand if SEGMENT <= operand < REJECT]
    if references:
        assert segments > 1
        assert all(operand - int(SEGMENT) < segments for operand in references)


@pytest.mark.parametrize("length", [2, 40])
def test_a_chain_of_xors_takes_linear_code(length: int) -> None:
    code = scan_of(" xor ".join(f"a{number}" for number in range(length))).code
    assert len(code.test_operand) <= 8 * length


def test_stats_count_what_was_tested() -> None:
    index = eligo.build({"x": "a = 1 and b = 2", "y": "true"}, engine="scan")
    assert index.stats().num_evaluations == 0
    index.match({"a": 2, "b": 2})
    stats = index.stats()
    assert stats.num_expressions == 2
    assert stats.num_evaluations == 2  # a = 1 fails, so b = 2 is not tested; and the constant
    assert stats.num_bytes > 0


def test_matches_of_many_events_grow_past_the_first_buffer() -> None:
    index = eligo.build({number: f"a >= {number % 7}" for number in range(600)}, engine="scan")
    events = [{"a": value % 7} for value in range(50)]
    found = index.match_batch(events)
    assert [len(found.ids(row)) for row in range(50)] == [
        sum(number % 7 <= row % 7 for number in range(600)) for row in range(50)
    ]
