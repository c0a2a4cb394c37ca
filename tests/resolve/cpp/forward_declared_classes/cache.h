#ifndef CACHE_H
#define CACHE_H
namespace app {
class Cache {
 public:
  int find(int key);
};
}
struct Plain { int size(); };
#endif
