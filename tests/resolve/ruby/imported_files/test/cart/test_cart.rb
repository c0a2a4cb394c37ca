# imports -> test/helper.rb, lib/shop/cart.rb
require "helper"
require "shop/cart"
load "task.rb"
