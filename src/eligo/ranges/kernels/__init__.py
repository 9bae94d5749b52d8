"""Which loops put ranges into a structure, and find those that hold a cell?"""
