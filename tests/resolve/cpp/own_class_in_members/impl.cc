#include "impl.h"
namespace level {
void Impl::Work(void* db) {
  reinterpret_cast<Impl*>(db)->Background();
//                 ^ -> impl.h#level.Impl
//                             ^ -> impl.h#level.Impl.Background, #level.Impl.Background
}
void Impl::Background() {
  Impl* other = nullptr;
  // <- impl.h#level.Impl
  other->Background();
//       ^ -> impl.h#level.Impl.Background, #level.Impl.Background
}
}
