"""What do the entries of a file mean? A tree for each good one, and everything that is wrong with the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from eligo.cli.shared.expression_file import Columns, Entry, ExpressionFile, Problem, read_expression_file
from eligo.cli.shared.file_content import read_json
from eligo.data.file_format import COMPRESSED, FileFormat
from eligo.errors import EligoError, InputError, shown
from eligo.language.tree import Expression
from eligo.stores.address import place

if TYPE_CHECKING:
    from eligo.data.lint.seen_events import SeenEvents
    from eligo.data.schema.schema import Schema
    from eligo.language.text.parse import Source

Result = Expression | EligoError
_TABLES = (".parquet", ".csv", ".jsonl", ".ndjson")
"""How the names of tables end that are not also those of JSON documents."""


class ParsedFile:
    """A file whose entries have been parsed."""

    def __init__(self, file: ExpressionFile, schema: Schema | None = None, *, from_sql: bool = False) -> None:
        self.file = file
        self._results: dict[int, Result] = {}
        """Of the entries that are not in the batch: those in the JSON form or in SQL."""
        for number, entry in enumerate(file.entries):
            if from_sql or isinstance(entry.form, Mapping):
                self._results[number] = _parsed(entry)
        from eligo.language.text.parse import parse_all

        is_text = [number not in self._results for number in range(len(file.entries))]
        self._batch = parse_all(
            [str(entry.form) if is_text[number] else "" for number, entry in enumerate(file.entries)]
        )
        errors = {number: [error] for number, error in self._errors()}
        if schema is not None:
            for number in range(len(file.entries)):
                if number not in errors and (violations := self._violations(number, schema)):
                    errors[number] = violations
        self.good = [number for number in range(len(file.entries)) if number not in errors]
        """The numbers of the entries that are expressions, and keep to the schema."""
        found = [_problem(file.entries[number], error) for number in errors for error in errors[number]]
        self.problems = sorted([*file.problems, *found], key=lambda problem: problem.line or 0)
        """All that is wrong, in the order of the file."""

    def tree(self, number: int) -> Expression:
        """The tree of a good entry."""
        result = self._results.get(number)
        if isinstance(result, EligoError):
            raise result
        return self._batch.tree(number) if result is None else result

    def source(self, number: int) -> Source | Expression:
        """A good entry with the places of its nodes, where it came as text."""
        from eligo.language.text.parse import parse_source

        result = self._results.get(number)
        if isinstance(result, EligoError):
            raise result
        return parse_source(str(self.file.entries[number].form)) if result is None else result

    def _errors(self) -> Iterator[tuple[int, EligoError]]:
        for number, error in self._batch.errors().items():
            if number not in self._results:
                yield number, error
        for number, result in self._results.items():
            if isinstance(result, EligoError):
                yield number, result

    def _violations(self, number: int, schema: Schema) -> list[EligoError]:
        return list(schema.check(self.source(number)))


def parse_files(
    paths: Sequence[str],
    columns: Columns,
    format: FileFormat | None = None,
    schema: Schema | None = None,
    *,
    from_sql: bool = False,
    delimiter: str = ",",
) -> list[ParsedFile]:
    """Read and parse files; what is wrong in any of them is collected, not raised."""
    files = [read_expression_file(path, columns, format, delimiter) for path in paths]
    return [ParsedFile(file, schema, from_sql=from_sql) for file in files]


def _parsed(entry: Entry) -> Result:
    """The tree of an entry in the JSON form or in SQL, or what is wrong with it."""
    try:
        if isinstance(entry.form, Mapping):
            from eligo.language.forms.json_form import from_json

            return from_json(entry.form)
        from eligo.language.forms.sql import from_sql

        return from_sql(entry.form)
    except EligoError as error:
        return error


def _problem(entry: Entry, error: EligoError) -> Problem:
    return Problem(entry.file, entry.line, entry.id, error)


def read_schema(path: str | None) -> Schema | None:
    """The schema in a JSON file."""
    if path is None:
        return None
    from eligo.data.schema.schema import Schema

    place(path, "the schema")  # a scheme that nobody knows is told first
    if path.removesuffix(COMPRESSED).endswith(_TABLES):
        raise InputError(
            f"{shown(path)} is a table of events, not a schema",
            help="make one of it: eligo schema FILE --out schema.json",
        )
    return Schema.from_json(read_json(path, "a schema"))


def read_seen(path: str | None, delimiter: str = ",") -> SeenEvents | None:
    """What the events of a file have."""
    if path is None:
        return None
    from eligo.data.lint.event_files import seen_in_file

    return seen_in_file(path, delimiter=delimiter)
