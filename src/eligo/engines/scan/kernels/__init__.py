"""Which loop evaluates every expression? The one that runs jump code."""
