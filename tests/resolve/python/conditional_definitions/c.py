from a import f as g
#             ^ -> a.py#f, b.py#f
g()
# <- a.py#f, b.py#f
