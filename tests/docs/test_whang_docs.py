"""Is the page on Whang 2009 true? Its examples are run, in one session."""

from __future__ import annotations

from pathlib import Path

from document_examples import python_blocks, run_block

PAGE = Path(__file__).parents[2] / "docs" / "whang-2009.md"


def test_examples() -> None:
    assert run_block("\n".join(python_blocks(PAGE))) == 12
