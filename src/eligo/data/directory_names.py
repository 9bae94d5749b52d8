"""Which columns stand in the names of directories, such as `country=FR`? Their texts, as they were written.

Readers infer types from such names, so that `shop=007` would be 7; where that matters, the text is taken from here.
"""

from __future__ import annotations

from urllib.parse import unquote

NOTHING = "__HIVE_DEFAULT_PARTITION__"
"""In the place of a text that is null or empty."""


def directory_texts(file: str) -> dict[str, str | None]:
    """The columns in the directories of a file's path."""
    folders = [folder.partition("=") for folder in file.split("/")[:-1] if "=" in folder]
    return {unquote(name): None if text == NOTHING else unquote(text) for name, _, text in folders}
