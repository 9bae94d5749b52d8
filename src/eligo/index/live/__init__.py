"""How do expressions change while others read them? By one state after another."""
