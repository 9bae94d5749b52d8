"""Which loops encode expressions, count their predicates, and evaluate candidates?"""
