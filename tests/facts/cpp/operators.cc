// Operators go by one name, however they are written.
struct Size {
  bool operator ==(const Size& other) const { return bytes == other.bytes; }
//     ^ def method Size.operator==
  bool operator != (const Size& other) const;
//     ^ def method Size.operator!=
  Size& operator = (const Size& other);
//      ^ def method Size.operator=
  void operator () (int step) { bytes += step; }
//     ^ def method Size.operator()
  static void* operator new [] (unsigned long count);
//             ^ def method Size.operator new[]
  static void* operator new(unsigned long count);
//             ^ def method Size.operator new
  explicit operator  bool () const { return bytes > 0; }
//         ^ def method Size.operator bool
  operator const char *() const;
  int bytes;
};

bool operator < (const Size& a, const Size& b);
//   ^ def function operator<
Size operator "" _kb(unsigned long long count) { return Size(); }
//   ^ def function operator""_kb
Size operator""_mb(unsigned long long count) { return Size(); }
//   ^ def function operator""_mb

template <class T>
bool operator
    >= (const T& a, const T& b) { return !(a < b); }

bool Size::operator != (const Size& other) const { return !(*this == other); }
//         ^ def method Size.operator!=
Size& Size::operator=(const Size& other) { return *this; }
//          ^ def method Size.operator=
