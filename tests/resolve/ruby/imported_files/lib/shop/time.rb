module Shop
  class Time
  end
end
