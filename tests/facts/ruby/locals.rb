count = 1
#^ -> 1

def outside
  count
  # ^ unknown
end

class Inside
  count
  # ^ unknown
end

def locals(list, flag: true)
  early
  # ^ unknown
  early = 1
  # ^ -> 17
  early + 1
  # ^ -> 17

  list.each do |item, (first, *others); inner|
    early = item
    # ^ -> 17
    fresh = first + others.size
    #       ^ -> 22
    #               ^ -> 22
    inner = fresh
    # ^ -> 22
    list.map { fresh + early }
    #          ^ -> 25
    #                  ^ -> 17
  end
  fresh
  # ^ unknown

  list.each { |list| list }
  #            ^ -> 37
  #                  ^ -> 37

  twice = ->(value, by = value) { value * by }
  #                      ^ -> 41
  #                                       ^ -> 41
  twice.(early)
  #^ -> 41
  #      ^ -> 17

  a, (b, *c), @d = list
  #   ^ -> 48
  e ||= a + b + c.first
  #         ^ -> 48
  e += a
  #    ^ -> 48

  for i in list do j = i end
  j + i
  #   ^ -> 55

  begin
    risky(e)
    # ^ unknown
  rescue ArgumentError, KeyError => error
    error.message
    # ^ -> 62
    #     ^ member_call
  end

  later if later = early
  # ^ unknown

  call(flag:, early: 2)
  #    ^ -> 14
  #           ^ label

  self_made = self_made
  #           ^ -> 75

  [1].sum { _1 + it }
  flag ? locals(list) : other(list)
  #      ^ -> 14 ?
  #                     ^ unknown
end

def patterns(config)
  case config
  in { name: String => name, age:, **rest } if age > 1
    [name, age, rest]
    # ^ -> 86
    #      ^ -> 86
    #           ^ -> 86
  in [Integer => number, second, *tail]
    number + second + tail.size
    # ^ -> 91
    #        ^ -> 91
    #                 ^ -> 91
  in [*, { deep: found }, *post]
    found + post
    # ^ -> 96
  in ^config | nil
    # ^ -> 84
    nil
  end
  config => { host: }
  host
  # ^ -> 103
  config in [only]
  only
  # ^ -> 106
end

class Account
  attr_reader :owner

  def total(rate)
    rate * base(rate)
    #      ^ -> 121 ?
    owner
    # ^ unknown
  end

  def base(rate)
    Class.new { def base(x) = rate }
    #                         ^ unknown
    define_singleton_method(:again) { rate }
    #                                 ^ -> 121
  end

  base(1)
  #^ member_call

  def self.base(rate) = total(rate)

  class Nested
    def run = base(2)
    #         ^ unknown
  end
end

count += 1
# ^ -> 1
