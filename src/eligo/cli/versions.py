"""`eligo versions`: which versions of an index can be opened?"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from eligo.cli.build import readable_bytes
from eligo.cli.shared import options
from eligo.cli.shared.console import counted, messages
from eligo.index.stored.live_count import num_live_expressions
from eligo.storage.kept_versions import list_versions
from eligo.storage.manifest import Manifest
from eligo.storage.retention import remove_unreferenced


def versions(
    index: Annotated[str, typer.Argument(help="The directory of the index.", show_default=False)],
    keep: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=1,
            help="Remove all but the last so many, and the files that only they need.",
            show_default=False,
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the versions of an index that can be opened, oldest first; the last one is live.

    Files younger than a day are never removed, because a version that is being built may need them.

    Examples:
      eligo versions ads.index
      eligo versions ads.index --keep 3
    """
    if keep is not None:
        removed = remove_unreferenced(index, keep_versions=keep)
        messages().print(f"{counted(len(removed), 'file')} removed")
    found = list_versions(index)
    for manifest in found:
        num_live = num_live_expressions(index, manifest)
        is_live = manifest is found[-1]
        print(json.dumps(_fields(manifest, num_live)) if as_json else _line(manifest, num_live, is_live=is_live))


def _fields(manifest: Manifest, num_live: int) -> dict[str, object]:
    return {
        "version": manifest.version,
        "created": manifest.created.isoformat(),
        "expressions": num_live,
        "deltas": len(manifest.deltas),
        "bytes": manifest.num_bytes,
        "engine": manifest.settings.engine,
        "missing": manifest.settings.missing,
    }


def _line(manifest: Manifest, num_live: int, *, is_live: bool) -> str:
    deltas = f", {counted(len(manifest.deltas), 'update')} on top" if manifest.deltas else ""
    live = "  live" if is_live else ""
    return (
        f"{manifest.version:>6}  {manifest.created:%Y-%m-%d %H:%M:%S}  {num_live:>12,} expressions"
        f"  {readable_bytes(manifest.num_bytes):>9}{deltas}{live}"
    )
