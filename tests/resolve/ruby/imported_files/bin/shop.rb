# imports -> lib/shop.rb, plugins/extra/lib/extra.rb
require_relative "../lib/shop"
require "extra"
