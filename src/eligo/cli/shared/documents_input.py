"""What documents does a command compare events with? Those of a document base, or of a file, in its order."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eligo.arguments import path as local_path
from eligo.data.file_format import FileFormat, format_of

if TYPE_CHECKING:
    from eligo.joins.document_base import DocumentBase

Documents = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="The documents that exists d (…) and forall d (…) are about: the directory of a document base, "
        "or a file, .jsonl or .parquet, in whose order they came.",
        show_default=False,
    ),
]
DocumentTime = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The attribute of the documents of a file that says when they came, for in last '7 days'.",
        show_default=False,
    ),
]

READ = (FileFormat.PARQUET, FileFormat.JSON_LINES)


def documents_given(path: str | None, time: str | None) -> DocumentBase | None:
    """The documents of a base or file; None when none are given."""
    if path is None:
        return None
    from eligo.errors import InputError
    from eligo.joins.document_base import DocumentBase

    path = local_path(path, "--documents")
    if not os.path.exists(path):
        raise InputError(f"there is no file {path}")
    if _is_base(path):
        if time is not None:
            raise InputError("a document base has its own times", help="leave out --document-time")
        return DocumentBase(path, read_only=True)
    base = DocumentBase(time=time)
    base.add_batch(_rows(path, time))
    return base


def _is_base(path: str) -> bool:
    return os.path.isdir(path) and not any(name.endswith(".parquet") for name in os.listdir(path))


def _rows(path: str, time: str | None) -> Any:
    if format_of(path, READ) is FileFormat.PARQUET:
        import pyarrow.dataset as ds

        return ds.dataset(path, format="parquet").to_table()
    from eligo.errors import InputError
    from eligo.language.moment import read_moment

    documents: list[Any] = []
    with open(path, encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                documents.append(json.loads(line))
            except ValueError as error:
                raise InputError(f"{path}, line {number} is not JSON: {error}") from None
            if time is not None and isinstance(documents[-1], dict) and isinstance(documents[-1].get(time), str):
                documents[-1][time] = read_moment(documents[-1][time])
    return documents
