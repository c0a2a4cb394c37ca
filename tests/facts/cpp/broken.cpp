// Source that does not parse, and macros that cut it.
#define CASE(name) void name()
class WIDGET_API Good { int a; };
//               ^ def class Good
BEGIN_SPACE
namespace kept {
template <typename T, ENABLE_IF(is_small<T> && (sizeof(T) == 4))>
T twice(T value) { return value + value; }
//                        ^ -> 8
}
END_SPACE
CASE(first) { Good g; }
#if HAS_THREADS
void run(int threads) {
#else
void run() {
#endif
  log("a" PRIu64 "b", 1);
}
int broken( { return 1;
class Half { int x
