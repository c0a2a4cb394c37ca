class Half
  def whole(given)
    given
    # ^ -> 2
  end

  def cut(b
    b.each { |c| c

  def rest(d) = d
end
