"""How is an index kept on disk, published and verified?"""
