"""Is the page on the index true? Its examples are run, as one session."""

from __future__ import annotations

from pathlib import Path

import eligo
from document_examples import python_blocks, run_block

PAGE = Path(__file__).parents[2] / "docs" / "index.md"


def test_examples() -> None:
    assert run_block("\n".join(python_blocks(PAGE))) == 37


def test_every_question_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    public = [name for name, value in vars(eligo.Index).items() if not name.startswith("_") and callable(value)]
    undocumented = {"encode", "ids_array"}
    assert [name for name in public if f"{name}(" not in text and name not in undocumented] == []
