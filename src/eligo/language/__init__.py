"""What does an expression say, and what does it mean? The tree, its values, its canonical text, and the oracle."""
