"""`python -m website [OUT]`: builds the site, in `build/site` unless told otherwise. A warning fails it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from website.pages import REPOSITORY, stage


def build(out: Path) -> int:
    """Stage the pages and run Sphinx over them; its exit code."""
    from sphinx.cmd.build import main

    with tempfile.TemporaryDirectory(prefix="eligo-site-") as folder:
        source = Path(folder)
        stage(source)
        conf = str(REPOSITORY / "website")
        return main(
            ["-q", "-W", "--keep-going", "-E", "-b", "html", "-c", conf, "-d", f"{folder}/.trees", folder, str(out)]
        )


if __name__ == "__main__":
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "build/site")
    code = build(out)
    if code == 0:
        print(f"{out / 'index.html'}")
    sys.exit(code)
