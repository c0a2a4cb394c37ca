// Classes, namespaces, members inside and outside.
#include <vector>
#include "shop/base.h"
using namespace std;
using shop::Price;
using shop::Base;
namespace fs = std::filesystem;

namespace shop {
namespace {
int hidden = 1;
}
inline namespace v1 {
struct Old { int year; };
}
enum class Color : int { Red, Green };
//                       ^ def enum_member shop.Color.Red
enum Size { Small, Large };

/// A thing that is sold.
/// \param none
class SHOP_EXPORT Item final : public Base {
//                ^ def class shop.Item
//                                    ^ -> 6 ?
  int secret_ = hidden;
//              ^ -> 11 ?
 public:
  Item(int price = Small) : price_(price), Base(price) {}
//^ def constructor shop.Item.Item
//                          ^ member
//                                 ^ -> 28
  explicit Item(const Item& other) = delete;
//                    ^ type
  virtual ~Item();
//        ^ def method shop.Item.~Item
  Item& operator=(const Item& other);
//      ^ def method shop.Item.operator=
  explicit operator bool() const { return price_ > 0; }
//                                        ^ -> 63
  bool operator<(const Item& other) const { return price_ < other.price_; }
//                                                                ^ member
  virtual int total(int count) const = 0;
//            ^ def method shop.Item.total
  template <class Visitor> void visit(Visitor visitor) const { visitor(*this, Color::Red, lent()); }
//                              ^ def method shop.Item.visit
//                                    ^ -> 44
//                                                                            ^ -> 16 ?
//                                                                                   ^ member
//                                                                                        ^ unknown
  friend void swap(Item& left, Item& right);
  friend class Till;
  using Names = vector<int>;
//      ^ def type shop.Item.Names
  using Base::Base;
  using Base::count;
  static constexpr int kLimit = 3;
//                     ^ def field shop.Item.kLimit
  struct Part { Names names; } part;
//       ^ def struct shop.Item.Part
//              ^ -> 52

 protected:
  int price_ = 0, rest_;
  int* (*callback_)(int code);
//       ^ def field shop.Item.callback_
  SHOP_DISALLOW_COPY(Item);
};

class Plain {
  int value_;
  int get() const { return value_ + hidden + later(); }
//                         ^ -> 70
//                                  ^ -> 11
//                                           ^ -> 75
  int later() const { return get(); }
  int twice(int a);
  int twice(double a) { return twice(1); }
//                             ^ -> 76 ?
};

int Item::total(int count) const {
//  ^ -> 22
//        ^ def method shop.Item.total
  return count * rest_ + kScale;
//       ^ -> 81
//               ^ unknown
//                       ^ -> 95 ?
}

  Item::~Item() {}
//      ^ def method shop.Item.~Item
  Item::operator bool() const { return true; }
int Item::Part::instances = 0;
//              ^ def field shop.Item.Part.instances
static const int kScale = 2;
}  // namespace shop

namespace shop::detail {
void announce(int times);
void announce(int times) { announce(times); }
//   ^ def function shop::detail.announce
//                         ^ -> 100
void overloaded(int a);
void overloaded(double b) { overloaded(b); }
//                          ^ -> 103 ?
}  // namespace shop::detail

extern "C" {
int shop_c(int code);
//  ^ def function shop_c
}
extern "C" int shop_d(void) { return 0; }

TEST(ItemTest, Total) { EXPECT_EQ(1, helper()); }
static int helper() { return shop_c(1); }
//                           ^ -> 109
