"""How does a file of expressions become entries with places, and the entries a file again?

Plain text has one expression a line; JSON lines, CSV and Parquet have one a row. Nothing here parses expressions.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eligo.cli.shared.file_content import STANDARD_STREAM, read_content
from eligo.data.file_format import FileFormat, format_of
from eligo.errors import EligoError, InputError, shown
from eligo.stores.address import place

LONGEST_CSV_FIELD = 2**31 - 1
SHOWN_COLUMNS = 20


@dataclass(frozen=True)
class Entry:
    """One expression of a file."""

    file: str
    line: int
    """The line of the file on which it begins, from 1; in Parquet the row."""
    id: str | int | None
    """None in plain text, and where a table has no id."""
    form: str | Mapping[str, Any]
    """The text, or the JSON form."""


@dataclass(frozen=True)
class Problem:
    """Something wrong at a place of a file."""

    file: str
    line: int | None
    """The line of the file, from 1; in Parquet the row; None where it is not known."""
    id: str | int | None
    error: EligoError


@dataclass(frozen=True)
class Columns:
    """The names of the columns, or JSON fields, that have the ids and the expressions."""

    id: str = "id"
    expression: str = "expression"


class ExpressionFile(ABC):
    """A file of expressions: its entries, what in it could not even be read, and how to write it with other texts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []

    def differs(self, number: int, text: str) -> bool:
        """Whether an entry is written otherwise than with this text."""
        return self.entries[number].form != text

    @abstractmethod
    def rewritten(self, texts: Mapping[int, str]) -> bytes:
        """The file with new texts for some entries, by their number; all else stays."""

    def _add(self, line: int, id: Any, form: Any, columns: Columns) -> bool:
        """Keep a table's row as an entry, or as a problem when it has no expression."""
        known_id = id if isinstance(id, (str, int)) and not isinstance(id, bool) else None
        if isinstance(form, str) and form.lstrip().startswith("{"):  # the JSON form, as text
            try:
                form = json.loads(form)
            except (ValueError, RecursionError) as error:
                problem = InputError(f"{columns.expression!r} begins like the JSON form but is not JSON: {error}")
                self.problems.append(Problem(self.name, line, known_id, problem))
                return False
        if isinstance(form, (str, Mapping)):
            self.entries.append(Entry(self.name, line, known_id, form))
            return True
        what = "is missing" if form is None else f"is neither a text nor an object: {shown(form)}"
        self.problems.append(Problem(self.name, line, known_id, InputError(f"{columns.expression!r} {what}")))
        return False


def read_expression_file(
    path: str, columns: Columns, forced: FileFormat | None = None, delimiter: str = ","
) -> ExpressionFile:
    """Read a file, or stdin for `-` (plain text unless told otherwise); `delimiter` is that of CSV."""
    from_stdin = path == STANDARD_STREAM
    format = forced or (FileFormat.TEXT if from_stdin else format_of(path))
    name = "<stdin>" if from_stdin else path
    if format is FileFormat.PARQUET and not from_stdin:
        found = place(path, "the file")
        if isinstance(found, Path) and found.is_dir():
            return ParquetFile(name, found, columns)
    content = read_content(path)
    if format is FileFormat.PARQUET:
        return ParquetFile(name, io.BytesIO(content), columns)
    if format is FileFormat.JSON_LINES:
        return JsonLinesFile(name, content, columns)
    return CsvFile(name, content, columns, delimiter) if format is FileFormat.CSV else TextFile(name, content)


class LineFile(ExpressionFile):
    """A file in which an entry is a line; lines keep their ends and, when they are not text, their bytes."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(name)
        pieces = content.removeprefix(codecs.BOM_UTF8).split(b"\n")
        self._lines = [piece + b"\n" for piece in pieces[:-1]] + [piece for piece in pieces[-1:] if piece]
        self._row_of_entry: list[int] = []

    def _decoded(self, row: int) -> str | None:
        """The text of a line, or None when it is blank or no UTF-8."""
        try:
            text = self._lines[row].decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            message = f"byte {error.start + 1} of the line is not UTF-8"
            self.problems.append(Problem(self.name, row + 1, None, InputError(message, help="save it as UTF-8")))
            return None
        return text if text.strip() else None

    def _with_lines(self, new_lines: Mapping[int, str]) -> bytes:
        lines = list(self._lines)
        for number, text in new_lines.items():
            row = self._row_of_entry[number]
            old = lines[row]
            end = old[len(old.rstrip(b"\r\n")) :]
            lines[row] = text.encode("utf-8") + end
        return b"".join(lines)


class TextFile(LineFile):
    """One expression a line; blank lines and lines with nothing but a comment are no entries."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(name, content)
        for row in range(len(self._lines)):
            text = self._decoded(row)
            if text is None or text.lstrip().startswith("--"):
                continue
            self._row_of_entry.append(row)
            self.entries.append(Entry(name, row + 1, None, text))

    def differs(self, number: int, text: str) -> bool:
        return self.entries[number].form != self._line(number, text)

    def rewritten(self, texts: Mapping[int, str]) -> bytes:
        return self._with_lines({number: self._line(number, text) for number, text in texts.items()})

    def _line(self, number: int, text: str) -> str:
        """The line of an entry with a new text and the comment that it had."""
        form = self.entries[number].form
        assert isinstance(form, str)
        start = comment_start(form)
        return text if start is None else f"{text}  {form[start:].rstrip()}"


