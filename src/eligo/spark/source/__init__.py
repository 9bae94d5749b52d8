"""How does Spark read and write an index as a table?"""
