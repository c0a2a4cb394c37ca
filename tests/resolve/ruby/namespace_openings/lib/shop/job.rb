module Shop
  module Job
    def run; end
  end
end
