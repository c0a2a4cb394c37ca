# frozen_string_literal: true
# A shop and what it sells.
#
# More of it.
module Shop
  LIMIT = 10
  # ^ def constant Shop.LIMIT

  DEFAULTS ||= { limit: LIMIT }.freeze

  # Base of all that is sold.
  # @abstract
  class Item < Base
    #   ^ def class Shop.Item

    include Comparable

    # What it is called.
    attr_reader :name, :price
    attr_accessor "note"
    private attr_writer :secret

    @@count = 0
    @registry = {}

    class << self
      def build(...) = new(...)
      #   ^ def method Shop.Item.build

      private

      def hidden; end
      #   ^ def method Shop.Item.hidden
    end

    def self.find(id)
      #      ^ def method Shop.Item.find

      registry.fetch(id)
    end

    def self.internal
    end
    private_class_method :internal

    def initialize(name, price = LIMIT, *rest, tax:, discount: price, **options, &block)
      #   ^ def constructor Shop.Item.initialize
      #                  ^ -> 46
      #                                                        ^ -> 46

      @name = name
      # ^ member
    end

    def price=(value)
      # ^ def method Shop.Item.price=

      @price = value
    end

    def <=>(other) = price <=> other.price
    #   ^ def method Shop.Item.<=>

    def empty?
      # nothing in it
    end

    alias vacant? empty?
    #     ^ def method Shop.Item.vacant?
    #             ^ member

    alias_method :label, :name

    define_method(:total) { |rate| price * rate }
    define_method("kind_of_#{LIMIT}") { nil }

    private

    # Not for everyone.
    def cost
      price
      # ^ unknown
    end

    TAX = 7
    class Part; end
    #     ^ def class Shop.Item.Part

    public

    def open_again; end

    protected def compare(other); end
    memoize def slow; end

    def late; end
    def later; end
    private :late, "later"
    private_constant :TAX
  end

=begin
A point in the shop.
=end
  Point = Struct.new(:x, :y, keyword_init: true) do
    def length = Math.sqrt(x)
    #   ^ def method Shop.Point.length
  end

  class Size < Struct.new(:width, :height)
    def area; end
  end

  Failure = Class.new(StandardError)
  #^ def class Shop.Failure

  Plugin = Module.new do
    def plug; end
  end

  module_function

  def round(value) = value
end

class Shop::Item::Label
  #               ^ def class Shop.Item.Label

  def text; end
  #   ^ def method Shop.Item.Label.text
end

module Shop
  module Admin::Pages
    #           ^ def module Shop.Admin.Pages
  end

  refine String do
    def shout = upcase
    #   ^ def method Shop.shout
  end
end

def helper(value) = value
#   ^ def function helper

$verbose = false
Shop::COLOR = :red
#     ^ def constant Shop.COLOR

object = Object.new
def object.special; end
#   ^ -> 151
