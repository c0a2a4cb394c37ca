from shop.cart import Cart
class Own(Cart):
    def close(self):
        super().close()
        #       ^ -> shop/cart.py#Base.close
        self.close()
        #    ^ -> #Own.close
with Own() as own:
    own.same().close()
    #          ^ -> #Own.close
