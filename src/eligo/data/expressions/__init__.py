"""How do texts become a table of expressions over a vocabulary?"""
