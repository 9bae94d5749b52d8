"""Do the tutorial's commands print, and its examples give, what the page says? Run from its first line to its last."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from document_examples import run_page

from .conftest import EligoCommand, Outcome

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"


@pytest.mark.usefixtures("spark")
def test_the_tutorial(eligo_command: EligoCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark runs already, in another directory, so commands are given whole paths, which are cut from the output."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> Outcome:
        whole = (tmp_path / each if Path(each).suffix in (".csv", ".jsonl", ".index") else each for each in arguments)
        outcome = eligo_command(*whole)
        return replace(outcome, out=outcome.out.replace(f"{tmp_path}/", ""))

    assert run_page(PAGE, command) == 25
