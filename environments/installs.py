"""What does it take to install Eligo, and does it work then? In fresh environments, with times and sizes.

    core                      pip install eligo
    core, another user        run by a user who cannot write to the environment and has an empty home
    core, read-only           run in an environment on which nobody can write, with no home at all
    spark                     pip install "eligo[spark]"

Each is installed from the wheel of this checkout and from the registry. Each answers the first example of the README
and `eligo query`; the one with Spark matches a table, too. Another user and a read-only mount need root, and another
user a Python that he can reach: `PYTHON` names one, such as the system's. Environments of `PUBLIC` are made where
everyone can read.

    python -m environments.installs
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from environments.environment import REPOSITORY, Environment, table

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
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.directory) if home is None else home}
        start = time.perf_counter()
        found = subprocess.run(
            [*self._prefix, str(self._bin / command), *arguments],
            cwd=self.directory,
            env=variables,
            user=self._user,
            capture_output=True,
            text=True,
            check=False,
        )
        if found.returncode:
            raise SystemExit(f"{command} {' '.join(arguments)}:\n{found.stdout}{found.stderr}")
        return found.stdout, time.perf_counter() - start

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


def main() -> None:
    """Install, try and measure."""
    rows: list[Sequence[object]] = []

    def add(name: str, environment: Environment, installed: float | None, took: tuple[float, float], more: str) -> None:
        size = f"{environment.num_bytes() / MEGABYTE:,.0f} MB"
        seconds = "–" if installed is None else f"{installed:.0f} s"
        rows.append([name, size, seconds, f"{took[0]:.1f} s", f"{took[1]:.1f} s", more])
        print(*rows[-1], flush=True)

    with tempfile.TemporaryDirectory(prefix="eligo-wheel-") as folder:
        made = wheel(Path(folder))
        print(f"{made.name}: {made.stat().st_size / MEGABYTE:.1f} MB")
        python = os.environ.get("PYTHON") or sys.executable
        core, spark = (Environment(f"install-{name}", python, PUBLIC) for name in ("core", "spark"))
        for environment in (core, spark):
            shutil.rmtree(environment.directory, ignore_errors=True)
        installed = core.make(str(made))
        if os.geteuid() == 0:
            if core.others_can_run:
                with trial(core, user=NOBODY) as tried:
                    add("core, another user", core, None, tried.answers(), "")
            else:
                print(f"core, another user: not tried, because others cannot run {python}; name a Python: PYTHON=…")
            with trial(core, prefix=read_only(core.directory)) as tried:
                add("core, read-only", core, None, tried.answers(home="/nonexistent"), "no home")
        with trial(core) as tried:
            add("core", core, installed, tried.answers(), "")
        installed = spark.make(f"{made}[spark]")
        with trial(spark) as tried:
            took = tried.answers()
            (tried.directory / "events.jsonl").write_text(EVENTS, encoding="utf-8")
            said, seconds = tried.run("eligo", "match", "ads.index", "events.jsonl", "--out", "-")
            if said.count("\n") != 2:
                raise SystemExit(f"eligo match answered {said}")
            add("spark", spark, installed, took, f"`eligo match` {seconds:.0f} s")
    print(table(("what", "size", "installed in", "first example", "query", ""), rows))


if __name__ == "__main__":
    main()
