class Engine
  def start; end
  def self.default
    @default ||= new
  end
end
class Car
  attr_reader :engine
  def initialize(spare = nil)
    @engine = spare || Engine.new
    @log = Logger.new || Engine.new
  end
  def motor
    return engine if engine
    Engine.new
  end
  def pick(fast)
    if fast then Engine.new else nil end
  end
  def use
    motor.start
#   ^ -> #Car.motor
    #     ^ -> #Engine.start
    engine.start
    #      ^ -> #Engine.start
    @engine.start
    #       ^ -> #Engine.start
    pick(true).start
    #          ^ -> #Engine.start
    @log.start
    #    ^ -> nothing
  end
end
