"""Are the pages on events, schemas and hierarchies true? Every example is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from document_examples import python_blocks, run_block

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("page", "num_results"), [("events.md", 8), ("schema.md", 8), ("hierarchies.md", 10)])
def test_examples(page: str, num_results: int) -> None:
    assert sum(run_block(block) for block in python_blocks(DOCS / page)) == num_results
