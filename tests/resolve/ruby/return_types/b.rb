Engine.default.start
#      ^ -> a.rb#Engine.default
#              ^ -> a.rb#Engine.start
Car.new.engine.start
#       ^ -> a.rb#Car.engine
#              ^ -> a.rb#Engine.start
Car.new.tap { |c| c }.motor
#                     ^ -> a.rb#Car.motor
