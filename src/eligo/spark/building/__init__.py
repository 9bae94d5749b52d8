"""How does a table of expressions become a live index? Check, build in executors, publish; then update."""
