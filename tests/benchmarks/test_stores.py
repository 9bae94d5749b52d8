"""Does the experiment on stores find what it compares, and count what workers fetch?"""

from __future__ import annotations

import urllib.request

import pytest

from benchmarks import runner
from benchmarks.experiments import stores
from benchmarks.s3_server import s3_served


def test_a_server_has_a_bucket() -> None:
    with s3_served() as server:
        bucket = server.top.removeprefix("s3://")
        with urllib.request.urlopen(f"{server.endpoint}/{bucket}?list-type=2") as answer:
            assert answer.status == 200 and b"<KeyCount>0</KeyCount>" in answer.read()


@pytest.mark.spark
@pytest.mark.long
def test_both_measurements() -> None:
    result = runner.run(stores.EXPERIMENT, "small", say=lambda line: None)
    start, fetched = result.row("warm_start"), result.row("downloads")
    assert start is not None and start.value is not None and start.value > 0
    assert (start.details or {})["cold"]["downloads"] > 0
    assert fetched is not None and fetched.value == 0
    details = fetched.details or {}
    assert details["second_job"]["downloads"] == 0 and details["kept_bytes"] > 0
