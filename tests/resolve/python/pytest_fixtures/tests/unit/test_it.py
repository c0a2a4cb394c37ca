def test_it(cart):
    cart.close()
    #    ^ -> shop/cart.py#Base.close
def other(cart):
    cart.close()
    #    ^ -> nothing
