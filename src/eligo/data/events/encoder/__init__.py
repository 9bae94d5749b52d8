"""How is an event that comes as a mapping encoded, value by value?"""
