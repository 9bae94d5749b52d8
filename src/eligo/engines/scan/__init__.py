"""What does matching cost without an index? The scan, which evaluates every expression."""
