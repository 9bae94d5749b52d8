"""`eligo rollback`: an earlier version of an index becomes live again."""

from __future__ import annotations

from typing import Annotated

import typer

from eligo.cli.build import KeepVersions
from eligo.cli.shared.console import counted, messages
from eligo.index.stored.live_count import num_live_expressions
from eligo.storage.manifest import read_manifest
from eligo.storage.rollback import roll_back


def rollback(
    index: Annotated[str, typer.Argument(help="The directory of the index.", show_default=False)],
    version: Annotated[
        int | None,
        typer.Argument(
            metavar="[VERSION]",
            help="The version to make live again; the one before the live one unless given.",
            show_default=False,
        ),
    ] = None,
    expected_version: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="Do nothing unless this version is live.", min=1, show_default="the live one"
        ),
    ] = None,
    keep_versions: KeepVersions = 10,
) -> None:
    """Make an earlier version of an index live again, as a new version of the same files.

    Nothing is undone: the version that was live stays among the versions, and a second rollback brings it back.
    eligo versions lists those that can come back.

    Examples:
      eligo rollback ads.index
      eligo rollback ads.index 7
      eligo rollback ads.index 7 --expected-version 9
    """
    before = read_manifest(index).version
    manifest = roll_back(index, version, expected_version=expected_version, keep_versions=keep_versions)
    number = num_live_expressions(index, manifest)
    what = f"what version {version} has" if version is not None else f"what was live before version {before}"
    messages().print(f"version {manifest.version} of {index} is live: {what}, {counted(number, 'expression')}")
