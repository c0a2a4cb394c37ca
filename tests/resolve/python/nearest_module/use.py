import util
util.f()
#    ^ -> nothing
