"""How is an environment made? Once, by venv and an installer, in a cache directory that outlives the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
CACHE = Path(
    os.environ.get("ELIGO_ENVIRONMENTS")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "eligo" / "environments"
)
"""Where environments stay, to be used again; `ELIGO_ENVIRONMENTS` names another place."""
MADE = ".made"
"""The file that says what an environment was made of; without it, making it did not come to its end."""


class Environment:
    """A directory with a Python of its own."""

    def __init__(self, name: str, python: str = sys.executable, below: Path = CACHE) -> None:
        self.directory = below / name
        self._base = python
        self._empty_bytes = 0

    @property
    def others_can_run(self) -> bool:
        """Whether another user can reach its Python, and what that is made of."""
        script = "import json, os, sys; print(os.path.realpath(sys.executable)); print(os.__file__)"
        paths = [Path(line) for line in self.run("-c", script).stdout.split()] + [self.python]
        return all(place.stat().st_mode & 0o005 == 0o005 for path in paths for place in path.parents)

    @property
    def python(self) -> Path:
        return self.directory / "bin" / "python"

    @property
    def packages(self) -> Path:
        """Where packages are installed."""
        (found,) = (self.directory / "lib").glob("python3.*/site-packages")
        return found

    def make(self, *arguments: str, beside: Path | None = None, uses_uv: bool = True) -> float:
        """Install this, unless it was made of the same before; how many seconds that took.

        With `beside`, a directory of packages, everything else comes from there.
        """
        recipe = "\n".join([self._base, str(beside), *arguments])
        marker = self.directory / MADE
        if marker.exists() and marker.read_text(encoding="utf-8") == recipe:
            return 0.0
        shutil.rmtree(self.directory, ignore_errors=True)
        subprocess.run([self._base, "-m", "venv", str(self.directory)], check=True)
        self._empty_bytes = self._num_bytes()
        start = time.perf_counter()
        subprocess.run([*installer(self.python, uses_uv), *arguments], check=True, cwd=REPOSITORY)
        if beside is not None:
            (self.packages / "beside.pth").write_text(f"{beside}\n", encoding="utf-8")
        seconds = time.perf_counter() - start
        marker.write_text(recipe, encoding="utf-8")
        return seconds

    def run(
        self, *arguments: str, environment: Mapping[str, str] | None = None, cwd: Path = REPOSITORY, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run its Python, and keep what it says; a failure shows what it was."""
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        found = subprocess.run(
            [str(self.python), *arguments],
            env={**kept, **(environment or {})},
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and found.returncode:
            raise SystemExit(f"{' '.join(arguments)} failed:\n{found.stdout}{found.stderr}")
        return found

    def installed_bytes(self) -> int:
        """What was installed takes on disk; pip and Python itself are not counted."""
        return self._num_bytes() - self._empty_bytes

    def _num_bytes(self) -> int:
        return bytes_below(self.directory)

    def largest(self, count: int) -> list[tuple[str, int]]:
        """The packages that take the most, and how many bytes."""
        sizes = {path.name: bytes_below(path) for path in self.packages.iterdir() if path.is_dir()}
        for folder in [name for name in sizes if name.endswith(".libs")]:
            owner = folder.removesuffix(".libs")
            sizes[owner] = sizes.get(owner, 0) + sizes.pop(folder)
        return sorted(sizes.items(), key=lambda each: -each[1])[:count]


def bytes_below(directory: Path) -> int:
    """What a directory takes on disk."""
    return sum(path.lstat().st_size for path in directory.rglob("*"))


def installer(python: Path, uses_uv: bool = True) -> Sequence[str]:
    """With uv where there is one, as `UV` or on the path, which is quicker; else the environment's own pip."""
    uv = os.environ.get("UV") or "uv"
    if uses_uv and shutil.which(uv):
        return [uv, "pip", "install", "--quiet", "--python", str(python)]
    return [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table as Markdown has it."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
