from shop import *
Cart
# <- shop/cart.py#Cart
_hidden
# <- nothing
open_cart
# <- shop/cart.py#open_cart
