#define TEST_F(suite, name) class suite##_##name : suite { void run(); }; void suite##_##name::run()
class StoreTest {
 public:
  int put(int key);
};
TEST_F(StoreTest, Empty) { put(1); Empty(); }
//     ^ -> fixture.cc#StoreTest
//                         ^ -> fixture.cc#StoreTest.put
//                                 ^ -> nothing
