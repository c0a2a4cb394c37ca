// Templates, concepts, specializations, macros around classes.
#pragma once
#include <type_traits>
#define LIB_INLINE inline
#define LIB_ASSERT(cond) do { if (!(cond)) lib_fail(#cond); } while (0)
//                                  ^ -> 5
//                                         ^ call
namespace lib {
template <typename T>
concept Number = std::is_arithmetic_v<T> && requires(T t) { t + 1; };
//      ^ def type lib.Number
//                                    ^ -> 9
//                                                          ^ -> 10

template <Number T, int N = 4, typename... Rest>
class Buffer {
//    ^ def class lib.Buffer
 public:
  using value_type = T;
//                   ^ -> 15
  Buffer() = default;
//^ def constructor lib.Buffer.Buffer
  template <class U> explicit Buffer(const Buffer<U, N>& other);
//                                                ^ -> 23
//                                                   ^ -> 15
  T* begin() { return data_; }
//^ -> 15
//                    ^ -> 33
  const T& at(int index) const;
  LIB_INLINE int size() const { return N; }
//               ^ def method lib.Buffer.size
 private:
  T data_[N];
};

template <Number T, int N, typename... Rest>
const T& Buffer<T, N, Rest...>::at(int index) const {
//                              ^ def method lib.Buffer.at
  return data_[index];
//             ^ -> 37
}

template <>
struct Buffer<bool> { int bits; };
//     ^ def struct lib.Buffer

template <class T> using Pair = Two<T, T>;
//                       ^ def type lib.Pair
template <class T> constexpr bool is_small = sizeof(T) < 8;
//                                ^ def variable lib.is_small
template <typename T> requires Number<T>
auto add(T left, T right) -> decltype(left + right) { return left + right; }
//   ^ def function lib.add
//                                    ^ -> 52
//       ^ -> 51
template <typename... Args> void print(Args&&... args) { add(args...); }
//                                                           ^ -> 56
//                                     ^ -> 56
LIB_ALIGNED16(class) Wide : public Buffer<int> {
//                   ^ def class lib.Wide
 public slots:
  LIB_API virtual void moved(int by) LIB_NOEXCEPT;
//                     ^ def method lib.Wide.moved
  friend bool operator==(const Wide& a, const Wide& b) { return &a == &b; }
};
long operator"" _km(long double value);
}  // namespace lib
