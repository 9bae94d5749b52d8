"""Which loops write posting lists, walk through them, and rank what they find?"""
