import typing as t
from .items import Item, make
__all__ = ['Cart', 'open_cart']
class Base:
    def close(self): ...
    def same(self): return self
class Cart(Base):
    first: 'Item'
    def __init__(self, rest: t.Optional[Item] = None):
        self.rest = rest
        self.made = make()
        self.all: list[Item] = []
    @property
    def last(self): return Item()
    def __enter__(self): return self
    def each(self):
        for item in self.all:
            yield item
def open_cart() -> Cart: ...
def _hidden(): ...
