try:
    from b import f
except ImportError:
    def f(): ...
