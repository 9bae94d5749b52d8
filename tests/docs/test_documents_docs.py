"""Is the page on documents true? Its examples are run, in one session."""

from __future__ import annotations

from pathlib import Path

from document_examples import python_blocks, run_block

PAGE = Path(__file__).parents[2] / "docs" / "documents.md"


def test_examples() -> None:
    assert run_block("\n".join(python_blocks(PAGE))) == 23
