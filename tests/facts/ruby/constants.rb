Outer = 1

module Space
  Inner = Outer
  #       ^ -> 1 ?

  class First
    #   ^ def class Space.First
    Own = Inner
    #     ^ -> 4
  end

  class Second < First
    #            ^ -> 7
    def run
      First.new(Inner, Outer)
      # ^ -> 7
      #         ^ -> 4
      #                ^ -> 1 ?
      Own
      # ^ unknown
      Space::Inner
      # ^ -> 3 ?
      #      ^ member
      ::Outer
      # ^ member
      Unknown::Thing.call
      # ^ unknown
      Integer("1")
      # ^ call
    end
  end
end

module Space
  First
  # ^ unknown
end

First
# ^ unknown
Space
# ^ -> 3

Twice = 1
Twice = 2
Twice
# ^ -> 45 ?

describe Space do
  LEAKED = 1
  # ^ def constant LEAKED
end
LEAKED
# ^ -> 51

class Space::Third
  First
  # ^ unknown
end
