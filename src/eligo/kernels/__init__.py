"""What may any compiled loop use? What compiles it, codes, bits, hashes, numbers for distinct things, addresses.

What belongs to one concept stands in the folder `kernels` of that concept.
"""
