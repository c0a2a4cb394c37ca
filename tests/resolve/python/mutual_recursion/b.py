import a
def g(n):
    return a.f(n - 1)
a.f(3).m()
#      ^ -> a.py#A.m
g(3).m()
#    ^ -> a.py#A.m
