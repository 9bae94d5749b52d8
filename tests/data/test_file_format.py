"""Is the format of a file known by its name, and that of a directory by the files in it?"""

from __future__ import annotations

from pathlib import Path

import pytest

from eligo.data.file_format import TABLES, FileFormat, format_of
from eligo.errors import InputError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.CSV", FileFormat.CSV),
        ("a.jsonl.gz", FileFormat.JSON_LINES),
        ("s3://bucket/a.parquet", FileFormat.PARQUET),
        ("b.eligo", FileFormat.TEXT),
    ],
)
def test_names(name: str, expected: FileFormat) -> None:
    assert format_of(name) is expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (("part-0.csv", "_SUCCESS", ".part-0.csv.crc"), FileFormat.CSV),
        (("_SUCCESS", "day=2026-01-31/shop=7/part-0.parquet", "day=2026-02-01/_marks/x.csv"), FileFormat.PARQUET),
        (("a.csv", "b.parquet"), None),
        (("day/part-0.csv",), None),
        (("day=1/_SUCCESS",), None),
    ],
)
def test_directories(tmp_path: Path, files: tuple[str, ...], expected: FileFormat | None) -> None:
    for file in files:
        (tmp_path / "events" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "events" / file).touch()
    if expected is not None:
        assert format_of(str(tmp_path / "events"), TABLES) is expected
        return
    with pytest.raises(InputError, match="does not say what kind"):
        format_of(str(tmp_path / "events"), TABLES)
