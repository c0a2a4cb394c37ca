module Shop
#      ^ def module Shop
using Items: price
import Base

const LIMIT = 3
#     ^ def constant Shop.LIMIT
total = 0
# comment

abstract type Priced end
#             ^ def type Shop.Priced

struct Cart{T} <: Priced
#      ^ def struct Shop.Cart
    size::Int
#   ^ def field Shop.Cart.size
    name
#   ^ def field Shop.Cart.name
end

mutable struct Store
#              ^ def struct Shop.Store
    open
end

function add(a, b::Int; k=1)::Int
#        ^ def function Shop.add
    price(a) + b
#   ^ call
end

twice(x) = 2x

macro many(ex)
#     ^ def macro Shop.many
    ex
end

function Base.show(io::IO, cart::Cart)
#             ^ def function Shop.show
    print(io, cart.size)
#                  ^ member
end

end
