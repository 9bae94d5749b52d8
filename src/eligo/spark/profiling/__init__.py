"""What is a table of expressions like?"""
