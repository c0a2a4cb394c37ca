class Child < Parent
  include Loud
  extend Finders
  attr_accessor :name
  attr_reader :other
  find_all
# ^ -> mixins.rb#Finders.find_all

  class << self
    def make
      build(1)
#     ^ -> mixins.rb#Parent.build
      own
#     ^ -> nothing
    end
  end

  def initialize
    @name = 'x'
    @other = Child.make
    @thing = Parent.new
  end

  def own
    shout
#   ^ -> mixins.rb#Loud.shout
    run
#   ^ -> mixins.rb#Parent.run
    name
#   ^ -> #Child.name
    self.name = 'y'
    #    ^ -> #Child.name
    @thing.run
#   ^ -> #Child.@thing
    #      ^ -> mixins.rb#Parent.run
    self.class.make
    #          ^ -> #Child.make
    build(1)
#   ^ -> nothing
    [1].each { own }
    #          ^ -> #Child.own
    local = Parent.new
    local.run
    #     ^ -> mixins.rb#Parent.run
    unknown.run
    #       ^ -> nothing
  end

  some_hook { own }
  #           ^ -> nothing
end
Child.find_all
#     ^ -> mixins.rb#Finders.find_all
Child.build(2)
#     ^ -> mixins.rb#Parent.build
Child.new.own
#         ^ -> #Child.own
Child.own
#     ^ -> nothing
Tools.sharpen
#     ^ -> mixins.rb#Tools.sharpen
Tools.helper
#     ^ -> mixins.rb#Tools.helper
