"""How are events encoded from the bytes that they come as?"""
