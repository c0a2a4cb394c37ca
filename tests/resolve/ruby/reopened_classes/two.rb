class Thing
  def two
    self.one
    #    ^ -> one.rb#Thing.one
  end
end
