"""Which loops turn conjunctions into a table of expressions, and matches of them into matches of expressions?"""
