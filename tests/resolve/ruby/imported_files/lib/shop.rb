# imports -> lib/shop/cart.rb, lib/shop/item.rb, lib/shop/late.rb
require "json"
require "time"
require "shop/cart"
require_relative "shop/item"
module Shop
  autoload :Late, "shop/late"
  require "missing/feature"
end
