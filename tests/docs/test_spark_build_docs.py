"""Does the example on the page about building give what it says?"""

from __future__ import annotations

from pathlib import Path

import pytest

from document_examples import python_blocks, run_block

PAGE = Path(__file__).parents[2] / "docs" / "spark-build.md"


@pytest.mark.usefixtures("spark")
def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_block("\n".join(python_blocks(PAGE))) == 7
