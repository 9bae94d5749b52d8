"""Do the ranges of pyproject.toml say the truth? The tests with the lowest versions of all of them, or the newest.

    python -m environments.ends lowest        what each range begins with, on the oldest Python
    python -m environments.ends newest        the latest of everything, on this Python or the one that PYTHON names

Which versions these are, uv says (`UV`, or on the path). Further arguments are pytest's; unless there are any, all
tests run that need no Spark.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib

from environments.environment import CACHE, REPOSITORY, Environment

RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
TOOLS = ("hypothesis", "jsonschema", "pytest", "pytest-xdist")
"""Of the development tools, those that run tests; their versions are not what is tried."""
QUIET = ("DeprecationWarning", "FutureWarning", "PendingDeprecationWarning")
"""An old package that warns of a newer one, or a new one of what it will do, is no failure of ours."""


def resolved(end: str, python: str) -> str:
    """The file that pins every package that users install."""
    uv = os.environ.get("UV") or "uv"
    if not shutil.which(uv):
        raise SystemExit("this needs uv: pip install uv, or set UV to its path")
    CACHE.mkdir(parents=True, exist_ok=True)
    pins = CACHE / f"{end}.txt"
    command = [uv, "pip", "compile", "--quiet", "--upgrade", "--no-header", "--no-emit-index-url", "--all-extras"]
    command += ["--python", python, "--resolution", RESOLUTIONS[end], "--output-file", str(pins), "pyproject.toml"]
    subprocess.run(command, check=True, cwd=REPOSITORY)
    return str(pins)


def tools() -> list[str]:
    """What runs the tests, in the ranges of the project."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    return [text for text in project["dependency-groups"]["dev"] if text.partition(">=")[0] in TOOLS]


def main() -> None:
    """Make the environment of one end, say what is in it, and run tests there."""
    if len(sys.argv) < 2 or sys.argv[1] not in RESOLUTIONS:
        raise SystemExit(__doc__)
    end, *given = sys.argv[1:]
    python = os.environ.get("PYTHON") or sys.executable
    pins = resolved(end, python)
    with open(pins, encoding="utf-8") as file:
        pinned = [line.strip() for line in file if "==" in line]
    print(f"{end}: {', '.join(pinned)}", flush=True)
    environment = Environment(end, python)
    environment.make(*pinned, *tools())
    filters = [argument for name in QUIET for argument in ("-W", f"ignore::{name}")]
    tests = given or ["-m", "not spark and not long", "tests"]
    command = [str(environment.python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *filters, *tests]
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src"), "ELIGO_CACHE_DIR": str(CACHE / f"{end}-code")}
    raise SystemExit(subprocess.run(command, env=variables, cwd=REPOSITORY, check=False).returncode)


if __name__ == "__main__":
    main()
