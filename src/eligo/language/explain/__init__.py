"""Why does an event satisfy an expression, or why not?"""
