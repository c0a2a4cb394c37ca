module Filter
  def start
    @data[:on] = true
#   ^ -> nothing
  end
end
