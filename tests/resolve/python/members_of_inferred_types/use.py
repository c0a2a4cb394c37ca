import shop
from shop import Cart, Thing, open_cart

(Cart().first).price()
#              ^ -> shop/items.py#Item.price
(Cart().rest).price()
#             ^ -> shop/items.py#Item.price
(Cart().made).price()
#             ^ -> shop/items.py#Item.price
(Cart().last).price()
#             ^ -> shop/items.py#Item.price
(Cart().all[0]).price()
#               ^ -> shop/items.py#Item.price
(open_cart().same().last).price()
#                         ^ -> shop/items.py#Item.price
(next(Cart().each())).price()
#                     ^ -> shop/items.py#Item.price
([c.last for c in [Cart()]][0]).price()
#                               ^ -> shop/items.py#Item.price
({'a': Thing()}['a']).price()
#                     ^ -> shop/items.py#Item.price
((Cart() if x else None).last).price()
#                              ^ -> shop/items.py#Item.price
(shop.items.make()).price()
#                   ^ -> shop/items.py#Item.price
