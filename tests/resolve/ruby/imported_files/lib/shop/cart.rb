# A file beside it is not on the load path.
# imports -> lib/shop.rb
require "time"
require "shop"
module Shop
  class Cart
  end
end
