"""Which loops look something up in a vocabulary?"""
