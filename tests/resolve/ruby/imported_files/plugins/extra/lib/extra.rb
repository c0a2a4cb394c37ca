# imports -> plugins/extra/lib/extra/core.rb, lib/shop.rb
require "extra/core"
require "shop"
