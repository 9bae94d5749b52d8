"""Which loops find, in ordered columns, the documents that a comparison is true of?"""
