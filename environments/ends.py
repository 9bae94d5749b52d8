"""Do the ranges of pyproject.toml say the truth? The tests with the lowest versions of all of them, or the newest.

    python -m environments.ends lowest        what each range begins with, on the oldest Python
    python -m environments.ends newest        the latest of everything, on this Python or the one that PYTHON names
    python -m environments.ends newest tests/storage tests/stores        some of the tests

Which versions these are, uv says (`UV`, or on the path). Further arguments are pytest's; unless they say otherwise, all
tests run that need no Spark. Results are kept in `environments/results` until a version changes, so that tests can be
run in parts, and each row by whoever has its Python; `docs/installing.md` shows them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from typing import Any

from environments.environment import CACHE, REPOSITORY, Environment, table
from environments.results import commit, counts_in, keep, kept, one_after_another, pinned_version, today, write_between

RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
TOOLS = ("hypothesis", "jsonschema", "moto[server]", "pytest", "pytest-xdist")
"""Of the development tools, those that run tests."""
QUIET = ("DeprecationWarning", "FutureWarning", "PendingDeprecationWarning")
"""An old package that warns of a newer one, or a new one of what it will do, is no failure of ours."""
PAGE = REPOSITORY / "docs" / "installing.md"
TABLE = "versions"
RESULTS = "ends"
SHOWN = ("numba", "numpy", "pyarrow", "pandas", "pyspark", "sqlglot", "obstore")
"""The packages whose versions the table has."""
WITHOUT_SPARK = ("-m", "not spark and not long")


def resolved(end: str, python: str, name: str) -> str:
    """The pins of every package that users install, and of what runs the tests, which must agree with them."""
    uv = os.environ.get("UV") or "uv"
    if not shutil.which(uv):
        raise SystemExit("this needs uv: pip install uv, or set UV to its path")
    CACHE.mkdir(parents=True, exist_ok=True)
    pins, tools_file = CACHE / f"{name}.txt", CACHE / "tools.in"
    tools_file.write_text("\n".join(tools()), encoding="utf-8")
    command = [uv, "pip", "compile", "--quiet", "--upgrade", "--no-header", "--no-emit-index-url", "--all-extras"]
    command += ["--python", python, "--resolution", RESOLUTIONS[end], "--output-file", str(pins)]
    subprocess.run([*command, "pyproject.toml", str(tools_file)], check=True, cwd=REPOSITORY)
    return pins.read_text(encoding="utf-8")


def tools() -> list[str]:
    """What runs the tests, in the ranges of the project."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    return [text for text in project["dependency-groups"]["dev"] if text.partition(">=")[0] in TOOLS]


def version_of(python: str) -> str:
    """Such as 3.12.1."""
    script = "import platform; print(platform.python_version())"
    return subprocess.run([python, "-c", script], check=True, capture_output=True, text=True).stdout.strip()


def with_part(before: dict[str, Any], versions: dict[str, str], tests: str, part: dict[str, Any]) -> dict[str, Any]:
    """The result of an environment after a further part of the tests, which replaces those that it has tests of.

    Of other versions, nothing is kept.
    """
    parts = before["parts"] if before.get("versions") == versions else {}
    others = {name: found for name, found in parts.items() if not overlap(name, tests)}
    return {"versions": versions, "parts": {**others, tests: part}}


def overlap(one: str, other: str) -> bool:
    """Whether two lists of paths have a file in common."""
    pairs = ((_as_folder(a), _as_folder(b)) for a in one.split() for b in other.split())
    return any(a.startswith(b) or b.startswith(a) for a, b in pairs)


def _as_folder(path: str) -> str:
    return f"{path.replace('::', '/').rstrip('/')}/"


def versions_table(results: dict[str, Any]) -> str:
    """A row for each environment."""
    rows = []
    for name, found in sorted(results.items()):
        parts = found["parts"]
        sums = [sum(part[key] for part in parts.values()) for key in ("passed", "failed", "skipped")]
        tried = ", ".join(f"`{path}`" for tests in sorted(parts) for path in tests.split())
        day = max(part["day"] for part in parts.values())
        versions = [found["versions"][package] for package in ("Python", *SHOWN)]
        commits = one_after_another(part["commit"] for part in parts.values())
        rows.append([name.partition("-")[0], *versions, *sums, tried, day, commits])
    return table(("versions", "Python", *SHOWN, "passed", "failed", "skipped", "tests", "run", "commit"), rows)


def run_tests(environment: Environment, name: str, given: Sequence[str]) -> tuple[int, dict[str, Any]]:
    """Run tests in an environment: pytest's exit code, and the counts."""
    filters = [argument for category in QUIET for argument in ("-W", f"ignore::{category}")]
    report = CACHE / f"{name}.xml"
    report.unlink(missing_ok=True)
    marks = () if "-m" in given else WITHOUT_SPARK
    command = [str(environment.python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "ELIGO_CACHE_DIR": str(CACHE / f"{name}-code")}
    code = subprocess.run([*command, *filters, *marks, *given], env=variables, cwd=REPOSITORY, check=False).returncode
    if not report.exists():
        raise SystemExit(code or 1)
    return code, {**counts_in(report)._asdict(), "day": today(), "commit": commit()}


def main() -> None:
    """Make the environment of one end, say what is in it, run tests there and write the table."""
    if len(sys.argv) < 2 or sys.argv[1] not in RESOLUTIONS:
        raise SystemExit(__doc__)
    end, *given = sys.argv[1:]
    python = os.environ.get("PYTHON") or sys.executable
    version = version_of(python)
    name = f"{end}-{version.rpartition('.')[0]}"
    pins = resolved(end, python, name)
    pinned = [line.strip() for line in pins.splitlines() if "==" in line]
    print(f"{end}, Python {version}: {', '.join(pinned)}", flush=True)
    environment = Environment(name, python)
    environment.make(*pinned)
    tests = given or ["tests"]
    code, part = run_tests(environment, name, tests)
    results = kept(RESULTS)
    versions = {"Python": version, **{package: pinned_version(pins, package) for package in SHOWN}}
    paths = " ".join(argument for argument in tests if argument.startswith("tests"))
    results[name] = with_part(results.get(name, {}), versions, paths, part)
    keep(RESULTS, results)
    write_between(PAGE, TABLE, versions_table(results))
    raise SystemExit(code)


if __name__ == "__main__":
    main()
