"""On which Sparks does Eligo run? The Spark tests in an environment for each, and a table in docs/spark.md.

    python -m environments.spark_matrix                       all versions, all tests of an ordinary run
    python -m environments.spark_matrix --long                all versions, the long tests of Spark and of connectors
    python -m environments.spark_matrix 4.0 4.3 --tests tests/spark/matching

An environment has its own PySpark and what Spark Connect needs, and everything else from the project's environment:
what differs is Spark alone. Results are kept for each file of tests, in `environments/results`, so that a matrix can be
run in pieces and on several machines; the table adds up the last run of each file, and below it, folded, stands which
files were not run.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
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
ABOUT = ("spark", "python", "pyarrow", "numpy", "pandas")
"""What is known of an environment."""
COUNTS = ("passed", "failed", "skipped")
KINDS = ORDINARY, LONG = "ordinary", "long"
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
    for kind in KINDS:
        run = new.get(kind, {})
        others = {files: counts for files, counts in known.get(kind, {}).items() if not {*files.split()} & {*run}}
        kinds[kind] = {**others, **run}
    results[version] = {**new, **kinds}


def shown(results: Mapping[str, Result]) -> str:
    """What the page shows: a table of all versions, and folded below it what else there was and what was not run."""
    parts = [matrix(results), _folded("With which versions of all else, and when", circumstances(results))]
    if absent := files_not_run(results):
        parts.append(_folded("Files of tests that were not run", absent))
    return "\n\n".join(parts)


def matrix(results: Mapping[str, Result]) -> str:
    """The table of all versions that were run."""
    headings = ("Spark", "cannot do", "tests", "long tests", "files not run")
    return table(headings, [_row(version, found) for version, found in sorted(results.items())])


def circumstances(results: Mapping[str, Result]) -> str:
    """What else there was in each environment, when tests were run, and of which commits."""
    rows = []
    for _, found in sorted(results.items()):
        run = [counts for kind in KINDS for counts in _still_there(found, kind).values()]
        last = max((counts["day"] for counts in run), default="–")
        rows.append([found[name] for name in ABOUT] + [last, one_after_another(counts["commit"] for counts in run)])
    return table(("Spark", "Python", *ABOUT[2:], "run", "commit"), rows)


def files_not_run(results: Mapping[str, Result]) -> str:
    """Which files of tests were not run in which Spark; nothing where all were run in all."""
    missing = {version: {kind: {*_not_run(found, kind)} for kind in KINDS} for version, found in results.items()}
    rows = []
    for file in sorted({*files_of(ORDINARY), *files_of(LONG)}):
        cells = [", ".join(version for version in sorted(missing) if file in missing[version][kind]) for kind in KINDS]
        if any(cells):
            rows.append([f"`{file}`", *(cell or "–" for cell in cells)])
    return table(("file", "tests not run in Spark", "long tests not run in Spark"), rows) if rows else ""


def _folded(title: str, text: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"


def _row(version: str, found: Result) -> list[object]:
    told = [_told(_still_there(found, kind).values()) for kind in KINDS]
    absent = {kind: len(_not_run(found, kind)) for kind in KINDS}
    missing = [
        f"{number} of {len(files_of(kind))}{' long' if kind == LONG else ''}"
        for kind, number in absent.items()
        if number
    ]
    return [found["spark"], LACKING[version] or "–", *told, ", ".join(missing) or "–"]


def _still_there(found: Result, kind: str) -> dict[str, Any]:
    """What is kept of the files of a kind, without those that are no longer there."""
    there = {*files_of(kind)}
    return {files: counts for files, counts in found.get(kind, {}).items() if {*files.split()} & there}


def _told(counts: Collection[Mapping[str, Any]]) -> str:
    """How many passed, and how many did not if any did."""
    if not counts:
        return "–"
    totals = {name: sum(own[name] for own in counts) for name in COUNTS}
    return ", ".join(f"{total} {name}" for name, total in totals.items() if total or name == "passed")


def _not_run(found: Result, kind: str) -> list[str]:
    """The files with tests of a kind that no kept run has."""
    run = {file for files in found.get(kind, {}) for file in files.split()}
    return [file for file in files_of(kind) if file not in run]


def main() -> None:
    """Run the tests in the versions that are named, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=[*LACKING], help=", ".join(LACKING))
    parser.add_argument("--tests", nargs="+", help="files or folders of tests; all of them unless given")
    parser.add_argument("--long", action="store_true", help="the long tests instead of the ordinary ones")
    parser.add_argument("--table", action="store_true", help="only write the table of what was run")
    given = parser.parse_args()
    if given.table:
        write_between(PAGE, TABLE, shown(kept(RESULTS)))
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
        write_between(PAGE, TABLE, shown(results))
    raise SystemExit(int(has_failed))


if __name__ == "__main__":
    main()
