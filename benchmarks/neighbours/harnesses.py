"""How is a harness of each language prepared and started? One class a way to get the library."""

from __future__ import annotations

import os
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.neighbours import preparing
from benchmarks.neighbours.preparing import HERE, PreparationError

JAVA, RUST, GO = HERE / "java", HERE / "a_tree", HERE / "be_indexer"
JAVA_OPTIONS = ("-XX:+UseSerialGC", "-Xms1g", "-Xmx8g")
"""One thread asks, so the collector needs no other; the rest is as Java chooses."""


class Harness(ABC):
    """What asks a library."""

    @abstractmethod
    def place(self) -> Path:
        """Where it is once prepared; a `PreparationError` says that it can never be here."""

    @abstractmethod
    def prepare(self, target: Path) -> None:
        """Fetch and compile, into an empty directory."""

    @abstractmethod
    def command(self, path: Path) -> list[str]:
        """What starts it."""

    def environment(self, path: Path) -> Mapping[str, str]:
        """What it needs beyond the environment that is there."""
        return {}


def require(*tools: str) -> None:
    """Say which tool is missing."""
    for tool in tools:
        if shutil.which(preparing.java_tool(tool)) is None:
            raise PreparationError(f"there is no {tool} here")


def given(variable: str, what: str) -> str:
    """The place of a library that is in no registry."""
    found = os.environ.get(variable)
    if not found:
        raise PreparationError(f"{variable} is not set; it names {what}")
    return found


@dataclass(frozen=True)
class JavaHarness(Harness):
    """A library from a Maven repository, by the coordinates in a pom."""

    name: str
    main: str

    @property
    def sources(self) -> list[Path]:
        return [JAVA / "Harness.java", JAVA / f"{self.main}.java"]

    @property
    def pom(self) -> Path:
        return JAVA / f"{self.name}.pom.xml"

    def place(self) -> Path:
        require("java", "javac", "mvn")
        return preparing.place(self.name, self.pom, *self.sources)

    def prepare(self, target: Path) -> None:
        preparing.fetch_jars(self.pom, target)
        preparing.compile_java(self.sources, f"{target}/*", target)

    def command(self, path: Path) -> list[str]:
        return [preparing.java_tool("java"), *JAVA_OPTIONS, "-cp", f"{path}{os.pathsep}{path}/*", self.main]


@dataclass(frozen=True)
class GivenJavaHarness(Harness):
    """A library whose class path is in the environment."""

    name: str
    what: str
    main: str
    variable: str

    @property
    def sources(self) -> list[Path]:
        return [JAVA / "Harness.java", JAVA / f"{self.main}.java"]

    def class_path(self) -> str:
        return given(self.variable, f"the class path of {self.what}")

    def place(self) -> Path:
        class_path = self.class_path()
        require("java", "javac")
        return preparing.place(self.name, *self.sources, given=class_path)

    def prepare(self, target: Path) -> None:
        preparing.compile_java(self.sources, self.class_path(), target)

    def command(self, path: Path) -> list[str]:
        whole = f"{path}{os.pathsep}{self.class_path()}"
        return [preparing.java_tool("java"), *JAVA_OPTIONS, "-cp", whole, self.main]


@dataclass(frozen=True)
class RustHarness(Harness):
    """A crate."""

    name: str

    def place(self) -> Path:
        require("cargo")
        return preparing.place(self.name, RUST / "Cargo.toml", RUST / "src" / "main.rs")

    def prepare(self, target: Path) -> None:
        shutil.copytree(RUST, target / "source")
        preparing.run("cargo", "build", "--release", "--quiet", "--target-dir", target / "built", cwd=target / "source")

    def command(self, path: Path) -> list[str]:
        return [str(path / "built" / "release" / "a-tree-harness")]


@dataclass(frozen=True)
class GivenGoHarness(Harness):
    """A Go module whose directory is in the environment."""

    name: str
    module: str
    variable: str

    def directory(self) -> str:
        return given(self.variable, f"the directory of {self.module}")

    def place(self) -> Path:
        directory = self.directory()
        require("go")
        return preparing.place(self.name, GO / "main.go", given=directory)

    def prepare(self, target: Path) -> None:
        shutil.copy(GO / "main.go", target)
        preparing.run("go", "mod", "init", "harness", cwd=target)
        preparing.run("go", "mod", "edit", f"-replace={self.module}={self.directory()}", cwd=target)
        preparing.run("go", "mod", "tidy", cwd=target)
        preparing.run("go", "build", "-o", "harness", ".", cwd=target)

    def command(self, path: Path) -> list[str]:
        return [str(path / "harness")]


@dataclass(frozen=True)
class PythonHarness(Harness):
    """A module of this folder, with packages that are no dependencies of the project."""

    module: str
    requirements: tuple[str, ...] = ()

    def place(self) -> Path:
        if not self.requirements:
            return HERE
        return preparing.place(self.module, given=" ".join((*self.requirements, sys.version)))

    def prepare(self, target: Path) -> None:
        preparing.install_python(target, *self.requirements)

    def command(self, path: Path) -> list[str]:
        return [sys.executable, "-m", f"benchmarks.neighbours.{self.module}"]

    def environment(self, path: Path) -> Mapping[str, str]:
        """The benchmarks and the packages in front of what is there, and one thread."""
        inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        packages = [str(path)] if self.requirements else []
        paths = [*packages, str(HERE.parent.parent), *inherited]
        return {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "POLARS_MAX_THREADS": "1"}
