"""Does the Spark matrix add up what was run? By version, file by file, the last run of each."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest

from environments.spark_matrix import (
    LACKING,
    LONG,
    ORDINARY,
    Result,
    add,
    by_file,
    circumstances,
    files_not_run,
    files_of,
    matrix,
    shown,
)
from hdfs_cluster import hadoop_version


def test_the_matrix_adds_up_the_files_of_each_version() -> None:
    about = dict.fromkeys(("python", "pyarrow", "numpy", "pandas"), "x")
    first, second = {"passed": 3, "failed": 1, "skipped": 0}, {"passed": 4, "failed": 0, "skipped": 2}
    file, other = files_of(ORDINARY)[:2]
    results: dict[str, Result] = {}
    for version in LACKING:
        add(
            results,
            version,
            {"spark": f"{version}.0", **about, ORDINARY: {file: {**first, "day": "2026-01-01", "commit": "old"}}},
        )
        run = {"day": "2026-01-02", "commit": "new"}
        more = {file: {**second, **run}, other: {**second, **run}}
        add(results, version, {"spark": f"{version}.1", **about, ORDINARY: more})
    told = matrix(results).splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in told if line.startswith("| 4")]
    assert [row[0] for row in rows] == [f"{version}.1" for version in LACKING]
    num_files, num_long = len(files_of(ORDINARY)), len(files_of(LONG))
    absent = f"{num_files - 2} of {num_files}, {num_long} of {num_long} long"
    for row in rows:
        assert row[2:] == ["8 passed, 4 skipped", "–", absent], "the last run of each file counts"
    assert circumstances(results).splitlines()[2] == "| 4.0.1 | x | x | x | x | 2026-01-02 | new |"


def test_files_that_were_not_run_are_listed_below() -> None:
    about = dict.fromkeys(("spark", "python", "pyarrow", "numpy", "pandas"), "x")
    counts = {"passed": 3, "failed": 1, "skipped": 0, "day": "2026-01-01", "commit": "old"}
    both = next(file for file in files_of(LONG) if file in files_of(ORDINARY))
    results: dict[str, Result] = {version: {**about} for version in LACKING}
    for version in LACKING:
        everything = {kind: dict.fromkeys(files_of(kind), counts) for kind in (ORDINARY, LONG)}
        results[version].update(everything)
    assert files_not_run(results) == ""
    assert shown(results).count("<details>") == 1
    del results["4.0"][ORDINARY][both], results["4.0"][LONG][both], results["4.2"][LONG][both]
    assert f"| `{both}` | 4.0 | 4.0, 4.2 |" in files_not_run(results)
    assert files_not_run(results).count("| `") == 1
    assert [row.split("|")[-2].strip() for row in matrix(results).splitlines()[2:]] == [
        f"1 of {len(files_of(ORDINARY))}, 1 of {len(files_of(LONG))} long",
        "–",
        f"1 of {len(files_of(LONG))} long",
        "–",
    ]
    told = shown(results)
    assert told.startswith(f"{matrix(results)}\n\n<details>") and told.endswith("</details>")
    assert circumstances(results) in told and files_not_run(results) in told


def test_files_that_were_counted_together_go_when_one_is_run_again() -> None:
    about = dict.fromkeys(("spark", "python", "pyarrow", "numpy", "pandas"), "x")
    counts = {"passed": 3, "failed": 1, "skipped": 0, "day": "2026-01-01", "commit": "old"}
    first, second, third = files_of(ORDINARY)[:3]
    results: dict[str, Result] = {"4.0": {**about, ORDINARY: {f"{first} {second}": counts}}}
    assert "| 3 passed, 1 failed |" in matrix(results) and f"`{first}` | 4.0" not in files_not_run(results)
    add(results, "4.0", {**about, ORDINARY: {third: counts}})
    assert [*results["4.0"][ORDINARY]] == [f"{first} {second}", third]
    add(results, "4.0", {**about, ORDINARY: {second: counts}})
    assert [*results["4.0"][ORDINARY]] == [third, second]
    assert f"`{first}` | 4.0" in files_not_run(results)


def test_the_files_of_a_run_are_told_apart(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite>"
        '<testcase classname="tests.environments.test_wheel"/>'
        '<testcase classname="tests.environments.test_wheel.TestClass"><skipped/></testcase>'
        '<testcase classname="tests.test_errors"><failure/></testcase>'
        '<testcase classname="tests.test_errors"><error/></testcase>'
        "</testsuite></testsuites>"
    )
    assert dict(by_file(report)) == {
        "tests/environments/test_wheel.py": {"passed": 1, "failed": 0, "skipped": 1},
        "tests/test_errors.py": {"passed": 0, "failed": 2, "skipped": 0},
    }


def test_every_long_test_of_spark_is_in_the_matrix() -> None:
    assert {"tests/spark/session/test_connect.py", "tests/examples/test_table_formats.py"} <= {*files_of(LONG)}
    assert "tests/spark/session/test_connect.py" not in files_of(ORDINARY)


def test_hadoop_in_tests_is_that_of_pyspark() -> None:
    assert hadoop_version(["hadoop-client-runtime-3.4.1.jar", "hadoop-client-api-3.4.1.jar", "log4j-1.jar"]) == "3.4.1"
    [jar] = (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-api-*.jar")
    assert jar.name == f"hadoop-client-api-{hadoop_version([jar.name])}.jar"
    with pytest.raises(FileNotFoundError):
        hadoop_version(["log4j-1.jar"])
