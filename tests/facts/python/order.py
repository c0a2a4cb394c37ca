"""What is bound where it is used, and not a line later."""

line = 1
texts = [line.x for line in line.items() if line]
#        ^ -> 4
#                           ^ -> 3
#                                           ^ -> 4


def total(z):
    return sum(z for z in range(z)), {k: v for k in z for v in k}
    #          ^ -> 11
    #                           ^ -> 10
    #                                               ^ -> 10
    #                                                          ^ -> 11


class Table:
    size = 3
    cells = [i for i in range(size)]
    #                         ^ -> 19
    line = line
    #      ^ -> 3
    # ^ def field Table.line
    width = line
    #       ^ -> 22


def wrapped():
    def inner():
        pass

    inner = cached(inner)
    #              ^ -> 30 ?
    return inner
    #      ^ -> 30 ?


def chosen(flag):
    if flag:
        def helper(): ...
    else:
        helper = None
    return helper
    #      ^ -> 41 ?
