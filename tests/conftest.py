"""What all tests share: hypothesis profiles and one Spark session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from hdfs_cluster import HdfsCluster, hdfs_cluster
from store_places import (
    ELSEWHERE,
    VERSITYGW,
    S3Server,
    free_port,
    s3_environment,
    s3_server,
    second_s3_server,
    versitygw,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from served import Served

# Kernels are compiled when they are first called, here and in the processes that tests start: it is their code that is
# tested, and not what is interpreted until it is there. Tests of that take the variable away.
os.environ.setdefault("ELIGO_COMPILE", "now")

# No deadline: the first example of a kernel compiles it. `too_slow` measures the machine, not the test.
settings.register_profile(
    "default", max_examples=60, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, database=None)
settings.register_profile("long", settings.get_profile("default"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test that uses the session is a `spark` test, so that `-m 'not spark'` leaves the quick ones."""
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session", autouse=True)
def _own_marks(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Marks of verified files, and copies of files of stores, go where pytest keeps what tests write.

    The S3 server that some tests start is named here, because Java and its workers know the environment of their start.
    """
    os.environ["ELIGO_VERIFIED"] = str(tmp_path_factory.mktemp("verified") / "marks")
    os.environ["ELIGO_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    os.environ.update(s3_environment(free_port()))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One local Spark for the whole run."""
    from eligo.spark.session.session import local_session

    # Two cores, and a second attempt for a task that fails, as clusters give it.
    session = local_session("eligo tests", master="local[2,2]")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """One S3 server for the whole run: the one that the environment names."""
    with s3_server(os.environ["AWS_ENDPOINT_URL"], tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A server that the environment does not lead to."""
    endpoint = f"http://127.0.0.1:{free_port()}"
    with s3_server(endpoint, tmp_path_factory.mktemp("elsewhere"), ELSEWHERE) as server:
        yield server


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HdfsCluster]:
    """One HDFS for the whole run."""
    with hdfs_cluster(tmp_path_factory.mktemp("hdfs")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def _second_s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    if versitygw() is None:
        pytest.skip(f"the second S3 needs versitygw on the path, or {VERSITYGW} to name it")
    with second_s3_server(tmp_path_factory.mktemp("second_s3")) as server:
        yield server


@pytest.fixture
def second_s3(_second_s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    """Another S3 than moto's, while a test runs that starts no Spark: it is where the environment leads to."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", _second_s3_server.endpoint)
    return _second_s3_server


STORES = ("s3", pytest.param("second_s3", marks=pytest.mark.long), pytest.param("hdfs", marks=pytest.mark.long))


@pytest.fixture(params=STORES)
def store_home(request: pytest.FixtureRequest) -> str:
    """A place for an index, in each kind of store, where there is nothing yet."""
    server: S3Server | HdfsCluster = request.getfixturevalue(request.param)
    return server.new_home()


@pytest.fixture(params=("directory", *STORES))
def home(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same, in a directory too."""
    if request.param == "directory":
        return str(tmp_path / "ads.index")
    server: S3Server | HdfsCluster = request.getfixturevalue(request.param)
    return server.new_home()


@pytest.fixture
def asked() -> Iterator[Served]:
    """A service in memory behind a server of its own."""
    from served import served

    with served() as running:
        yield running
