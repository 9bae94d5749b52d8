"""Do the examples on the Spark pages give what they say?"""

from __future__ import annotations

from pathlib import Path

import pytest

from document_examples import python_blocks, run_block

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(("page", "num_results"), [("spark.md", 18), ("spark-sql.md", 7), ("streaming.md", 4)])
def test_the_examples(page: str, num_results: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_block("\n".join(python_blocks(DOCS / page))) == num_results
