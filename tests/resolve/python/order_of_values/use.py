from shop import Cart, Order, first, second


def checkout(value: Cart):
    value.total()
#         ^ -> shop.py#Cart.total
    made = Cart()
    made.total()
#        ^ -> shop.py#Cart.total
    made = made.to_order()
#               ^ -> shop.py#Cart.to_order
    made.total()
#        ^ -> shop.py#Order.total


def either(flag):
    made = Cart()
    if flag:
        made = Order()
    made.total()
#        ^ -> shop.py#Cart.total, shop.py#Order.total


def by_inner_function():
    made = Cart()

    def change():
        nonlocal made
        made = Order()

    change()
    made.total()
#        ^ -> shop.py#Cart.total, shop.py#Order.total


def in_a_loop(flag):
    made = Cart()
    for _ in range(3):
        made.total()
#            ^ -> shop.py#Cart.total, shop.py#Order.total
        made = Order()


def items():
    nested = {"a": {"b": Cart()}, "c": Cart()}
    nested["c"].total()
#               ^ -> shop.py#Cart.total
    nested["c"] = Order()
    nested["c"].total()
#               ^ -> shop.py#Order.total
    nested["a"]["b"].total()
#                    ^ -> shop.py#Cart.total
