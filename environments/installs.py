"""What does it take to install Eligo, and does it work then? In fresh environments, with times and sizes.

    core                      pip install eligo
    core, another user        run by a user who cannot write to the environment and has an empty home
    core, read-only           run in an environment on which nobody can write, with no home at all
    spark, stores, …          pip install "eligo[spark]", and so on: each extra, and all of them

Each is installed with pip from the wheel of this checkout and from the registry. Each answers the first example of the
README and `eligo query`, and does what its extra is for: a table is matched on Spark, a service answers over HTTP, a
store is asked for (there is none, and that is what is said). Another user and a read-only mount need root, and another
user a Python that he can reach: `PYTHON` names one, such as the system's. Environments are made in `PUBLIC`, where
everyone can read, and go when they were tried.

    python -m environments.installs
    python -m environments.installs core stores        some; what was known of others stays
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from environments.environment import REPOSITORY, Environment, table
from environments.results import commit, keep, kept, today, write_between

PAGE = REPOSITORY / "docs" / "installing.md"
TABLE = "installs"
RESULTS = "installs"
MEGABYTE = 1_000_000
PUBLIC = Path(tempfile.gettempdir()) / "eligo-environments"
"""For environments that other users run: a home may be closed to them."""
NOBODY = 65534
QUERY = '{"age": 27, "state": "NY", "device": "phone", "interests": ["golf", "food"]}'
EVENTS = f'{{"event_id": 1, {QUERY[1:]}\n'
"""The same event, which has the same two matches."""


def wheel(directory: Path) -> Path:
    """Build the wheel of this checkout, with the build backend of this environment."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--no-build-isolation", "--wheel-dir", str(directory), str(REPOSITORY)], check=True)
    (made,) = directory.glob("eligo-*.whl")
    return made


def first_example() -> str:
    """The first Python example of the README."""
    return (REPOSITORY / "README.md").read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]


