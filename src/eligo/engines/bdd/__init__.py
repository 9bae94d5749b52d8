"""How is matching done with decision diagrams? One shared table of decisions, walked from the top."""
