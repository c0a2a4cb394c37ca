import util
util.f()
#    ^ -> one/util.py#f
