# imports -> lib/shop.rb
require "shop"
