"""Which expressions are written right but probably not meant?"""
