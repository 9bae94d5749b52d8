"""Which loops are written for measurements alone?"""
