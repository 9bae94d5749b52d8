"""What did the long shows of docs/reliability.md say when they were last run? Each by pytest, and a table of all.

    python -m environments.long_shows                      all of them
    python -m environments.long_shows versitygw kafka      some, by words of their names

A show is a few long tests of one promise, on one store. What it said is kept in `environments/results`; a further run
replaces the shows that it runs, and leaves the rows of others. The second S3 is versitygw: the one that
`ELIGO_VERSITYGW` names, or that is on the path, or that Go can fetch. What a show lacks is not passed over: skipped
tests are counted, and named with the reason.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from environments.environment import CACHE, REPOSITORY, table
from environments.results import commit, counts_in, keep, kept, today, write_between

PAGE = REPOSITORY / "docs" / "reliability.md"
TABLE = "long shows"
RESULTS = "long_shows"

RACES = "tests/storage/remote/test_races.py"
PUBLISHING = "tests/storage/remote/test_publishing.py"
EVERY_STORE = "tests/spark/session/test_every_store.py"
STORES = {
    "directory": "a directory",
    "s3": "S3 by moto",
    "second_s3": "S3 by versitygw",
    "hdfs": "HDFS, a mini cluster",
}
"""As the tests name them, and as people do."""
REMOTE = ("s3", "second_s3", "hdfs")


VERSITYGW = "github.com/versity/versitygw/cmd/versitygw@latest"
WARM_UP = "import sys; from eligo.cli.main import run; sys.argv[1:] = ['warmup']; run()"


def _shows() -> Iterator[tuple[str, tuple[str, ...]]]:
    for store in REMOTE:
        race = f"{RACES}::test_what_64_processes_publish_at_once_is_all_there[{store}]"
        kills = f"{RACES}::test_200_kills_leave_the_old_version_or_the_new_one[{store}]"
        yield f"64 publishers at once: {STORES[store]}", (race,)
        yield f"200 kills of a publisher: {STORES[store]}", (kills,)
    for store in STORES:
        python = f"{PUBLISHING}::test_50_000_events_have_the_same_matches[{store}]"
        yield f"50,000 events: {STORES[store]}", (python, f"{EVERY_STORE}::test_on_one_machine[{store}]")
    for store in ("s3", "hdfs"):
        apart = f"{EVERY_STORE}::test_on_workers_that_share_no_disk[{store}]"
        yield f"cluster without a shared disk: {STORES[store]}", (apart,)
    yield "ADD FILE: workers that know no store", ("tests/spark/session/test_added_index.py",)
    yield "credentials: workers that have none", ("tests/spark/session/test_shared_stores.py",)
    yield "kills of a stream", ("tests/spark/matching/test_faults_match.py",)
    yield "Kafka: kills of a stream", ("tests/examples/test_kafka_matches.py",)
    yield "Delta, Iceberg: kills of a stream", ("tests/examples/test_table_formats.py",)


SHOWS = dict(_shows())
"""The tests of each, of which those that are long are run."""
VERSIONS = ("pyspark", "pyarrow", "obstore", "hdfs-native", "moto")


def chosen(words: Sequence[str]) -> list[str]:
    """The shows whose names have one of the words; all of them without any."""
    found = [name for name in SHOWS if not words or any(word.lower() in name.lower() for word in words)]
    if not found:
        raise SystemExit(f"no show is about {' or '.join(words)}; there are: {'; '.join(SHOWS)}")
    return found


def second_s3() -> str | None:
    """The program that serves the second S3, which is fetched when there is none and Go is there to do it."""
    fetched = Path(os.environ.get("ELIGO_CONNECTORS") or CACHE, "bin", "versitygw")
    found = shutil.which(os.environ.get("ELIGO_VERSITYGW") or "versitygw") or shutil.which(str(fetched))
    if found is None and shutil.which("go"):
        print("fetching versitygw", flush=True)
        variables = {**os.environ, "GOBIN": str(fetched.parent)}
        subprocess.run(
            ["go", "install", "github.com/versity/versitygw/cmd/versitygw@latest"], env=variables, check=False
        )
        found = shutil.which(str(fetched))
    return found


def versions(program: str | None) -> dict[str, str]:
    """Of what the shows stand on."""
    found = {"Python": platform.python_version(), **{name: metadata.version(name) for name in VERSIONS}}
    return found if program is None else {**found, "versitygw": version_of(program)}


def version_of(program: str) -> str:
    """As Go knows it of a program that it has made; else as the program says."""
    asked = ["go", "version", "-m", program] if shutil.which("go") else [program, "--version"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    found = re.search(r"^\s*mod\s+\S+\s+(\S+)|^Version\s*:\s*(\S+)", said, re.MULTILINE)
    return next(filter(None, found.groups())) if found else "–"


def run_show(tests: Sequence[str], variables: Mapping[str, str]) -> dict[str, Any]:
    """Run the long tests of a show: how many ended how, which were skipped, and the seconds."""
    with tempfile.TemporaryDirectory(prefix="eligo-show-") as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-rs", "-m", "long", "-p", "no:cacheprovider"]
        start = time.perf_counter()
        code = subprocess.run(
            [*command, f"--junitxml={report}", *tests], env={**os.environ, **variables}, cwd=REPOSITORY, check=False
        ).returncode
        seconds = time.perf_counter() - start
        # Nothing to run, or a name that is no test: then a table of what was found would say too little.
        if code not in (0, 1):
            raise SystemExit(f"pytest ended with {code}: {' '.join(tests)}")
        return {**counts_in(report)._asdict(), "skips": skips(report), "seconds": round(seconds)}


def skips(report: Path) -> dict[str, str]:
    """Which tests were skipped, and why."""
    cases = ((case, case.find("skipped")) for case in ElementTree.parse(report).iter("testcase"))
    return {case.get("name", ""): found.get("message", "") for case, found in cases if found is not None}


def shows_table(results: Mapping[str, Any]) -> str:
    """A row for each show, and one that says so for those that were never run."""
    rows: list[Sequence[object]] = []
    for name in SHOWS:
        if name not in results:
            rows.append([name, *["–"] * 4, "not run", *["–"] * 3])
            continue
        found = results[name]
        skipped = "; ".join(f"`{test}`: {_in_a_cell(reason)}" for test, reason in found["skips"].items()) or "–"
        stands_on = ", ".join(f"{package} {version}" for package, version in found["versions"].items())
        counts = [found[key] for key in ("passed", "failed", "skipped")]
        rows.append([name, *counts, found["seconds"], skipped, stands_on, found["commit"], found["day"]])
    headings = ("show", "passed", "failed", "skipped", "seconds", "what was skipped", "versions", "commit", "run")
    return table(headings, rows)


def _in_a_cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def main() -> None:
    """Run the shows that were asked for, one after the other, and write the table after each."""
    names = chosen(sys.argv[1:])
    program = second_s3()
    paths = (str(REPOSITORY / "src"), os.environ.get("PYTHONPATH"))
    variables = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    if program is not None:
        variables["ELIGO_VERSITYGW"] = program
    # Or each of 64 processes would compile the same.
    subprocess.run([sys.executable, "-c", WARM_UP], env={**os.environ, **variables}, check=True)
    has_failed = False
    for name in names:
        print(f"{name}: {', '.join(SHOWS[name])}", flush=True)
        run = {"versions": versions(program), "commit": commit(), "day": today()}
        found = run_show(SHOWS[name], variables)
        has_failed |= bool(found["failed"])
        # Read again, because another run may have kept something meanwhile.
        results = {**kept(RESULTS), name: {**found, **run}}
        keep(RESULTS, results)
        write_between(PAGE, TABLE, shows_table(results))
    told = [kept(RESULTS)[name] for name in names]
    print(", ".join(f"{sum(found[key] for found in told)} {key}" for key in ("passed", "failed", "skipped")))
    raise SystemExit(int(has_failed))


if __name__ == "__main__":
    main()
