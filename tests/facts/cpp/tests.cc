// Test frameworks, locks that a compiler checks, and macros where the grammar has no place for them.
namespace shop {
TEST_CASE( "prices add up", "[price]" ) {
// Its name is the macro's, since a text is not a name; its signature tells which one it is.
  int sum = 1;
  SECTION("none") {
    check(sum);
//        ^ -> 5
  }
}
TEMPLATE_TEST_CASE("prices of all types", "[price]", int, char) {
  int sum = 2;
}
}
SHOP_REGISTER( "reporter", Reporter )

TEST_CASE( "after what is registered" ) {}
SHOP_TEST_SUITE(orders)

SHOP_TEST_CASE(first_order)
{
  check(first_order);
}
FUZZ_TARGET(basket, .init = prepare)
{
  int sum = 3;
}

class Queue : public Base<int>
//    ^ def class Queue
{
  SHOP_PRIVATE_UNLESS_TESTED:
    explicit Queue(Basket& in) EXCLUSIVE_LOCK(in.mutex) : m_queue(in), m_done(false) {}
//           ^ def constructor Queue.Queue
    void step(const Block& block LIFETIMEBOUND, Items items = {}) {
//       ^ def method Queue.step
      auto update = [&](Item& item) EXCLUSIVE_LOCKS_REQUIRED(m_mutex) {
        if (item.ok()) { drop(item); }
//                            ^ -> 37
      };
      auto tip = WITH_LOCK(m_mutex, return block.tip());
//                                         ^ -> 35
      m_place = typename object_t::iterator();
    }
    Queue operator++(int) {
      Queue before(*this);
      operator++();
      return before;
//           ^ -> 46
    }
    Q_PROPERTY(int value READ value WRITE setValue USER true)
  private:
    int last() const { return 1; }
//      ^ def method Queue.last
};

template <typename T> class Found {
//                          ^ def class Found
  public:
    const T& value() const& LIFETIMEBOUND { return m_value; }
//           ^ def method Found.value
    bool operator()(const T& other) const EXCLUSIVE_LOCKS_REQUIRED(!m_mutex) { return other == m_value; }
//       ^ def method Found.operator()
    template <typename U> void leave(std::enable_if_t<small, U>* = nullptr) { drop<U>(); }
//                             ^ def method Found.leave
    template <typename U>
#if HAS_CONSTEXPR
    constexpr
#endif
    auto as() const -> U
//       ^ def method Found.as
    {
        SHOP_TRY
        {
            return convert(m_value);
        }
        SHOP_CATCH (std::exception& problem)
        {
            report(problem);
//                 ^ -> 77
        }
    }
    int after() { return 2; }
//      ^ def method Found.after
};

int plain() {
//  ^ def function plain
  return 1;
}

TEST_F(BasketTest, Empty) { int sum = 4; }
MATCHER(IsFree, "") { return true; }
