"""`eligo verify`: is an index as it was written?"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from eligo.cli.build import readable_bytes
from eligo.cli.shared import options
from eligo.cli.shared.console import ExitCode, counted, messages, output
from eligo.index.stored.verification import Verification
from eligo.index.stored.verification import verify as verify_index


def verify(
    index: Annotated[str, typer.Argument(help="The directory of the index.", show_default=False)],
    deep: Annotated[
        bool,
        typer.Option(
            "--deep",
            help="Look at every element of every array too, as for an index from somewhere else.",
            show_default=False,
        ),
    ] = False,
    version: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, help="This version only, not all that are kept.", show_default=False),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Read all files of an index and tell everything that is wrong with them.

    Checksums, sizes, types and lengths are compared, whether or not that was done before. With --deep every offset,
    number and reference is looked at as well, so that no one who has made checksums fit can lead matching outside of
    its arrays. The exit code is 1 when something is wrong.

    Examples:
      eligo verify ads.index
      eligo verify ads.index --deep --version 12
    """
    found = verify_index(index, version=version, deep=deep)
    if as_json:
        print(json.dumps(_fields(found)))
    else:
        for problem in found.problems:
            output().print(f"{problem.path}: {problem.what}", markup=False)
        messages().print(_summary(found), markup=False)
    if not found.is_whole:
        raise typer.Exit(ExitCode.FOUND)


def _fields(found: Verification) -> dict[str, object]:
    return {
        "versions": found.versions,
        "files": found.num_files,
        "bytes": found.num_bytes,
        "deep": found.is_deep,
        "problems": [{"path": str(problem.path), "problem": problem.what} for problem in found.problems],
    }


def _summary(found: Verification) -> str:
    how = "every element" if found.is_deep else "checksums, types and lengths"
    read = f"{counted(len(found.versions), 'version')}, {counted(found.num_files, 'file')}"
    verdict = counted(len(found.problems), "problem") if found.problems else "all is as it was written"
    return f"{read}, {readable_bytes(found.num_bytes)}, {how}: {verdict}"
