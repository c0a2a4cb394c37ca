Thing.new.one
#         ^ -> one.rb#Thing.one
Thing.new.two
#         ^ -> two.rb#Thing.two
User.new.name
# <- nothing
#        ^ -> nothing
