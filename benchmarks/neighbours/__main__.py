"""How are the neighbours fetched? `python -m benchmarks.neighbours` prepares all of them, and says which cannot be."""

from __future__ import annotations

from benchmarks.neighbours.contenders import CONTENDERS, prepare


def main() -> int:
    """Prepare every contender; the exit code is 0 even if some cannot be, since the others can still be measured."""
    for contender in CONTENDERS:
        reason = prepare(contender)
        print(f"{contender.title}: {'ready' if reason is None else reason}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
