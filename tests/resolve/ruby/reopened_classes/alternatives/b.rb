class User < Other
  def name; end
end
