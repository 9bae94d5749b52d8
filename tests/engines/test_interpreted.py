"""Do the kernels of the engines run without the compiler too? Then they can be debugged, and nothing overflows."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import eligo
from eligo.engines import registry

texts = {
    0: "a between 2 and 5 and b in ('x', 'y', 'z', 'w')",
    1: "not (a > 3 xor vip) or b != 'x'",
    2: "tags contains all ('t', 'u') and (a = 4 or vip)",
    3: "true",
    4: "a = 1 and a = 1",
    5: "b strong not in ('x', 'y') and tags weak not in ('t')",
    6: "a = 1 and b = 'x' and vip and tags = 't'",
    7: "a = 1 xor b = 'x' xor vip xor tags = 't'",
    8: "(a = 1 or b = 'x' and vip) and (tags = 't' or a = 2 or not vip and b = 'y')",
}
events = [
    {"a": row % 7, "b": "xyzwv"[row % 5], "vip": row % 3 == 0, "tags": ["t", "u"][: row % 3]} for row in range(70)
]
scan = eligo.build(texts, engine="scan")
expected = scan.match_batch(events)
for name in registry.names():
    index = eligo.build(texts, engine=name)
    found = index.match_batch(events)
    assert found.positions.tolist() == expected.positions.tolist(), name
    assert found.offsets.tolist() == expected.offsets.tolist(), name
    assert index.count_batch(events).tolist() == scan.count_batch(events).tolist(), name
    assert [index.match(event) for event in events[:9]] == [expected.ids(row) for row in range(9)], name
    assert index.top(events[8], 2) == scan.top(events[8], 2), name
print(len(expected.positions))
"""


def test_engines_give_the_same_answers_interpreted() -> None:
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert int(found.stdout) > 70
