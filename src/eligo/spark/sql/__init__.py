"""How is Eligo asked in SQL?"""
