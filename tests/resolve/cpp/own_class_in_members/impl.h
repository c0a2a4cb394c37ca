namespace level {
class DB { public: virtual ~DB(); };
class Impl : public DB {
 public:
  Impl(int n);
  static void Work(void* db);
 private:
  struct State;
  struct Writer;
  void Background();
};
}
