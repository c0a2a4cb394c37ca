class Thing
  def one
    two
#   ^ -> two.rb#Thing.two
  end
end