class Trial:
    """A directory to work in, and the way in which processes are started there."""

    def __init__(self, environment: Environment, prefix: Sequence[str] = (), user: int | None = None) -> None:
        self._bin = environment.directory / "bin"
        self._prefix = prefix
        self._user = user
        self.directory = Path(tempfile.mkdtemp(prefix="eligo-trial-"))
        if user is not None:
            os.chown(self.directory, user, user)

    def run(self, command: str, *arguments: str, home: str | None = None) -> tuple[str, float]:
        """What a command of the environment prints, and its seconds."""
        start = time.perf_counter()
        with self.started(command, *arguments, home=home) as process:
            said, complaint = process.communicate()
        if process.returncode:
            raise SystemExit(f"{command} {' '.join(arguments)}:\n{said}{complaint}")
        return said, time.perf_counter() - start

    def started(self, command: str, *arguments: str, home: str | None = None, **more: str) -> subprocess.Popen[str]:
        """A command of the environment while it runs, with variables of its own."""
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.directory) if home is None else home, **more}
        return subprocess.Popen(
            [*self._prefix, str(self._bin / command), *arguments],
            cwd=self.directory,
            env=variables,
            user=self._user,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def answers(self, home: str | None = None) -> tuple[float, float]:
        """Seconds of the README's first example, and of a query of the index that it leaves."""
        _, example = self.run("python", "-c", first_example(), home=home)
        said, query = self.run("eligo", "query", "ads.index", QUERY, home=home)
        if said != '["golf", "shop"]\n':
            raise SystemExit(f"eligo query answered {said}")
        return example, query


@contextmanager
def trial(environment: Environment, prefix: Sequence[str] = (), user: int | None = None) -> Iterator[Trial]:
    """A trial, of which nothing stays."""
    made = Trial(environment, prefix, user)
    try:
        yield made
    finally:
        shutil.rmtree(made.directory, ignore_errors=True)


def read_only(directory: Path) -> list[str]:
    """What starts a process for which nothing in a directory can be written, not even by root."""
    place = shlex.quote(str(directory))
    script = f'mount --bind {place} {place} && mount -o remount,ro,bind {place} && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", script, "sh"]


def matches_a_table(tried: Trial) -> str:
    """On Spark."""
    (tried.directory / "events.jsonl").write_text(EVENTS, encoding="utf-8")
    said, seconds = tried.run("eligo", "match", "ads.index", "events.jsonl", "--out", "-")
    if said.count("\n") != 2:
        raise SystemExit(f"eligo match answered {said}")
    return f"`eligo match` {seconds:.0f} s"


def asks_a_store(tried: Trial) -> str:
    """There is none, which is said by who has looked for it."""
    nowhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_REGION": "us-east-1", "ELIGO_STORE_SECONDS": "2"}
    keys = {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none"}
    with tried.started("eligo", "query", "s3://bucket/ads.index", QUERY, **nowhere, **keys) as process:
        said, complaint = process.communicate()
    if not process.returncode or "cannot be reached" not in complaint:
        raise SystemExit(f"eligo query of a store that is not there:\n{said}{complaint}")
    return "a store that is not there is told"


def serves(tried: Trial) -> str:
    """A service answers that it is ready."""
    port, start = free_port(), time.perf_counter()
    with tried.started("eligo", "serve", "data", "--port", str(port)) as process:
        try:
            await_service(port, process)
            seconds = time.perf_counter() - start
        finally:
            process.terminate()
    return f"`eligo serve` is ready after {seconds:.0f} s"


def free_port() -> int:
    """One that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def await_service(port: int, process: subprocess.Popen[str]) -> None:
    """Wait until it says that it is ready; if it ends before, that is shown."""
    while not _is_ready(port):
        if process.poll() is not None:
            raise SystemExit(f"eligo serve ended:\n{''.join(filter(None, process.communicate()))}")
        time.sleep(0.05)


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


EXTRAS: Mapping[str, Sequence[Callable[[Trial], str]]] = {
    "core": (),
    "stores": (asks_a_store,),
    "service": (serves,),
    "spark": (matches_a_table,),
    "all": (asks_a_store, serves, matches_a_table),
}
"""What is installed, and what is tried with it."""
KINDS = ("core", "core, another user", "core, read-only", *(name for name in EXTRAS if name != "core"))


def rows_of(name: str, made: Path, python: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Install one of `EXTRAS`, and try it."""
    environment = Environment(f"install-{name}", python, PUBLIC)
    shutil.rmtree(environment.directory, ignore_errors=True)
    seconds = environment.make(str(made) if name == "core" else f"{made}[{name}]", uses_uv=False)
    about = {
        "megabytes": round(environment.installed_bytes() / MEGABYTE),
        "largest": {package: round(size / MEGABYTE) for package, size in environment.largest(3)},
        "python": environment.run("-c", "import platform; print(platform.python_version())").stdout.strip(),
        "commit": commit(),
        "day": today(),
    }

    def row(took: tuple[float, float], installed: float | None, more: str) -> dict[str, Any]:
        example, query = (round(each, 1) for each in took)
        installed = None if installed is None else round(installed)
        return {**about, "installed": installed, "example": example, "query": query, "more": more}

    # Those who can write beside the package come last: they leave compiled code there.
    if name == "core" and os.geteuid() == 0:
        if environment.others_can_run:
            with trial(environment, user=NOBODY) as tried:
                yield "core, another user", row(tried.answers(), None, "an empty home")
        else:
            print(f"core, another user: not tried, because others cannot run {python}; name a Python: PYTHON=…")
        with trial(environment, prefix=read_only(environment.directory)) as tried:
            yield "core, read-only", row(tried.answers(home="/nonexistent"), None, "no home")
    with trial(environment) as tried:
        took = tried.answers()
        yield name, row(took, seconds, ", ".join(use(tried) for use in EXTRAS[name]))
    shutil.rmtree(environment.directory)


def installs_table(results: Mapping[str, Any]) -> str:
    """A row for each kind that was tried."""
    rows: list[Sequence[object]] = []
    for kind in KINDS:
        if kind not in results:
            continue
        found = results[kind]
        ordered = sorted(found["largest"].items(), key=lambda each: -each[1])
        largest = ", ".join(f"{package} {size}" for package, size in ordered)
        installed = "–" if found["installed"] is None else f"{found['installed']} s"
        seconds = [f"{found[key]:.1f} s" for key in ("example", "query")]
        about = [found[key] for key in ("python", "day", "commit")]
        rows.append([kind, f"{found['megabytes']:,} MB", largest, installed, *seconds, found["more"] or "–", *about])
    first = ("what", "size", "the largest, in MB", "installed in")
    return table((*first, "first example", "query", "further", "Python", "run", "commit"), rows)


def main() -> None:
    """Install, try, measure and write the table."""
    names = sys.argv[1:] or [*EXTRAS]
    if not {*names} <= {*EXTRAS}:
        raise SystemExit(f"one of {' '.join(names)} is none of {', '.join(EXTRAS)}")
    with tempfile.TemporaryDirectory(prefix="eligo-wheel-") as folder:
        made = wheel(Path(folder))
        print(f"{made.name}: {made.stat().st_size / MEGABYTE:.1f} MB", flush=True)
        for name in names:
            for kind, found in rows_of(name, made, os.environ.get("PYTHON") or sys.executable):
                results = {**kept(RESULTS), kind: found}
                keep(RESULTS, results)
                write_between(PAGE, TABLE, installs_table(results))
                print(kind, found, flush=True)


if __name__ == "__main__":
    main()
