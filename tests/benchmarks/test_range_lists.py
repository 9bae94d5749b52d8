"""Does the experiment on lists of ranges run, with all forms giving one answer, and is what it says of bytes so?"""

from __future__ import annotations

import pytest

from benchmarks import runner
from benchmarks.experiments import range_lists

pytestmark = pytest.mark.usefixtures("tiny_workloads")


def test_lists_of_ranges() -> None:
    result = runner.run(range_lists.EXPERIMENT, "small", say=lambda line: None)
    assert all(row.value is not None and row.value > 0 for row in result.rows)
    assert sum(row.name.endswith("_memory") for row in result.rows) == 2 * (len(range_lists.OVERLAPS) + 1)
    details = result.rows[0].details or {}
    assert len(details["ms_per_event"]) == 9 and details["compared_with_oracle"] > 0
    assert all(row.value <= row.bar for row in result.rows if row.bar is not None and row.value is not None)
