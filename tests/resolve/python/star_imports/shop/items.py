class Item:
    def price(self): ...
def make():
    return Item()
