"""How is a service asked from Python?"""
