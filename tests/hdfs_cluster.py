"""Where does HDFS come from in tests? From Hadoop's own mini-cluster, in a Java process, with jars from Maven.

What PySpark brings of Hadoop is taken from there. The two jars that it does not bring, of the same version, are fetched
once by `mvn` to `~/.cache/eligo-tests/hadoop`, or lie in the directory that the environment variable
`ELIGO_HADOOP_JARS` names.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

JARS = "ELIGO_HADOOP_JARS"
MINI_CLUSTER, LOGGING = "org.apache.hadoop:hadoop-client-minicluster", "commons-logging:commons-logging:1.3.5"
_OF_PYSPARK = ("hadoop-client", "log4j-", "slf4j-", "snappy-java")
_CLIENT = re.compile(r"hadoop-client-api-(.+)\.jar")


class HdfsCluster:
    """A name node and a data node."""

    def __init__(self, port: int) -> None:
        self.port = port

    def new_home(self) -> str:
        """An address below which there is nothing."""
        return f"hdfs://127.0.0.1:{self.port}/{secrets.token_hex(8)}/ads.index"


@contextmanager
def hdfs_cluster(directory: Path) -> Iterator[HdfsCluster]:
    """A cluster for a while; its files are in the directory."""
    brought = [path for path in _jars_of_pyspark().glob("*.jar") if path.name.startswith(_OF_PYSPARK)]
    jars = [*map(str, _fetched(hadoop_version(path.name for path in brought))), *map(str, brought)]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    java = directory / "Cluster.java"
    java.write_text(CLUSTER, encoding="utf-8")
    command = [_java(), "-Xmx512m", "-cp", ":".join(jars), str(java), str(directory / "data"), str(port)]
    with (directory / "hdfs.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        for _ in range(1800):
            if "CLUSTER IS UP" in (directory / "hdfs.log").read_text(errors="replace"):
                break
            if process.poll() is not None:
                raise RuntimeError((directory / "hdfs.log").read_text(errors="replace")[-3000:])
            time.sleep(0.1)
        else:
            raise TimeoutError("the HDFS cluster does not come up")
        yield HdfsCluster(port)
    finally:
        process.terminate()
        process.wait(timeout=60)


def hadoop_version(jars: Iterable[str]) -> str:
    """Of the Hadoop whose client is among the jars."""
    found = [match[1] for match in map(_CLIENT.fullmatch, jars) if match is not None]
    if len(found) != 1:
        raise FileNotFoundError(f"PySpark brings {len(found)} clients of Hadoop, and one is needed")
    return found[0]


def _jars_of_pyspark() -> Path:
    return Path(pyspark.__file__).parent / "jars"


def _fetched(version: str) -> list[Path]:
    """The jars that PySpark does not bring; the directory may have those for other versions as well."""
    directory = Path(os.environ.get(JARS) or Path.home() / ".cache" / "eligo-tests" / "hadoop")
    jars = []
    for artifact in (f"{MINI_CLUSTER}:{version}", LOGGING):
        _, name, number = artifact.split(":")
        jars.append(directory / f"{name}-{number}.jar")
        if not jars[-1].exists():
            copy = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={directory}"]
            subprocess.run(copy, check=True, cwd=Path.home())
    return jars


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else "java"


CLUSTER = """
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

public class Cluster {
    public static void main(String[] arguments) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set("dfs.permissions.enabled", "false");
        configuration.set("dfs.namenode.fs-limits.min-block-size", "1");
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(configuration, new java.io.File(arguments[0]))
            .nameNodePort(Integer.parseInt(arguments[1])).numDataNodes(1).build();
        cluster.waitActive();
        System.out.println("CLUSTER IS UP");
        Thread.sleep(Long.MAX_VALUE);
    }
}
"""
