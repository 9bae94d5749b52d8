"""How do the pages become a site? `python -m website OUT` stages them and runs Sphinx."""
