"""How does an expression change its form and keep its meaning? One file for each rewrite."""
