"""What the names of a file stand for in others: imports are followed, members are found through the types of values.

A reference is linked only where every step is explicit. Nothing here reads a file or writes to the store.
"""
