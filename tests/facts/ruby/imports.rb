#!/usr/bin/env ruby
require "json"
require_relative "../lib/shop"
load "tasks/build.rake"
require File.join(__dir__, "plugins")
require "parts/#{name}"

module Tools
  autoload :Parser, "tools/parser"

  def self.parse(text)
    Parser.new(text)
    # ^ import tools/parser Parser
  end
end

text = <<~TEXT
  def not_code(x)
  #{text} and #{Tools}
TEXT
text.send(:upcase)
#    ^ member_call
text.public_send(name, 1)
Object.const_get("Tools")
text.instance_variable_set(:@seen, true)
eval("1 + 1")
text.class_eval { 1 }
define_method(name) { 1 }

class Ghost
  def method_missing(name, *args) = super
  #                  ^ -> 31
end

%w[a b].each { |word| puts word, :word, "#{word}", /#{word}/ }
#                          ^ -> 35
#                                          ^ -> 35
__END__
def nothing; end
