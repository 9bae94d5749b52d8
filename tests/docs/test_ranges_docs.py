"""Is the page on ranges true? Its examples are run, in one session, and its bounds compared."""

from __future__ import annotations

from pathlib import Path

from document_examples import python_blocks, run_block
from eligo.ranges import choose, cluster, structure
from eligo.ranges.structures import STRUCTURES

PAGE = Path(__file__).parents[2] / "docs" / "ranges.md"
TEXT = " ".join(PAGE.read_text(encoding="utf-8").split())


def test_examples() -> None:
    assert run_block("\n".join(python_blocks(PAGE))) == 14


def test_every_structure_and_bound_is_told() -> None:
    assert all(f"| `{name}` |" in TEXT for name in STRUCTURES)
    assert f"more than {structure.MOST_ENTRIES:,} times" in TEXT
    assert f"stand in {cluster.MOST_COPIES} leaves on average" in TEXT
    assert f"up to {choose.MOST_HELD} elementary intervals on average" in TEXT
    assert f"no more than {choose.FEW_LISTED:,} entries, and `churn` is below {choose.MUCH_CHURN:g}" in TEXT
