"""`eligo fmt`: how should these expressions be written? In their canonical texts, in place or to stdout."""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from eligo.cli.shared import options
from eligo.cli.shared.console import ExitCode, counted, messages, output
from eligo.cli.shared.expression_file import Columns, ParquetFile
from eligo.cli.shared.file_content import STANDARD_STREAM
from eligo.cli.shared.parsed_file import ParsedFile, parse_files
from eligo.cli.shared.problems import print_problem
from eligo.data.file_format import COMPRESSED
from eligo.errors import InputError
from eligo.language.canonical import canonical_text
from eligo.language.tree import Expression
from eligo.stores.address import Address, Place, place
from eligo.stores.store import store_of


class Syntax(StrEnum):
    """How the expressions are written."""

    ELIGO = "eligo"
    SQL = "sql"


def fmt(
    files: options.ExpressionFiles,
    in_place: Annotated[bool, typer.Option("--in-place", "-i", help="Rewrite the files.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; name what would change, and exit with 1 if anything would.")
    ] = False,
    simplify: Annotated[
        bool, typer.Option("--simplify", help="Also make expressions shorter where their meaning stays the same.")
    ] = False,
    missing: options.Missing = options.MissingPolicy.UNKNOWN,
    syntax: Annotated[
        Syntax,
        typer.Option(
            "--from", metavar="eligo|sql", help="How the expressions are written; sql is the text of a WHERE clause."
        ),
    ] = Syntax.ELIGO,
    format: options.Format = None,
    id_column: options.IdColumn = "id",
    expression_column: options.ExpressionColumn = "expression",
    delimiter: options.Delimiter = ",",
) -> None:
    """Rewrite expressions to their canonical text.

    Comments and blank lines stay. A line that cannot be parsed stays as it is and is reported, and the exit code is 1.
    --missing matters with --simplify only.

    Examples:
      eligo fmt rules.eligo
      eligo fmt --in-place rules.eligo ads.csv
      eligo fmt --check rules.eligo
      echo "age >= 18 AND state IN ('CA')" | eligo fmt --from sql -
    """
    if in_place and (check or STANDARD_STREAM in files):
        raise typer.BadParameter("goes with neither --check nor stdin", param_hint="--in-place")
    columns, from_sql = Columns(id_column, expression_column), syntax is Syntax.SQL
    parsed = parse_files(files, columns, format, from_sql=from_sql, delimiter=delimiter)
    num_changed = num_problems = 0
    for path, file in zip(files, parsed, strict=True):
        changed = _changed_texts(file, simplify=simplify, missing=missing)
        num_changed += len(changed)
        num_problems += len(file.problems)
        if check:
            _print_changes(file, changed)
        elif not in_place:
            _write_stdout(file, changed)
        elif changed:
            _replace(place(path), file.file.rewritten(changed))
        for problem in file.problems:
            print_problem(messages(), problem)
    _print_summary(num_changed, num_problems, check=check)
    raise typer.Exit(ExitCode.FOUND if num_problems or (check and num_changed) else ExitCode.FINE)


def _changed_texts(file: ParsedFile, *, simplify: bool, missing: options.MissingPolicy) -> dict[int, str]:
    """The new text of each entry that is not written canonically yet."""
    trees = ((number, file.tree(number)) for number in file.good)
    texts = ((number, canonical_text(_simplified(tree, missing) if simplify else tree)) for number, tree in trees)
    return {number: text for number, text in texts if file.file.differs(number, text)}


def _simplified(tree: Expression, missing: options.MissingPolicy) -> Expression:
    from eligo.language.rewrites.simplify import simplify

    return simplify(tree, missing=missing.value)


def _print_changes(file: ParsedFile, changed: dict[int, str]) -> None:
    console = output()
    for number, text in changed.items():
        place = f"{file.file.name}:{file.file.entries[number].line}"
        console.print(Text.assemble((place, "bold"), ": would become ", (text, "green")))


def _write_stdout(file: ParsedFile, changed: dict[int, str]) -> None:
    if isinstance(file.file, ParquetFile):
        raise InputError(f"{file.file.name} is Parquet, which stdout cannot show", help="give --in-place or --check")
    sys.stdout.flush()
    sys.stdout.buffer.write(file.file.rewritten(changed))
    sys.stdout.buffer.flush()


def _replace(path: Place, content: bytes) -> None:
    """Put a new content in the place of a file's, whole or not at all, with the same permissions."""
    written = gzip.compress(content, mtime=0) if path.name.endswith(COMPRESSED) else content
    if isinstance(path, Address):
        store_of(path).put(path.key, [written])
        return
    target = path.resolve()
    if target.is_dir():
        raise InputError(f"{path} is a directory of files", help="name the files in it")
    descriptor, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(written)
        os.chmod(partial, target.stat().st_mode & 0o7777)
        os.replace(partial, target)
    except BaseException:
        os.unlink(partial)
        raise


def _print_summary(num_changed: int, num_problems: int, *, check: bool) -> None:
    verb = "would change" if check else "changed"
    changes = f"{counted(num_changed, 'expression')} {verb}" if num_changed else "nothing to change"
    problems = f", {counted(num_problems, 'problem')} (such rows stay as they are)" if num_problems else ""
    is_fine = not num_problems and not (check and num_changed)
    messages().print(Text(changes + problems, style="bold green" if is_fine else "bold red"))
