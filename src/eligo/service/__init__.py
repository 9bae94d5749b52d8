"""How do users subscribe, sources publish, and the system deliver?"""
