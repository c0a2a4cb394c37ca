def f(x, y=None):
    x.price()
    # ^ -> nothing
    y.price()
    # ^ -> nothing
    unknown().price()
    #         ^ -> nothing
