"""Does deploy/Dockerfile do what it says? Its steps, run without Docker in a fresh environment.

FROM is the environment's Python, COPY copies into a directory of the trial, ARG and ENV are variables, of which those
that name places lead into the trial; RUN is run by `sh`, and ENTRYPOINT as USER where this is root. What Docker itself
does with layers and users is not tried.

    python -m environments.dockerfile                   without an extra
    python -m environments.dockerfile '[service]'       with EXTRA=[service]: what deploy/kubernetes.yaml runs

With the service, it is started too, as the image's user, and has to say that it is ready.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from environments.environment import REPOSITORY, Environment
from environments.installs import PUBLIC, QUERY, await_service, first_example, free_port, wheel

DOCKERFILE = REPOSITORY / "deploy" / "Dockerfile"
KNOWN = ("FROM", "ARG", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT")


class Step(NamedTuple):
    """One instruction."""

    name: str
    arguments: str


def steps(text: str) -> list[Step]:
    """The instructions of a Dockerfile; one that is not known here is an error."""
    lines = re.sub(r"\\\n", " ", text).splitlines()
    found = [Step(*line.split(maxsplit=1)) for line in lines if line.strip() and not line.startswith("#")]
    for step in found:
        if step.name not in KNOWN:
            raise SystemExit(f"{step.name} is none of {', '.join(KNOWN)}")
    return found


class Image:
    """What the steps have made so far."""

    def __init__(self, root: Path, environment: Environment, context: Path, extra: str = "") -> None:
        self._root = root
        self._given = {"EXTRA": extra}
        self._context = context
        self._user: int | None = None
        self.variables = {"PATH": f"{environment.directory / 'bin'}:{os.environ['PATH']}", "HOME": str(root)}

    def apply(self, step: Step) -> None:
        """Do one step."""
        if step.name in ("ARG", "ENV"):
            name, _, value = step.arguments.partition("=")
            given = self._given.get(name) or self.expanded(value)
            is_place = given.startswith("/") and not given.startswith(str(self._root))
            self.variables[name] = f"{self._root}{given}" if is_place else given
        elif step.name == "COPY":
            source, target = self.expanded(step.arguments).split()
            Path(target).mkdir(parents=True)
            for path in glob.glob(str(self._context / source)):
                shutil.copy(path, target)
        elif step.name == "RUN":
            print(f"RUN {step.arguments}", flush=True)
            subprocess.run(["sh", "-c", step.arguments], env=self.variables, cwd=self._root, check=True)
        elif step.name == "USER":
            self._user = int(step.arguments)

    def expanded(self, text: str) -> str:
        """The text with the values of variables."""
        return re.sub(r"\$(\w+)", lambda found: self.variables[found[1]], text)

    def start(self, entrypoint: Step, *arguments: str) -> subprocess.Popen[str]:
        """The image's process when it is run so."""
        command = shutil.which(json.loads(entrypoint.arguments)[0], path=self.variables["PATH"])
        assert command is not None
        variables = {**self.variables, "HOME": "/nonexistent"}
        user = self._user if os.geteuid() == 0 else None
        return subprocess.Popen(
            [command, *arguments], env=variables, cwd="/", user=user, stdout=subprocess.PIPE, text=True
        )


def main() -> None:
    """Run all steps, then ask an index, and a service where there is one, as the image's user would."""
    extra = "".join(sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="eligo-image-") as folder:
        root = Path(folder)
        root.chmod(0o755)
        (root / "context" / "dist").mkdir(parents=True)
        wheel(root / "context" / "dist")
        environment = Environment("image", os.environ.get("PYTHON") or sys.executable, PUBLIC)
        shutil.rmtree(environment.directory, ignore_errors=True)
        environment.make("pip")
        image = Image(root, environment, root / "context", extra)
        if not environment.others_can_run:
            raise SystemExit("the image's user cannot run this Python: name one that all can run, PYTHON=…")
        listed = steps(DOCKERFILE.read_text(encoding="utf-8"))
        for step in listed:
            image.apply(step)
        index = root / "data"
        index.mkdir()
        subprocess.run([str(environment.python), "-c", first_example()], cwd=index, env=image.variables, check=True)
        said = image.start(listed[-1], "query", str(index / "ads.index"), QUERY).communicate()[0]
        if said != '["golf", "shop"]\n':
            raise SystemExit(f"the image answered {said}")
        if "service" in extra:
            served(image, listed, root / "served")
        shutil.rmtree(environment.directory)
        print(f"every step of deploy/Dockerfile was run with EXTRA={extra}, and the image's user got the right answer")


def served(image: Image, listed: Sequence[Step], directory: Path) -> None:
    """The image serves a directory of its user's."""
    (user,) = (int(step.arguments) for step in listed if step.name == "USER")
    directory.mkdir()
    if os.geteuid() == 0:
        os.chown(directory, user, user)
    port = free_port()
    with image.start(listed[-1], "serve", str(directory), "--port", str(port)) as process:
        try:
            await_service(port, process)
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
