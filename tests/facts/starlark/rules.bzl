"""Rules of a small shop."""
load("//tools:defs.bzl", "shop_binary", item = "shop_item")

LIMIT = 3

def _impl(ctx, count = 1):
#   ^ def function _impl
    """Builds one shop."""
    total = count
    return total + ctx.attr.size
#                           ^ member

def _count(ctx):
#   ^ def function _count
    return len(ctx.files) + LIMIT
#          ^ call
#                           ^ name

def shop(name, srcs = []):
#   ^ def function shop
    shop_binary(name = name, srcs = srcs)
#   ^ call
#               ^ label

shop_rule = rule(implementation = _impl)
#           ^ call
#                                 ^ name

shop(
    name = "corner",
#           ^ def object corner
)
