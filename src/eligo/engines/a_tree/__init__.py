"""How does Eligo match by default? With the A-Tree, frozen: one graph of all shared subexpressions."""
