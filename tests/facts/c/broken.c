// Source that no compiler would take still gives what can be read.
int good(int a) { return a; }
//                       ^ -> 2
int broken(int b { return b;
struct half {
  int x
TEST_CASE(adds) {
  good(1);
}
  MACRO_CASE(first, second) {
    good(2);
  }
int after(void) { return good(3); }
