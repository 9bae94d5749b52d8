"""How does Fontoura 2010 match? Conjunctions first, by an index of any kind; then expressions, from below."""
