module Shop
  class Late
  end
end
