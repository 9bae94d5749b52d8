"""What can the command do? Told as Markdown: `python -m eligo.cli.shared.reference` writes what docs/cli.md holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import typer

from eligo.cli.app import COMMANDS, app, eligo
from eligo.cli.shared.help_text import help_text

HEADER = """\
# The `eligo` command

<!-- Written by `make docs-cli`; a test compares it with the command. -->
"""


def reference() -> str:
    """The Markdown text."""
    group: Any = typer.main.get_command(app)
    sections = [HEADER, _help(eligo), *_parameters(group)]
    for function in COMMANDS:
        name, command = function.__name__, group.commands[function.__name__]
        usage = " ".join([f"eligo {name}", *_usage(command)])
        sections += [f"## eligo {name}\n\n```\n{usage}\n```\n", _help(function), *_parameters(command)]
    return "\n".join(sections)


def _help(function: Callable[..., Any]) -> str:
    """Prose, and the examples in a code block."""
    text = help_text(function)
    examples = "\n".join(text.examples)
    return "\n\n".join([*text.paragraphs, f"```sh\n{examples}\n```\n"])


def _usage(command: Any) -> Iterator[str]:
    if any(parameter.param_type_name == "option" for parameter in command.params):
        yield "[OPTIONS]"
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            yield (parameter.metavar or parameter.name.upper()) + ("..." if parameter.nargs == -1 else "")
        elif parameter.required:
            yield f"{parameter.opts[0]} {parameter.metavar}"


def _parameters(command: Any) -> Iterator[str]:
    rows = [_row(parameter) for parameter in command.params if parameter.help]
    if rows:
        yield "\n".join(["| | |", "|---|---|", *rows]) + "\n"


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar or parameter.name.upper()}`"
    else:
        value = "" if parameter.is_flag else f" {parameter.metavar}"
        names = ", ".join(f"`{name}{value}`" for name in parameter.opts).replace("|", "\\|")
    default = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
    is_told = parameter.show_default is True and default not in (None, False)
    notes = f"{' Required.' if parameter.required else ''}{f' Default: `{default}`.' if is_told else ''}"
    return f"| {names} | {parameter.help}{notes} |"


if __name__ == "__main__":
    print(reference(), end="")
