module A
  LIMIT = 1
  class Base
    KIND = :base
  end
  class String
  end
end
class Base
end
