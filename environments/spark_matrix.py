"""On which Sparks does Eligo run? The Spark tests in an environment for each, and a table in docs/spark.md.

    python -m environments.spark_matrix                       all versions, all tests
    python -m environments.spark_matrix 4.0 4.3 --tests tests/spark/matching

An environment has its own PySpark, and everything else from the project's environment: what differs is Spark alone.
Results are kept beside the environments, so that versions can be run one by one; the table has the last of each.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import sysconfig
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from environments.environment import CACHE, REPOSITORY, Environment, table
from environments.results import write_between

PAGE = REPOSITORY / "docs" / "spark.md"
TABLE = "spark matrix"
RESULTS = CACHE / "spark_matrix.json"

LACKING = {
    "4.0": "`eligo_matches` in SQL; table functions of SQL get rows instead of Arrow",
    "4.1": "",
    "4.2": "",
    "4.3": "",
}
"""The versions, oldest first, and what each cannot do."""

QUIET = ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning", "FutureWarning", "DeprecationWarning")
"""Warnings that are PySpark's own; those of an older one about a later Python, Arrow or pandas are not ours to mend."""


def environment_of(version: str) -> Environment:
    """The environment with the latest PySpark of a minor version."""
    made = Environment(f"spark-{version}")
    made.make("--no-deps", f"pyspark=={version}.*", beside=Path(sysconfig.get_path("purelib")))
    return made


def run_tests(version: str, tests: Sequence[str]) -> dict[str, str | int]:
    """Run the tests in one Spark: which version it was, and how many passed, failed and were skipped."""
    environment = environment_of(version)
    filters = [argument for name in QUIET for argument in ("-W", f"ignore::{name}")]
    arguments = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *filters, *tests)
    found = environment.run(*arguments, environment={"PYTHONPATH": str(REPOSITORY / "src")}, check=False)
    last = found.stdout.strip().rpartition("\n")[2]
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|errors?)", last)}
    if found.returncode:
        print(found.stdout, found.stderr, sep="\n", file=sys.stderr)
    installed = environment.run("-c", "import pyspark; print(pyspark.__version__)").stdout.strip()
    return {
        "spark": installed,
        "python": ".".join(map(str, sys.version_info[:3])),
        **{name: metadata.version(name) for name in ("pyarrow", "numpy", "pandas")},
        "passed": counts.get("passed", 0),
        "failed": counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0),
        "skipped": counts.get("skipped", 0),
        "tests": " ".join(tests),
        "day": datetime.now(UTC).date().isoformat(),
    }


def matrix(results: dict[str, dict[str, str | int]]) -> str:
    """The table of all versions that were run."""
    headings = (
        "Spark",
        "Python",
        "pyarrow",
        "numpy",
        "pandas",
        "passed",
        "failed",
        "skipped",
        "cannot do",
        "tests",
        "run",
    )
    keys = ("spark", "python", "pyarrow", "numpy", "pandas", "passed", "failed", "skipped")
    rows = [
        [*(found[key] for key in keys), LACKING[version] or "–", _in_code(str(found["tests"])), found["day"]]
        for version, found in sorted(results.items())
    ]
    return table(headings, rows)


def _in_code(paths: str) -> str:
    return " ".join(f"`{path}`" for path in paths.split())


def main() -> None:
    """Run the tests in the versions that are named, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", default=[*LACKING], help=", ".join(LACKING))
    parser.add_argument("--tests", nargs="+", default=["tests/spark"])
    given = parser.parse_args()
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for version in given.versions:
        if version not in LACKING:
            raise SystemExit(f"{version} is none of {', '.join(LACKING)}")
        results[version] = run_tests(version, given.tests)
        print(version, results[version], flush=True)
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1), encoding="utf-8")
    write_between(PAGE, TABLE, matrix(results))
    if any(results[version]["failed"] for version in given.versions):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
