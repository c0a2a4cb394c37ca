#ifndef STORE_H
#define STORE_H
struct Plain;
namespace app {
class Cache;
class Store {
  int read(int key);
  Cache* cache_;
//^ -> cache.h#app.Cache
  Plain* plain_;
};
}
#endif
