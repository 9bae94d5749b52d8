"""Is the page on engines true? Its example is run, and it names every engine."""

from __future__ import annotations

from pathlib import Path

from document_examples import python_blocks, run_block
from eligo.engines import registry

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"


def test_examples() -> None:
    assert sum(run_block(block) for block in python_blocks(PAGE)) == 11


def test_every_engine_has_a_section() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in registry.names() if f"\n## `{name}`\n" not in text] == []
