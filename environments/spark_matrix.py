"""On which Sparks does Eligo run? The Spark tests in an environment for each, and a table in docs/spark.md.

    python -m environments.spark_matrix                       all versions, all tests of an ordinary run
    python -m environments.spark_matrix --long                all versions, the long tests of Spark and of connectors
    python -m environments.spark_matrix 4.0 4.3 --tests tests/spark/matching

An environment has its own PySpark and what Spark Connect needs, and everything else from the project's environment:
what differs is Spark alone. Results are kept for each file of tests, in `environments/results`, so that a matrix can be
run in pieces and on several machines; the table adds up the last run of each file, and says which files are missing.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from environments.environment import REPOSITORY, Environment, table
from environments.results import commit, keep, kept, one_after_another, today, write_between

PAGE = REPOSITORY / "docs" / "spark.md"
TABLE = "spark matrix"
RESULTS = "spark_matrix"

LACKING = {
    "4.0": "`eligo_matches` in SQL; table functions of SQL get rows instead of Arrow; declarative pipelines",
    "4.1": "",
    "4.2": "",
    "4.3": "",
}
"""The versions, oldest first, and what each cannot do."""

CONNECT = ("grpcio", "grpcio-status", "googleapis-common-protos", "protobuf", "zstandard")
"""What Spark Connect and declarative pipelines need beside PySpark."""
QUIET = ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning", "FutureWarning", "DeprecationWarning")
"""Warnings that are PySpark's own; those of an older one about a later Python, Arrow or pandas are not ours to mend."""
COUNTS = ("passed", "failed", "skipped")
ORDINARY, LONG = "ordinary", "long"
PLACES = {ORDINARY: ("tests/spark",), LONG: ("tests/spark", "tests/examples")}
"""Where the tests of each kind are; long ones are marked."""

Result = dict[str, Any]


def environment_of(version: str) -> Environment:
    """The environment with the latest PySpark of a minor version."""
    made = Environment(f"spark-{version}")
    made.make("--no-deps", f"pyspark=={version}.*", *CONNECT, beside=Path(sysconfig.get_path("purelib")))
    return made


def run_tests(version: str, kind: str, tests: Sequence[str]) -> Result:
    """Run tests in one Spark: what there was, and for each file how many passed, failed and were skipped."""
    environment = environment_of(version)
    filters = [argument for name in QUIET for argument in ("-W", f"ignore::{name}")]
    marked = ("-m", LONG) if kind == LONG else ()
    with tempfile.TemporaryDirectory(prefix="eligo-matrix-") as folder:
        report = Path(folder) / "report.xml"
        arguments = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *marked, f"--junitxml={report}", *filters, *tests)
        found = environment.run(*arguments, environment={"PYTHONPATH": str(REPOSITORY / "src")}, check=False)
        if found.returncode:
            print(found.stdout, found.stderr, sep="\n", file=sys.stderr)
        files = dict(by_file(report)) if report.exists() else {}
    run = {"day": today(), "commit": commit()}
    return {
        "spark": environment.run("-c", "import pyspark; print(pyspark.__version__)").stdout.strip(),
        "python": ".".join(map(str, sys.version_info[:3])),
        **{name: metadata.version(name) for name in ("pyarrow", "numpy", "pandas")},
        kind: {file: {**counts, **run} for file, counts in files.items()},
        "ended": found.returncode in (0, 1),
    }


def by_file(report: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """What pytest wrote of each file of tests, by its path in the repository."""
    counted: dict[str, dict[str, int]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        counts = counted.setdefault(file_of(case.get("classname", "")), dict.fromkeys(COUNTS, 0))
        found = {child.tag for child in case}
        counts["failed" if found & {"failure", "error"} else "skipped" if "skipped" in found else "passed"] += 1
    yield from counted.items()


def file_of(name: str) -> str:
    """The file of a module, or of a class in one."""
    parts = name.split(".")
    while parts and not (REPOSITORY / "/".join(parts)).with_suffix(".py").is_file():
        parts.pop()
    return f"{'/'.join(parts)}.py"


def files_of(kind: str) -> list[str]:
    """The files that have tests of a kind: those with long ones say so."""
    paths = [path for place in PLACES[kind] for path in sorted((REPOSITORY / place).rglob("test_*.py"))]
    texts = {str(path.relative_to(REPOSITORY)): path.read_text(encoding="utf-8") for path in paths}
    if kind == LONG:
        return [name for name, text in texts.items() if "pytest.mark.long" in text]
    return [name for name, text in texts.items() if "\npytestmark = pytest.mark.long" not in text]


def add(results: dict[str, Result], version: str, new: Result) -> None:
    """Put the files of a run in the place of what was known of them.

    What is known of several files together, their paths with spaces between, goes when one of them was run.
    """
    known = results.get(version, {})
    kinds: Result = {}
    for kind in (ORDINARY, LONG):
        run = new.get(kind, {})
        others = {files: counts for files, counts in known.get(kind, {}).items() if not {*files.split()} & {*run}}
        kinds[kind] = {**others, **run}
    results[version] = {**new, **kinds}


def matrix(results: Mapping[str, Result]) -> str:
    """The table of all versions that were run."""
    with_long = ("long: passed", "failed", "skipped")
    headings = (
        "Spark",
        "Python",
        "pyarrow",
        "numpy",
        "pandas",
        *COUNTS,
        *with_long,
        "cannot do",
        "not run",
        "run",
        "commit",
    )
    return table(headings, [_row(version, found) for version, found in sorted(results.items())])


def _row(version: str, found: Result) -> list[object]:
    cells: list[object] = [found[key] for key in ("spark", "python", "pyarrow", "numpy", "pandas")]
    missing: list[str] = []
    days: set[str] = set()
    commits: list[str] = []
    for kind in (ORDINARY, LONG):
        there = files_of(kind)
        run = {files: counts for files, counts in found.get(kind, {}).items() if {*files.split()} & {*there}}
        covered = {file for files in run for file in files.split()}
        cells += [sum(counts[name] for counts in run.values()) for name in COUNTS]
        days |= {counts["day"] for counts in run.values()}
        commits += [counts["commit"] for counts in run.values()]
        missing += [f"`{file}`{' (long)' if kind == LONG else ''}" for file in there if file not in covered]
    last = max(days, default="–")
    return [*cells, LACKING[version] or "–", " ".join(missing) or "–", last, one_after_another(commits)]


def main() -> None:
    """Run the tests in the versions that are named, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=[*LACKING], help=", ".join(LACKING))
    parser.add_argument("--tests", nargs="+", help="files or folders of tests; all of them unless given")
    parser.add_argument("--long", action="store_true", help="the long tests instead of the ordinary ones")
    parser.add_argument("--table", action="store_true", help="only write the table of what was run")
    given = parser.parse_args()
    if given.table:
        write_between(PAGE, TABLE, matrix(kept(RESULTS)))
        return
    kind = LONG if given.long else ORDINARY
    has_failed = False
    for version in given.versions:
        if version not in LACKING:
            raise SystemExit(f"{version} is none of {', '.join(LACKING)}")
        found = run_tests(version, kind, given.tests or PLACES[kind])
        failed = sum(counts["failed"] for counts in found[kind].values())
        print(version, {name: sum(c[name] for c in found[kind].values()) for name in COUNTS}, flush=True)
        has_failed |= bool(failed) or not found.pop("ended")
        # Read again, because another version may have been run meanwhile.
        results = kept(RESULTS)
        add(results, version, found)
        keep(RESULTS, results)
        write_between(PAGE, TABLE, matrix(results))
    raise SystemExit(int(has_failed))


if __name__ == "__main__":
    main()
