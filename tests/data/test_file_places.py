"""Is a job refused that would write where it reads, under whatever names the two places are given?"""

from __future__ import annotations

from pathlib import Path

import pytest

from eligo.data.file_places import require_apart
from eligo.errors import InputError
from eligo.stores.address import Address, Place


@pytest.mark.parametrize(
    ("target", "source"),
    [
        ("s3://b/x", "s3a://b/x"),
        ("s3a://b/x/", "s3://b/x"),
        ("s3://b/x", "s3a://b/x/day=1/a.parquet"),
        ("s3://b/x/new", "s3a://b/x"),
        ("s3://b", "s3a://b/x"),
        ("/data/x", "file:///data/x"),
        ("file:///data", "/data/x/a.parquet"),
        ("/data/x", Path("/data/x")),
        ("s3a://b/x", Address("s3", "b", "x/a b.parquet")),
        ("hdfs:///x", "hdfs://name:8020/x"),
        ("hdfs://name:8020/x/y", "hdfs:///x"),
    ],
)
def test_one_place_under_two_names(target: str, source: str | Place) -> None:
    with pytest.raises(InputError, match="would overwrite"):
        require_apart(target, "/elsewhere", source)


@pytest.mark.parametrize(
    ("target", "source"),
    [
        ("s3://b/x", "s3a://b/x2"),
        ("s3://b/x", "s3://c/x"),
        ("s3://b/x", "gs://b/x"),
        ("/b/x", "s3://b/x"),
        ("file:///data/x", "/data/xy"),
        ("hdfs://one:8020/x", "hdfs://other:8020/x"),
        ("hdfs:///x", "s3://b/x"),
    ],
)
def test_two_places(target: str, source: str) -> None:
    require_apart(target, source)


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(InputError, match="would overwrite"):
        require_apart(f"file://{tmp_path / 'link'}", str(tmp_path / "real" / "x"))
