"""Is every address known or refused by name, and none of them taken for a directory?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import eligo
from eligo import arguments
from eligo.errors import InputError
from eligo.storage.rollback import rollback
from eligo.stores.address import Address, is_address, located, named, place, told_place


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("s3://bucket/ads.index", Address("s3", "bucket", "ads.index")),
        ("s3a://bucket/a/ads.index/", Address("s3", "bucket", "a/ads.index")),
        ("S3://bucket", Address("s3", "bucket", "")),
        ("gs://bucket/x", Address("gs", "bucket", "x")),
        ("abfss://c@account.dfs.core.windows.net/x", Address("abfss", "c@account.dfs.core.windows.net", "x")),
        ("hdfs://namenode:8020/x", Address("hdfs", "namenode:8020", "x")),
        ("hdfs:///x", Address("hdfs", "", "x")),
    ],
)
def test_known_addresses(text: str, address: Address) -> None:
    assert place(text) == address == place(str(address))
    assert is_address(text) and place(located(text)) == address


@pytest.mark.parametrize("text", ["file:///data/x", "file:/data/x", "file://localhost/data/x", "FILE:///data/x"])
def test_a_file_is_a_path(text: str) -> None:
    assert place(text) == Path("/data/x")
    assert arguments.path(text) == "/data/x" == named(text)
    assert not is_address(text)


@pytest.mark.parametrize("text", ["ads.index", "./a:b", "a:/b", "/data/s3:x", "~x", "C:/x"])
def test_what_has_no_scheme_is_a_path(text: str) -> None:
    assert place(text) == Path(text) and arguments.path(text) == text


@pytest.mark.parametrize("text", ["ftp://x/y", "wasb://c@a/x", "https://host/x", "x://y", "dbfs://x"])
def test_an_unknown_scheme_is_refused_with_the_list(text: str) -> None:
    with pytest.raises(InputError, match="not known") as caught:
        place(text)
    assert all(f"{scheme}://" in caught.value.help for scheme in ("file", "s3", "s3a", "gs", "abfss", "hdfs"))


@pytest.mark.parametrize(
    "text",
    [
        "s3://key:hidden@bucket/x",
        "s3://bucket/x?X-Amz-Signature=hidden",
        "abfss://c:hidden@account/x",
        "hdfs://user:hidden@node:8020/x",
        "gs://bucket/x#hidden",
        "file://hidden/x?",
    ],
)
def test_an_address_carries_no_credentials_and_none_are_shown(text: str) -> None:
    with pytest.raises(InputError) as caught:
        place(text)
    assert "hidden" not in str(caught.value) or text.startswith("file")


@pytest.mark.parametrize("text", ["s3://b//x", "s3://b/../x", "s3://b/./x", "s3:///x", "s3://", "abfss://account/x"])
def test_what_names_no_place_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        place(text)


def test_what_another_program_tells() -> None:
    assert told_place("file:///data/day%201%25/a") == told_place("/data/day%201%25/a") == Path("/data/day 1%/a")
    assert told_place("s3n://b/x%20y/") == told_place("s3a://b/x y") == Address("s3", "b", "x y")
    assert told_place("abfs://c@a.dfs.core.windows.net/x") == place("abfss://c@a.dfs.core.windows.net/x")
    assert told_place("dbfs:/x") is None


def test_a_path_object_that_lost_a_slash_is_refused() -> None:
    for text in ("s3://bucket/x", "hdfs://node/x"):
        with pytest.raises(InputError, match="string"):
            place(Path(text))


def test_no_directory_is_made_for_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    index = eligo.build({1: "a = 1"}, engine="scan")
    for address in ("ftp://bucket/x", "s3n://bucket/x"):
        for ask in (eligo.open, eligo.verify, rollback, index.save, index.publish):
            with pytest.raises(InputError, match="not known"):
                ask(address)
    for address in ("s3a://bucket/x", "ftp://bucket/x"):
        with pytest.raises(InputError, match="path of this machine"):
            eligo.DocumentBase(address)
    assert os.listdir(tmp_path) == []
