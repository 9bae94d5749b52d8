"""The entry point of the `eligo` command: light, so that an interruption while it loads is told like any other."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command that was typed; always ends in a SystemExit."""
    try:
        from eligo.cli.shared.ending import endings
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    with endings():
        from eligo.cli.app import app
        from eligo.cli.shared.downloads import shown_downloads

        with shown_downloads():
            app()
