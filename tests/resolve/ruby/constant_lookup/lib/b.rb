module A
  class Child < Base
  #             ^ -> lib/a.rb#A.Base
    def run
      LIMIT
#     ^ -> lib/a.rb#A.LIMIT
      KIND
#     ^ -> lib/a.rb#A.Base.KIND
      ::Base
      # ^ -> lib/a.rb#Base
      A::String
      #  ^ -> lib/a.rb#A.String
      Hash
#     ^ -> nothing
    end
  end
end
class A::Flat
  Base
# ^ -> lib/a.rb#Base
end
A::Base::KIND
#  ^ -> lib/a.rb#A.Base
#        ^ -> lib/a.rb#A.Base.KIND
