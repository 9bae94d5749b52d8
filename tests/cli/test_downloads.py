"""Is it told how far a file of a store is, when that takes a while, and not otherwise?"""

from __future__ import annotations

import hashlib
import os

import pytest

from eligo.cli.shared import downloads
from eligo.cli.shared.downloads import shown_downloads
from eligo.stores.address import Address, place
from eligo.stores.host_cache import fetched
from eligo.stores.store import store_of
from store_places import S3Server


def test_large_files_are_told(s3: S3Server, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(downloads, "SHOWN_FROM", 2_000_000)
    for size, is_told in ((1_999_999, False), (2_000_000, True)):
        address, data = place(s3.new_home()), os.urandom(size)
        assert isinstance(address, Address)
        store_of(address).put(address.key, [data])
        with shown_downloads():
            fetched(address, hashlib.sha256(data).hexdigest(), size)
        told = capfd.readouterr().err
        assert ("2 of 2 MB" in told) == is_told and (str(address) in told) == is_told