class JsonLinesFile(LineFile):
    """One JSON object a line."""

    def __init__(self, name: str, content: bytes, columns: Columns) -> None:
        super().__init__(name, content)
        self._columns = columns
        self._objects: list[dict[str, Any]] = []
        for row in range(len(self._lines)):
            text = self._decoded(row)
            if text is None:
                continue
            try:
                value = json.loads(text)
            except (ValueError, RecursionError) as error:
                self.problems.append(Problem(name, row + 1, None, InputError(f"not JSON: {error}")))
                continue
            if not isinstance(value, dict):
                problem = InputError(f"a line of JSON lines is an object, not {shown(value)}")
                self.problems.append(Problem(name, row + 1, None, problem))
            elif self._add(row + 1, value.get(columns.id), value.get(columns.expression), columns):
                self._row_of_entry.append(row)
                self._objects.append(value)

    def rewritten(self, texts: Mapping[int, str]) -> bytes:
        field = self._columns.expression
        changed = {number: {**self._objects[number], field: text} for number, text in texts.items()}
        return self._with_lines({number: json.dumps(value, ensure_ascii=False) for number, value in changed.items()})


class CsvFile(ExpressionFile):
    """Comma-separated values with a header; another sign may separate them."""

    def __init__(self, name: str, content: bytes, columns: Columns, delimiter: str = ",") -> None:
        super().__init__(name)
        self._content = content
        self._delimiter = delimiter
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{shown(name)}: byte {error.start + 1} is not UTF-8", help="save the file as UTF-8"
            ) from None
        self._line_end = "\r\n" if "\r\n" in text else "\n"
        csv.field_size_limit(LONGEST_CSV_FIELD)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        self._rows: list[list[str]] = []
        self._row_of_entry: list[int] = []
        first_line = 1
        for row in reader:
            self._rows.append(row)
            if len(self._rows) == 1:
                self._expression_at = _column_number(name, row, columns.expression)
                id_at = row.index(columns.id) if columns.id in row else None
            elif row:
                form = row[self._expression_at] if self._expression_at < len(row) else None
                id = row[id_at] if id_at is not None and id_at < len(row) else None
                if self._add(first_line, id, form or None, columns):
                    self._row_of_entry.append(len(self._rows) - 1)
            first_line = reader.line_num + 1

    def rewritten(self, texts: Mapping[int, str]) -> bytes:
        if not texts:
            return self._content
        rows = [list(row) for row in self._rows]
        for number, text in texts.items():
            rows[self._row_of_entry[number]][self._expression_at] = text
        written = io.StringIO(newline="")
        csv.writer(written, lineterminator=self._line_end, delimiter=self._delimiter).writerows(rows)
        return written.getvalue().encode("utf-8")


class ParquetFile(ExpressionFile):
    """A Parquet file; its places are rows, from 1."""

    def __init__(self, name: str, source: Any, columns: Columns) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        super().__init__(name)
        try:
            self._table = pq.read_table(source, coerce_int96_timestamp_unit="us")
        except (pa.ArrowException, OSError, ValueError) as error:
            raise InputError(f"{shown(name)} cannot be read as Parquet: {error}") from None
        self._expression_at = _column_number(name, self._table.column_names, columns.expression)
        self._row_of_entry: list[int] = []
        forms = self._table.column(self._expression_at).to_pylist()
        has_ids = columns.id in self._table.column_names
        ids = self._table.column(columns.id).to_pylist() if has_ids else [None] * len(forms)
        for row, (id, form) in enumerate(zip(ids, forms, strict=True)):
            if self._add(row + 1, id, form, columns):
                self._row_of_entry.append(row)

    def rewritten(self, texts: Mapping[int, str]) -> bytes:
        import pyarrow as pa
        import pyarrow.parquet as pq

        field = self._table.schema.field(self._expression_at)
        forms = self._table.column(self._expression_at).to_pylist()
        for number, text in texts.items():
            forms[self._row_of_entry[number]] = text
        table = self._table.set_column(self._expression_at, field, pa.array(forms, field.type))
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
        return buffer.getvalue()


def _column_number(file: str, names: list[str], wanted: str) -> int:
    if wanted not in names:
        raise InputError(
            f"{shown(file)} has no column {shown(wanted)}; it has {', '.join(map(shown, names[:SHOWN_COLUMNS]))}",
            help="name the column of the expressions with --expression-column",
        )
    return names.index(wanted)


def comment_start(line: str) -> int | None:
    """Where the comment at the end of a line begins: at the first `--` outside quotes."""
    quote = ""
    for position, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif line.startswith("--", position):
            return position
    return None
