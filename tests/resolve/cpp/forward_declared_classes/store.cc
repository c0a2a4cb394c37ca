#include "store.h"
#include "cache.h"
namespace app {
int Store::read(int key) { return cache_->find(key) + plain_->size(); }
//                                        ^ -> cache.h#app.Cache.find
//                                                            ^ -> cache.h#Plain.size
}
