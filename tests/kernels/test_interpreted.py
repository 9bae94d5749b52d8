"""Do the kernels of the engines run without the compiler too? Then they can be debugged, and nothing overflows."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import eligo

texts = {
    0: "a between 2 and 5 and b in ('x', 'y', 'z', 'w')",
    1: "not (a > 3 xor vip) or b != 'x'",
    2: "tags contains all ('t', 'u') and (a = 4 or vip)",
    3: "true",
}
events = [
    {"a": row % 7, "b": "xyzwv"[row % 5], "vip": row % 3 == 0, "tags": ["t", "u"][: row % 3]} for row in range(70)
]
a_tree, scan = (eligo.build(texts, engine=engine) for engine in ("a_tree", "scan"))
one, other = a_tree.match_batch(events), scan.match_batch(events)
assert one.positions.tolist() == other.positions.tolist() and one.offsets.tolist() == other.offsets.tolist()
assert a_tree.count_batch(events).tolist() == scan.count_batch(events).tolist()
assert [a_tree.match(event) for event in events[:9]] == [other.ids(row) for row in range(9)]
assert a_tree.top(events[8], 2) == scan.top(events[8], 2)
print(len(one.positions))
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
