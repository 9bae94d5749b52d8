"""How is an index kept in a store, where nothing can be renamed or locked?"""
