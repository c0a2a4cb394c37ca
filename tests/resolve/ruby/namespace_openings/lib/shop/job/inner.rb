module Shop
  module Job
    class Inner; end
  end
end
