"""How does a text become a tree? The grammar, in compiled loops, and help for what it refuses."""
