"""What does Eligo cost, and against what? Workloads of the papers, experiments on them, stored results, plots."""

from __future__ import annotations

import os

# It is compiled code that is measured, here and in the processes that experiments start.
os.environ.setdefault("ELIGO_COMPILE", "now")
