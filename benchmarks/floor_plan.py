"""How is the house laid out? Files a folder, imports that cross a concept, and what three walks touch.

    python -m benchmarks.floor_plan                    the tree as it is
    python -m benchmarks.floor_plan --before REVISION  beside it, the tree of a revision

A concept is a folder of the tree as it is, together with its `kernels`. The files of the older tree belong to the
concept that they have moved to since, by Git's renames; so both trees are measured with one rule.

A walk is run, with the kernels interpreted, and every function of Eligo that is called is noted, in the driver and in
Spark's workers. What runs only because a module is loaded does not count.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parent.parent
KERNELS = "kernels"

TRACER = """
import os, sys
target, source = os.environ.get("ELIGO_WALK_TRACE"), os.environ.get("ELIGO_WALK_SOURCE")
OPTIMIZED = 1  # the flag of a function's code; modules and class bodies lack it
seen = set()

def note(frame, event, argument):
    code = frame.f_code
    if event != "call" or code in seen or not code.co_filename.startswith(source):
        return
    outer = frame
    while outer is not None:
        if outer.f_code.co_filename == "<frozen importlib._bootstrap>":
            return  # called while a module is loaded
        outer = outer.f_back
    seen.add(code)
    if code.co_flags & OPTIMIZED:
        name = code.co_qualname.partition(".<locals>")[0]
        if not name.startswith("<"):
            with open(target, "a") as file:
                file.write(f"{os.path.relpath(code.co_filename, source)} {name}\\n")

if target and source and not os.environ.pop("ELIGO_WALK_DRIVER", None):
    sys.setprofile(note)
"""
"""Python loads it at its start, as `sitecustomize`; the driver begins later, when all is set up."""

SET_UP = """
import os, sys, tempfile
from pathlib import Path
import eligo
from sitecustomize import note
TEXT = "age between 18 and 34 and (state in ('CA', 'NY') or not device = 'tv')"
EVENT = {"age": 27, "state": "NY", "device": "phone"}
where = Path(tempfile.mkdtemp())
"""
ON_SPARK = """
import eligo.spark
spark = eligo.spark.local_session()
expressions = spark.createDataFrame([("golf", TEXT)], "id string, expression string")
events = spark.createDataFrame([("e1", 27, "NY", "phone")], "event_id string, age long, state string, device string")
"""

WALKS = {
    "an expression, by the library": ("", 'eligo.build({"golf": TEXT}).save(where / "index")'),
    "an expression, by Spark": (ON_SPARK, 'eligo.spark.build(expressions, where / "index")'),
    "an event, by Spark": (
        ON_SPARK + 'eligo.build({"golf": TEXT}).save(where / "index")\n',
        'eligo.spark.match(events, where / "index").write.parquet(str(where / "matches"))',
    ),
    "an insert": ('index = eligo.build({"golf": TEXT})\n', 'index.insert("shop", TEXT)'),
}
"""What is made ready for each, and what is walked."""


class Plan(NamedTuple):
    """Figures of one tree."""

    files_of_folder: Mapping[str, int]
    names_twice: list[str]
    """Names of files that stand in several folders."""
    imports: int
    """Pairs of a file and another that it imports."""
    across_concepts: int
    apart: int
    """Imports that stay within a concept and lead to another folder; `kernels` of the concept is no other."""
    kernels_elsewhere: int
    """Imports of a kernel by what is none and stands in another folder."""


def modules(source: Path) -> dict[str, Path]:
    """The files of a package by their dotted names, without the `__init__` of folders."""
    files = sorted(path for path in source.rglob("*.py") if path.name != "__init__.py")
    return {".".join(path.relative_to(source.parent).with_suffix("").parts): path for path in files}


def imported(path: Path, known: Mapping[str, Path]) -> Iterator[Path]:
    """The files of the package that a file imports anywhere, each as often as it says so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [name for alias in node.names for name in (f"{node.module}.{alias.name}", node.module)]
        yield from (known[name] for name in names if name in known)


def room(file: str) -> str:
    """The folder of a file, named from the top of the package; kernels belong to what they stand in."""
    parts = Path(file).parts[:-1]
    return "/".join(parts[:-1] if len(parts) > 1 and parts[-1] == KERNELS else parts) or "."


def is_kernel(file: str) -> bool:
    """Whether a file stands in a folder of kernels."""
    return Path(file).parent.name == KERNELS


