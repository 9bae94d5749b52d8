"""Do the examples of the how-to pages give what they say?"""

from __future__ import annotations

from pathlib import Path

import pytest

from document_examples import python_blocks, run_block

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
RESULTS = {"from-case-ladders": 6, "from-percolator": 5, "standalone": 1, "kubernetes": 1, "databricks": 1, "emr": 1}
RESULTS |= {"serve": 0, "followers": 0}  # in a shell; see test_service_docs


def test_every_page_has_its_examples_run() -> None:
    assert {path.stem for path in HOW_TO.glob("*.md")} == set(RESULTS)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("page", RESULTS)
def test_the_examples(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_block("\n".join(python_blocks(HOW_TO / f"{page}.md"))) == RESULTS[page]
