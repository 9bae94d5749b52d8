"""Is every value accepted that the help of a command suggests, and no other?"""

from __future__ import annotations

import re
from typing import Any

import pytest
import typer

from eligo.cli.app import app
from eligo.data.file_format import TABLES, WRITTEN, FileFormat, format_of
from eligo.errors import InputError

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
CHOICES = [
    (name, option)
    for name, command in COMMANDS.items()
    for option in command.params
    if "|" in (metavar := str(getattr(option, "metavar", "") or "")) and not metavar.isupper()
]


@pytest.mark.parametrize(("name", "option"), CHOICES, ids=[f"{name} {option.opts[0]}" for name, option in CHOICES])
def test_choices(name: str, option: Any) -> None:
    command = COMMANDS[name]
    suggested = option.metavar.split("|")
    for value in [*suggested, "text", "csv", "maybe"]:
        context = command.make_context(name, [], resilient_parsing=True)
        context.resilient_parsing = False
        try:
            option.process_value(context, value)
        except typer.BadParameter as refusal:
            assert value not in suggested, refusal
        else:
            assert value in suggested


@pytest.mark.parametrize("among", [tuple(FileFormat), TABLES, WRITTEN])
def test_names_of_files(among: tuple[FileFormat, ...]) -> None:
    with pytest.raises(InputError) as caught:
        format_of("matches", among)
    extensions = re.findall(r"\.\w+", caught.value.help)
    assert extensions
    for extension in extensions:
        assert format_of(f"matches{extension}", among) in among
    formats = caught.value.help.rpartition("format: ")[2].split(", ")
    assert [FileFormat(each) for each in formats] == list(among)


def test_out_suggests_only_what_is_written() -> None:
    named = r"\.jsonl, \.ndjson, \.json, \.csv, \.parquet, or name the format: jsonl, parquet, csv"
    with pytest.raises(InputError, match=named):
        format_of("matches.txt", WRITTEN)