def plan(source: Path, concept_of: Mapping[str, str]) -> Plan:
    """The figures of a tree; a file that is in no list of moves belongs to the concept of its folder."""
    known = modules(source)
    place = {path: path.relative_to(source).as_posix() for path in known.values()}
    files = Counter(str(Path(file).parent) for file in place.values())
    stems = Counter(path.stem for path in known.values())
    pairs = {(place[path], place[other]) for path in known.values() for other in imported(path, known) if other != path}
    concepts = {file: concept_of.get(file, room(file)) for file in place.values()}
    inside = [(left, right) for left, right in pairs if concepts[left] == concepts[right]]
    return Plan(
        dict(sorted(files.items())),
        sorted(stem for stem, count in stems.items() if count > 1),
        len(pairs),
        len(pairs) - len(inside),
        sum(room(left) != room(right) for left, right in inside),
        sum(room(left) != room(right) for left, right in pairs if is_kernel(right) and not is_kernel(left)),
    )


def calls(source: Path, name: str) -> set[tuple[str, str]]:
    """Run a walk with the package of a tree: every function that it calls, with its file."""
    ready, walked = WALKS[name]
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch) / "calls"
        (Path(scratch) / "sitecustomize.py").write_text(TRACER, encoding="utf-8")
        script = f"{SET_UP}{ready}sys.setprofile(note)\n{walked}\nsys.setprofile(None)\n"
        environment = os.environ | {
            "PYTHONPATH": f"{scratch}{os.pathsep}{source.parent}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "NUMBA_DISABLE_JIT": "1",
            "ELIGO_WALK_TRACE": str(target),
            "ELIGO_WALK_SOURCE": str(source),
            "ELIGO_WALK_DRIVER": "yes",
        }
        subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True)
        lines = target.read_text(encoding="utf-8").splitlines()
    return {(file, function) for file, function in map(str.split, lines)}


def moved(revision: str) -> dict[str, str]:
    """For each file of an older tree: the concept that it is in now."""
    command = ["git", "diff", "-M50%", "--name-status", revision, "--", "src/eligo"]
    rows = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout.splitlines()
    renames = [row.split("\t")[1:] for row in rows if row.startswith("R")]
    start = "src/eligo/"
    return {old.removeprefix(start): room(new.removeprefix(start)) for old, new in renames}


def extract(revision: str, directory: Path) -> Path:
    """The package of an older tree, written to a directory."""
    archive = subprocess.run(
        ["git", "archive", revision, "src"], cwd=REPOSITORY, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(directory, filter="data")
    return directory / "src" / "eligo"


def rows(found: Plan, source: Path) -> dict[str, str]:
    """The figures of a tree as they are shown."""
    largest = max(found.files_of_folder, key=lambda folder: found.files_of_folder[folder])
    shown = {
        "files": f"{sum(found.files_of_folder.values())}",
        "folders": f"{len(found.files_of_folder)}",
        "files of the largest folder": f"{found.files_of_folder[largest]} (`{largest}`)",
        "files a folder, on average": f"{sum(found.files_of_folder.values()) / len(found.files_of_folder):.1f}",
        "file names in several folders": f"{len(found.names_twice)}",
        "imports between files": f"{found.imports}",
        "that cross a concept": f"{found.across_concepts}",
        "that stay within one, but lead to another folder": f"{found.apart}",
        "imports of a kernel from another folder": f"{found.kernels_elsewhere}",
    }
    for name in WALKS:
        called = calls(source, name)
        files = {file for file, _ in called}
        shown[f"walk of {name}"] = f"{len(files)} files, {len(called)} functions"
    return shown


def main() -> None:
    """Print the figures as a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floor_plan", description="How is the house laid out?")
    parser.add_argument("--before", metavar="REVISION", help="an older tree to show beside it")
    revision = parser.parse_args().before
    source = REPOSITORY / "src" / "eligo"
    columns = {"now": rows(plan(source, {}), source)}
    if revision:
        with tempfile.TemporaryDirectory() as scratch:
            older = extract(revision, Path(scratch))
            columns = {"before": rows(plan(older, moved(revision)), older)} | columns
    print(f"| | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for name in columns["now"]:
        print(f"| {name} | {' | '.join(column[name] for column in columns.values())} |")


if __name__ == "__main__":
    main()
