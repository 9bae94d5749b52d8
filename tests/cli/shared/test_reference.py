from __future__ import annotations

from pathlib import Path

import pytest

from eligo.cli.app import COMMANDS
from eligo.cli.shared.help_text import help_text
from eligo.cli.shared.reference import reference

CLI_PAGE = Path(__file__).parents[3] / "docs" / "cli.md"


def test_the_page_is_current() -> None:
    assert CLI_PAGE.read_text(encoding="utf-8") == reference(), "run: make docs-cli"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_every_command_has_an_example(command: object) -> None:
    examples = help_text(command).examples  # type: ignore[arg-type]
    assert examples
    assert all(f"eligo {command.__name__}" in example for example in examples)  # type: ignore[attr-defined]
