from b import g
def f(n):
    return g(n) if n else A()
class A:
    def m(self): ...
