from shop.cart import Cart
Cart().made
#      ^ -> shop/cart.py#Cart.made
Cart().nothing
#      ^ -> nothing
