"""How does BoP match? It counts satisfied predicates, and evaluates the expressions that have enough of them."""
