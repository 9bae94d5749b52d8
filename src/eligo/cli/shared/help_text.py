"""How does a docstring become help? Paragraphs flow; the lines of examples stay."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

EXAMPLES = "Examples:\n"


class HelpText(NamedTuple):
    """The parts of a command's docstring."""

    paragraphs: list[str]
    """One line each."""
    examples: list[str]
    """Commands to type."""

    def __str__(self) -> str:
        shown = "\n".join(f"  {example}" for example in self.examples)
        return "\n\n".join([*self.paragraphs, f"{EXAMPLES}{shown}"])


def help_text(command: Callable[..., Any]) -> HelpText:
    """The help in a command's docstring, which ends in examples."""
    prose, _, examples = inspect.cleandoc(command.__doc__ or "").partition(EXAMPLES)
    paragraphs = [" ".join(paragraph.split()) for paragraph in prose.strip().split("\n\n")]
    return HelpText(paragraphs, [line.strip() for line in examples.strip().splitlines()])
