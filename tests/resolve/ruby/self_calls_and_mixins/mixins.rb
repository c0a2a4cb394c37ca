module Loud
  def shout; end
end
module Finders
  def find_all; end
end
module Tools
  def self.sharpen; end
  def helper; end
end
class Parent
  def self.build(x)
    new(x).run
    #      ^ -> #Parent.run
  end
  def run; end
  def shout; end
end
