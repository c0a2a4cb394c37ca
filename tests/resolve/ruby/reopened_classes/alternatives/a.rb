class User < Thing
  def name; end
end
